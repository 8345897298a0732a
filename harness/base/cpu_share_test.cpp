#include "harness/base/cpu_share.h"

#include <gtest/gtest.h>

namespace lab {

TEST(CpuShare, is_a_percentage_of_one_cpu_or_a_number_of_them) {
  EXPECT_EQ(cpus_text(0), "0 % of a CPU");
  EXPECT_EQ(cpus_text(0.084), "8 % of a CPU");
  EXPECT_EQ(cpus_text(1), "100 % of a CPU");
  EXPECT_EQ(cpus_text(1.004), "100 % of a CPU");
  EXPECT_EQ(cpus_text(1.8), "1.80 CPUs");
  EXPECT_EQ(cpus_text(15.96), "16.0 CPUs");
  EXPECT_EQ(cpus_text(463.45), "463 CPUs");
  EXPECT_EQ(cpus_text(2048), "2,048 CPUs");
}

}  // namespace lab
