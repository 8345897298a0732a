// The checks of malloc, with the C library's variant as `run --malloc` starts it.
#include "variants/allocator/family/malloc_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/patience_test.h"
#include "harness/bench/preload.h"
#include "harness/bench/variant.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {

namespace {

namespace json = boost::json;
using Names = std::vector<std::string>;

constexpr const char* kHost = LAB_BUILD_DIR "/variants/allocator/c_library";

ChildOutcome preloaded(const std::string& what, const Names& arguments, bool announced = true) {
  ChildSpec spec;
  spec.command = {kHost};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.environment = {fmt::format("LD_PRELOAD={}/tests/fake_malloc_{}.so", LAB_BUILD_DIR, what)};
  if (announced) spec.environment.push_back(fmt::format("{}=mine", bench::kPreloadedAs));
  spec.timeout_seconds = kPatience;
  return run_child(spec);
}

/// The names of the checks that fail.
Names failures(const std::string& what, bool announced = true) {
  const ChildOutcome outcome = preloaded(what, {"--conformance"}, announced);
  boost::system::error_code problem;
  const json::value printed = json::parse(outcome.output, problem);
  if (problem) return {"no output"};
  Names failed;
  for (const json::value& check : printed.at("checks").as_array())
    if (!check.at("failure").is_null()) failed.emplace_back(check.at("name").as_string());
  return failed;
}

/// A sanitizer is the malloc of its programs: nothing can be preloaded before it.
class PreloadedMalloc : public testing::Test {
 protected:
  void SetUp() override {
    if (!kMemoryIsMeasurable) GTEST_SKIP() << "needs a build without a sanitizer";
  }
};

}  // namespace

TEST(MallocChecks, pass_for_the_malloc_of_this_process) {
  for (const bench::ConformanceCheck& check : malloc_checks()) {
    if (check.name == "an executed program can allocate") continue;  // this process has no --describe
    EXPECT_EQ(check.what_is_wrong(), "") << check.name;
  }
}

TEST_F(PreloadedMalloc, conforms_if_it_does_what_c_asks_for) {
  EXPECT_EQ(failures("good"), Names{});
  EXPECT_EQ(failures("null"), Names{}) << "null for 0 bytes is allowed";
  EXPECT_EQ(failures("sizeless"), Names{}) << "malloc_usable_size is no function of C";
}

TEST_F(PreloadedMalloc, fails_with_what_it_does_wrong) {
  EXPECT_EQ(failures("nothing"), Names{"calls reach the wrapped allocator"});
  EXPECT_EQ(failures("misaligned"),
            (Names{"blocks are aligned as promised",
                   "aligned blocks are distinct, can be freed, and keep alignments up to 128"}));
  EXPECT_EQ(failures("overlapping").at(0), "blocks are at least as large as requested");
  EXPECT_EQ(failures("zero"), (Names{"requests of 0 bytes return distinct blocks", "requests of 0 bytes do no harm"}));
  EXPECT_EQ(failures("calloc"),
            (Names{"calloc returns zeros, and null for a product that is too large", "large blocks come and go"}));
  EXPECT_EQ(failures("usable"), Names{"malloc_usable_size covers the request and no other block"});
  EXPECT_EQ(failures("threads"), Names{"threads may allocate at once and free each other's blocks"});
  EXPECT_EQ(failures("realloc").at(0), "realloc keeps contents");
  EXPECT_EQ(failures("split"), Names{"realloc keeps contents after madvise, mlock and mprotect"});
  EXPECT_EQ(failures("exec"), Names{"an executed program can allocate"});
  EXPECT_EQ(
      failures("fork"),
      (Names{"a forked process can allocate", "a process that was forked while other threads allocated can allocate",
             "a fork may have handlers that allocate", "realloc keeps contents after madvise, mlock and mprotect"}));
}

TEST_F(PreloadedMalloc, conforms_with_a_remark_where_others_fail_as_well) {
  const auto remarks = [](const std::string& what) {
    const ChildOutcome outcome = preloaded(what, {"--conformance"});
    EXPECT_EQ(outcome.code, 0);
    Names found;
    const json::value printed = json::parse(outcome.output);
    for (const json::value& check : printed.at("checks").as_array())
      if (check.as_object().contains("remark")) found.emplace_back(check.at("name").as_string());
    return found;
  };
  EXPECT_EQ(remarks("pages"), Names{"aligned blocks keep alignments above 128"});
  EXPECT_EQ(remarks("handlers"), Names{"a fork may have handlers that allocate and were there before the malloc's"});
}

TEST_F(PreloadedMalloc, is_refused_if_the_harness_did_not_preload_it) {
  EXPECT_EQ(failures("good", false), Names{"calls reach the wrapped allocator"});
}

TEST_F(PreloadedMalloc, is_measured_under_its_own_name) {
  const json::value described = json::parse(preloaded("good", {"--describe"}).output);
  EXPECT_EQ(described.at("variant"), "mine");
  EXPECT_EQ(described.at("source"), "run --malloc fake_malloc_good.so");
  const json::value measured = json::parse(preloaded("good", {"--run", "random_replace", "--seconds", "0.05"}).output);
  EXPECT_EQ(measured.at("benchmark"), "allocator/mine/random_replace");
  // Powers of two, so up to twice the request.
  EXPECT_GT(measured.at("counters").at("internal_fragmentation").as_double(), 1.1);
}

TEST_F(PreloadedMalloc, has_no_figure_of_rounding_if_it_cannot_tell_the_size_of_a_block) {
  const json::value described = json::parse(preloaded("sizeless", {"--describe"}).output);
  for (const json::value& workload : described.at("workloads").as_array())
    for (const json::value& exhibit : workload.at("exhibits").as_array()) EXPECT_NE(exhibit.at("name"), "rounding");
  const json::value measured =
      json::parse(preloaded("sizeless", {"--run", "random_replace", "--seconds", "0.05"}).output);
  EXPECT_FALSE(measured.at("counters").as_object().contains("internal_fragmentation"));
  EXPECT_TRUE(measured.at("counters").as_object().contains("peak_requested_bytes"));
}

}  // namespace lab::allocator
