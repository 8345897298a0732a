#include "harness/report/report.h"

#include <gtest/gtest.h>

#include "harness/report/sample_test.h"

namespace lab::report {
TEST(Report, draft) {
  const auto result = sample::result();
  const auto atlas = sample::atlas();
  const auto files = write_report({&result, atlas}, {.out = "/tmp/lab/rep", .published = std::string(LAB_SOURCE_DIR) + "/results/published", .progress = {}});
  ASSERT_TRUE(files) << files.error().what;
}
}
