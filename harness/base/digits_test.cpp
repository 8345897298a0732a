#include "harness/base/digits.h"

#include <gtest/gtest.h>

namespace lab {

TEST(Digits, are_significant_and_without_an_exponent) {
  EXPECT_EQ(significant(0, 2), "0");
  EXPECT_EQ(significant(1.25, 2), "1.2");
  EXPECT_EQ(significant(12, 2), "12");
  EXPECT_EQ(significant(12.5, 3), "12.5");
  EXPECT_EQ(significant(153.7, 2), "154");
  EXPECT_EQ(significant(4635123, 2), "4635123");
  EXPECT_EQ(significant(0.50, 2), "0.5");
  EXPECT_EQ(significant(0.0000123, 2), "0.000012");
  EXPECT_EQ(significant(-0.3, 2), "-0.3");
}

}  // namespace lab
