#include "harness/report/format.h"

#include <gtest/gtest.h>

namespace lab::report {

TEST(Format, numbers_have_three_digits_and_the_whole_integer_part) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(0.0741), "0.074");
  EXPECT_EQ(number(0.9996), "1.00");
  EXPECT_EQ(number(4.2651), "4.27");
  EXPECT_EQ(number(9.996), "10.0");
  EXPECT_EQ(number(99.96), "100");
  EXPECT_EQ(number(8639.4), "8,639");
  EXPECT_EQ(number(-1234.5), "-1,234");
  EXPECT_EQ(number(1234567), "1,234,567");
}

TEST(Format, times_have_the_unit_that_people_read) {
  EXPECT_EQ(duration(0.502), "0.502 ns");
  EXPECT_EQ(duration(999.6), "1.00 µs");
  EXPECT_EQ(duration(4030000), "4.03 ms");
  EXPECT_EQ(duration(1.2e9), "1.20 s");
  EXPECT_EQ(duration_with_interval({12, 527126, stats::Interval{510000, 1100000}}), "527 µs (510 to 1,100)");
  EXPECT_EQ(duration_with_interval({1, 23.1, {}}), "23.1 ns");
}

TEST(Format, an_axis_has_the_unit_of_its_middle) {
  const auto name = [](const AxisUnit& unit) { return unit.name; };
  EXPECT_EQ(name(time_axis(20, 9000)), "ns") << "9,000 ns beside 20 ns";
  EXPECT_EQ(name(time_axis(150, 800)), "ns");
  EXPECT_EQ(name(time_axis(400, 2e6)), "µs");
  EXPECT_EQ(name(time_axis(1e6, 4e7)), "ms");
  EXPECT_EQ(time_axis(1e6, 4e7).size, 1e6);
  EXPECT_EQ(name(time_axis(0, 3e9)), "s");
  EXPECT_EQ(name(byte_axis(100, 900)), "bytes");
  EXPECT_EQ(name(byte_axis(960000, 2300000)), "MB");
  EXPECT_EQ(byte_axis(960000, 2300000).size, 1e6);
  EXPECT_EQ(after_ns("ns per pair"), " per pair");
  EXPECT_EQ(after_ns("ns"), "");
  EXPECT_EQ(after_ns("nsec"), std::nullopt);
}

TEST(Format, plain_numbers_have_no_exponent) {
  EXPECT_EQ(plain(524288), "524,288");
  EXPECT_EQ(plain(4294967296.0), "4,294,967,296");
  EXPECT_EQ(plain(1e18), "1,000,000,000,000,000,000");
  EXPECT_EQ(plain(-16), "-16");
  EXPECT_EQ(plain(0), "0");
  EXPECT_EQ(plain(0.5), "0.5");
  EXPECT_EQ(plain(1.0 / 1024), "0.0009766");
  EXPECT_EQ(plain(1.0 / 1048576), "0.0000009537");
  EXPECT_EQ(plain(12345.678), "12,346");
  EXPECT_EQ(plain(1.25), "1.25");
}

TEST(Format, bytes_are_in_the_largest_unit_that_gives_a_whole_number) {
  EXPECT_EQ(bytes(0), "0 B");
  EXPECT_EQ(bytes(8216), "8,216 B");
  EXPECT_EQ(bytes(65536), "64 KiB");
  EXPECT_EQ(bytes(67108864), "64 MiB");
  EXPECT_EQ(bytes(std::uint64_t{8} << 40), "8,192 GiB");
}

TEST(Format, enumerated_has_one_and) {
  EXPECT_EQ(enumerated({}), "");
  EXPECT_EQ(enumerated({"a"}), "a");
  EXPECT_EQ(enumerated({"a", "b"}), "a and b");
  EXPECT_EQ(enumerated({"a", "b", "c"}), "a, b and c");
}

TEST(Format, of_a_layout_has_its_effect_and_its_share_of_the_noise) {
  EXPECT_EQ(layout_text({0.0081, 0.4}), "0.81 % (40 %)");
  EXPECT_EQ(layout_text({0.0081, 0.4, false}), "0.81 % assumed");
}

}  // namespace lab::report
