#include "harness/measure/arms.h"

#include <gtest/gtest.h>

#include "harness/base/child.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace {

Benchmark benchmark(const std::string& family, const std::string& variant, const std::string& workload, bool reference,
                    bool parallel) {
  return {results::benchmark_name(family, variant, workload),
          "/x/" + variant,
          reference,
          {family, workload, "", 1, {"all"}, 10, "op", parallel},
          ""};
}

std::vector<std::string> names(const std::vector<ArmBenchmark>& list) {
  std::vector<std::string> names;
  for (const ArmBenchmark& one : list) names.push_back(one.arm + " " + one.benchmark.name);
  return names;
}

Catalog catalog_of(const FakeBuild& build) {
  return *load_catalog(build.path(), [](const ChildSpec& spec) { return run_child(spec); });
}

}  // namespace

TEST(Control, is_one_benchmark_per_family_preferably_serial_and_of_the_reference) {
  EXPECT_EQ(
      names(choose_control({benchmark("a", "fast", "one", false, false), benchmark("a", "plain", "both", true, true),
                            benchmark("a", "plain", "two", true, false), benchmark("a", "plain", "three", true, false),
                            benchmark("b", "wide", "all", true, true), benchmark("b", "other", "all", false, true)})),
      (std::vector<std::string>{"control a/plain/three", "control b/wide/all"}));
  EXPECT_TRUE(choose_control({}).empty());
}

TEST(ContentHash, depends_only_on_the_content) {
  const ScratchFolder folder;
  folder.write("a", "same");
  folder.write("b", "same");
  folder.write("c", "other");
  EXPECT_EQ(*content_hash(folder.path() / "a"), *content_hash(folder.path() / "b"));
  EXPECT_NE(*content_hash(folder.path() / "a"), *content_hash(folder.path() / "c"));
  EXPECT_FALSE(content_hash(folder.path() / "missing"));
}

TEST(Pairing, times_changed_executables_and_names_benchmarks_without_a_base) {
  const FakeBuild head_build({"plain", "quick", "other", "wrong", "unstable"});
  const FakeBuild base_build({"plain", "+quick", "+other", "!wrong", "mute"});
  const Catalog head = catalog_of(head_build);
  Catalog base = catalog_of(base_build);
  std::vector<Benchmark> selected;
  for (const Benchmark& one : head.benchmarks)
    if (one.workload.name == "store") selected.push_back(one);
  for (Benchmark& one : base.benchmarks)
    if (one.name == "fake/other/store") one.workload.version = 2;
  const Expected<results::Arm> head_arm = describe_arm("head", head_build.path(), head_build.path(), selected);
  const Expected<results::Arm> base_arm = describe_arm("base", base_build.path(), base_build.path(), base.benchmarks);
  ASSERT_TRUE(head_arm && base_arm);
  const Pairing pairing = pair_with_base(selected, *head_arm, base, *base_arm);
  EXPECT_EQ(names(pairing.timed), std::vector<std::string>{"base fake/quick/store"});
  EXPECT_EQ(pairing.timed[0].benchmark.executable, base_build.path() / "variants/fake/quick");
  EXPECT_EQ(pairing.identical, 1u);
  EXPECT_EQ(pairing.sentences,
            (std::vector<std::string>{
                "not compared with base: fake/unstable/store: base does not have it",
                "not compared with base: fake/wrong/store: fake/wrong is not built in base",
                "not compared with base: fake/other/store: workload fake/store has version 1 in head and 2 in base"}));
}

}  // namespace lab::measure
