#include "variants/object_visibility/family/python_loop.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "harness/base/child.h"
#include "harness/base/patience_test.h"

namespace lab::object_visibility {

namespace {

/// What the script prints for 3,000 pixels of two objects: the counts. It must have ended well.
std::string counts_over(const std::string& kind, const std::string& python = "python3") {
  ChildSpec child;
  child.command = {python, std::string(LAB_SOURCE_DIR) + "/variants/object_visibility/python_loop.py", "3000", "2", "5",
                   kind};
  child.timeout_seconds = kPatience;
  const ChildOutcome done = run_child(child);
  EXPECT_EQ(done.code, 0) << done.error_tail;
  std::istringstream printed(done.output);
  double seconds = -1;
  std::string counts;
  printed >> seconds >> counts;
  EXPECT_GE(seconds, 0);
  return counts;
}

}  // namespace

TEST(PythonLoop, counts_every_pixel_that_is_not_background_and_prints_its_seconds) {
  if (!python_loop_workload().unsupported.empty()) GTEST_SKIP() << python_loop_workload().unsupported;
  const std::string counts = counts_over("list");
  ASSERT_TRUE(counts.starts_with("1:")) << counts;
  // Half of the runs are background.
  const int pixels = std::stoi(counts.substr(2));
  EXPECT_GT(pixels, 1000);
  EXPECT_LT(pixels, 2000);
}

TEST(PythonLoop, counts_the_same_over_an_array_of_numpy) {
  if (!numpy_loop_workload().unsupported.empty()) GTEST_SKIP() << numpy_loop_workload().unsupported;
  EXPECT_EQ(counts_over("numpy", python_with_numpy()), counts_over("list"));
}

}  // namespace lab::object_visibility
