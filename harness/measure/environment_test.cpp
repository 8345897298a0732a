#include "harness/measure/environment.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>

namespace lab::measure {
namespace {

using Sentences = std::vector<std::string>;

TEST(Environment, gives_each_variable_that_a_rule_names_with_the_reason_of_the_first_one) {
  const std::vector<EnvironmentRule> rules{{"POOL_*", "may change a pool"}, {"POOL_SIZE", "is never reached"}};
  EXPECT_EQ(find_set_variables({"HOME=/", "POOL_SIZE=3", "POOL_=", "XPOOL_A=1", "NOTHING"}, rules),
            (Sentences{"POOL_SIZE is set and may change a pool: unset POOL_SIZE",
                       "POOL_ is set and may change a pool: unset POOL_"}));
}

TEST(Environment, gives_what_changes_every_program_without_any_rule) {
  EXPECT_EQ(find_set_variables({"LD_PRELOAD=/x.so", "GLIBC_TUNABLES=glibc.malloc.check=1", "MALLOC_X=1"}, {}),
            (Sentences{"LD_PRELOAD is set and may replace functions of a variant: unset LD_PRELOAD",
                       "GLIBC_TUNABLES is set and may change the C library: unset GLIBC_TUNABLES"}));
}

TEST(Environment, is_that_of_this_process) {
  ::setenv("LAB_ENVIRONMENT_TEST", "a=b", 1);
  const std::vector<std::string> entries = environment_variables();
  EXPECT_EQ(std::count(entries.begin(), entries.end(), "LAB_ENVIRONMENT_TEST=a=b"), 1);
}

}  // namespace
}  // namespace lab::measure
