#include "harness/base/percent.h"

#include <gtest/gtest.h>

namespace lab {

namespace {

TEST(Percent, every_byte_but_letters_digits_and_those_to_keep_is_encoded) {
  EXPECT_EQ(percent_encoded("a/b~c-d_e.f09Z"), "a%2Fb~c-d_e.f09Z");
  EXPECT_EQ(percent_encoded("a/b c+d", "-._~/"), "a/b%20c%2Bd");
  EXPECT_EQ(percent_encoded("<\"'&?#%\x1b\u202e"), "%3C%22%27%26%3F%23%25%1B%E2%80%AE");
  EXPECT_EQ(percent_encoded(std::string_view("\0\xff", 2)), "%00%FF");
}

}  // namespace

}  // namespace lab
