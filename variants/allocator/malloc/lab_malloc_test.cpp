// liblab_malloc.so: its functions, and programs that run with it. Not in builds without it: see malloc.cmake.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/patience_test.h"
#include "harness/bench/preload.h"

namespace lab::allocator {
namespace {

constexpr const char* kLibrary = LAB_BUILD_DIR "/malloc/liblab_malloc.so";

class LabMalloc : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kLibrary)) GTEST_SKIP() << "needs a build without a sanitizer";
  }
};

/// The end of a program with the library as its malloc, without what it printed to standard error.
ChildOutcome outcome_of(const std::vector<std::string>& command, std::vector<std::string> environment = {}) {
  ChildSpec spec;
  spec.command = command;
  spec.environment = std::move(environment);
  spec.environment.push_back(fmt::format("LD_PRELOAD={}", kLibrary));
  spec.timeout_seconds = kPatience;
  return run_child(spec);
}

TEST_F(LabMalloc, conforms_without_a_remark) {
  const ChildOutcome outcome = outcome_of({LAB_BUILD_DIR "/variants/allocator/c_library", "--conformance"},
                                          {fmt::format("{}=mine", bench::kPreloadedAs)});
  EXPECT_EQ(outcome.code, 0);
  const boost::json::value printed = boost::json::parse(outcome.output);
  const boost::json::array& checks = printed.at("checks").as_array();
  EXPECT_GE(checks.size(), 20u);
  for (const boost::json::value& check : checks) {
    EXPECT_TRUE(check.at("failure").is_null()) << check;
    EXPECT_FALSE(check.as_object().contains("remark")) << check;
  }
}

TEST_F(LabMalloc, serves_python_with_threads_and_processes) {
  const ChildOutcome outcome = outcome_of({"python3", "-c", R"(
import json, os, subprocess, threading
numbers = [{"key": i, "text": str(i) * (i % 50)} for i in range(20000)]
assert json.loads(json.dumps(numbers)) == numbers
threads = [threading.Thread(target=lambda: [bytearray(n * 7 % 300000) for n in range(3000)]) for _ in range(4)]
for thread in threads: thread.start()
for _ in range(10):
    subprocess.run(["/bin/true"], check=True)
    if os.fork() == 0:
        blocks = [bytes(n) for n in range(3000)]
        os._exit(0)
    assert os.wait()[1] == 0
for thread in threads: thread.join()
print("done")
)"},
                                          {"PYTHONMALLOC=malloc"});
  EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
  EXPECT_EQ(outcome.output, "done\n");
}

TEST_F(LabMalloc, serves_the_compiler) {
  const std::vector<std::string> command{LAB_CXX_COMPILER,
                                         "-std=c++20",
                                         "-O1",
                                         "-S",
                                         "-o",
                                         "-",
                                         LAB_SOURCE_DIR "/variants/allocator/recorder/programs/compile.cpp"};
  ChildSpec alone;
  alone.command = command;
  alone.timeout_seconds = kPatience;
  const ChildOutcome expected = run_child(alone), outcome = outcome_of(command);
  ASSERT_EQ(expected.code, 0) << expected.error_tail;
  EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
  EXPECT_EQ(outcome.output, expected.output);
}

/// A function of the library, which is not this process's malloc.
template <typename Function>
Function* function(const char* name) {
  static void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : dlsym(library, name);
  EXPECT_NE(found, nullptr) << name;
  return reinterpret_cast<Function*>(found);
}

TEST_F(LabMalloc, says_why_it_returns_null) {
  const auto malloc = function<void*(std::size_t)>("malloc");
  const auto free = function<void(void*)>("free");
  const auto calloc = function<void*(std::size_t, std::size_t)>("calloc");
  const auto realloc = function<void*(void*, std::size_t)>("realloc");
  const auto reallocarray = function<void*(void*, std::size_t, std::size_t)>("reallocarray");
  const auto aligned_alloc = function<void*(std::size_t, std::size_t)>("aligned_alloc");
  const auto memalign = function<void*(std::size_t, std::size_t)>("memalign");
  const auto pvalloc = function<void*(std::size_t)>("pvalloc");
  void* const block = malloc(10);
  const auto error_of = [](const auto& call) {
    errno = 0;
    EXPECT_EQ(call(), nullptr);
    return errno;
  };
  EXPECT_EQ(error_of([&] { return malloc(SIZE_MAX); }), ENOMEM);
  EXPECT_EQ(error_of([&] { return calloc(SIZE_MAX / 2, 3); }), ENOMEM);
  EXPECT_EQ(error_of([&] { return realloc(block, SIZE_MAX); }), ENOMEM);
  EXPECT_EQ(error_of([&] { return reallocarray(block, SIZE_MAX / 2, 3); }), ENOMEM);
  EXPECT_EQ(error_of([&] { return aligned_alloc(64, SIZE_MAX - 63); }), ENOMEM);
  EXPECT_EQ(error_of([&] { return aligned_alloc(24, 48); }), EINVAL);
  EXPECT_EQ(error_of([&] { return aligned_alloc(0, 48); }), EINVAL);
  EXPECT_EQ(error_of([&] { return memalign(SIZE_MAX, 48); }), EINVAL);
  EXPECT_EQ(error_of([&] { return pvalloc(SIZE_MAX); }), ENOMEM);
  // As glibc's, which frees the block.
  EXPECT_EQ(error_of([&] { return realloc(block, 0); }), 0);
  errno = 5;
  free(malloc(std::size_t{4} << 20));
  free(nullptr);
  EXPECT_EQ(errno, 5);
}

TEST_F(LabMalloc, aligns_as_each_function_promises) {
  const auto free = function<void(void*)>("free");
  const auto memalign = function<void*(std::size_t, std::size_t)>("memalign");
  const auto valloc = function<void*(std::size_t)>("valloc");
  const auto pvalloc = function<void*(std::size_t)>("pvalloc");
  const auto posix_memalign = function<int(void**, std::size_t, std::size_t)>("posix_memalign");
  const auto usable = function<std::size_t(void*)>("malloc_usable_size");
  const auto expect_aligned = [&](void* block, std::size_t alignment, std::size_t bytes) {
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u);
    EXPECT_GE(usable(block), bytes);
    free(block);
  };
  expect_aligned(memalign(48, 100), 64, 100);
  expect_aligned(memalign(0, 100), 16, 100);
  expect_aligned(valloc(100), 4096, 100);
  expect_aligned(pvalloc(5000), 4096, 8192);
  expect_aligned(pvalloc(0), 4096, 4096);
  void* block = &block;
  EXPECT_EQ(posix_memalign(&block, 4, 100), EINVAL);
  EXPECT_EQ(posix_memalign(&block, 24, 100), EINVAL);
  EXPECT_EQ(posix_memalign(&block, 8, SIZE_MAX), ENOMEM);
  EXPECT_EQ(block, &block) << "a failure leaves it alone";
  EXPECT_EQ(posix_memalign(&block, 8, 100), 0);
  expect_aligned(block, 16, 100);
  EXPECT_EQ(usable(nullptr), 0u);
}

}  // namespace
}  // namespace lab::allocator
