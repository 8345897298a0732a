#include "harness/base/fit.h"

#include <gtest/gtest.h>

namespace lab {

namespace {

using Lines = std::vector<std::string>;

const std::vector<Column> kColumns{{"verdict"}, {"change", true}, {"benchmark", false, true}, {"remark", false, true}};
const std::vector<Lines> kRows{{"\x1b[31mregressed\x1b[0m", "+3 %", "allocator/buddy/same_size_churn", "two words"},
                               {"same", "+0.01 %", "a/b/c", ""}};

}  // namespace

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

TEST(Counted, has_its_plural_and_commas) {
  EXPECT_EQ(counted(1, "block"), "1 block");
  EXPECT_EQ(counted(0, "block"), "0 blocks");
  EXPECT_EQ(counted(1200, "process", "processes"), "1,200 processes");
  EXPECT_EQ(counted(2, "access"), "2 accesses");
  EXPECT_EQ(thousands("-1234.5678"), "-1,234.5678");
}

TEST(FirstNames, are_named_and_the_others_are_counted) {
  EXPECT_EQ(first_names({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(first_names({"a", "b", "c", "d", "e"}, 3), "a, b, c, 2 more");
  EXPECT_EQ(first_names({}, 3), "");
}

TEST(TextWidth, counts_characters_and_no_colour) {
  EXPECT_EQ(text_width(""), 0u);
  EXPECT_EQ(text_width("1.5\u00d7"), 4u);
  EXPECT_EQ(text_width("\x1b[1;31mred\x1b[0m"), 3u);
}

TEST(Wrapped, breaks_at_spaces_then_after_slashes_then_anywhere) {
  EXPECT_EQ(wrapped("one two  three", 0), (Lines{"one two  three"}));
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("allocator/buddy/churn", 17), (Lines{"allocator/buddy/", "churn"}));
  EXPECT_EQ(wrapped("0123456789", 4), (Lines{"0123", "4567", "89"}));
  EXPECT_EQ(wrapped("a\n\nb", 4), (Lines{"a", "", "b"}));
  EXPECT_EQ(wrapped("  indented words", 10), (Lines{"  indented", "words"}));
  EXPECT_EQ(wrapped("", 4), (Lines{""}));
}

TEST(WrappedAfter, indents_all_lines_but_the_first) {
  EXPECT_EQ(wrapped_after("one two three", 9, 2), "one two\n  three");
}

TEST(TableText, has_its_natural_width_without_a_limit) {
  EXPECT_EQ(table_text(kColumns, kRows, 0),
            "verdict     change  benchmark                        remark\n"
            "\x1b[31mregressed\x1b[0m     +3 %  allocator/buddy/same_size_churn  two words\n"
            "same       +0.01 %  a/b/c\n");
}

TEST(TableText, that_is_too_wide_continues_on_further_lines) {
  EXPECT_EQ(table_text(kColumns, kRows, 47),
            "verdict     change  benchmark         remark\n"
            "\x1b[31mregressed\x1b[0m     +3 %  allocator/buddy/  two words\n"
            "                    same_size_churn\n"
            "same       +0.01 %  a/b/c\n");
}

TEST(TableText, fits_every_width_that_holds_its_numbers) {
  for (std::size_t width = 46; width < 80; ++width) {
    std::string letters;
    const std::string table = table_text(kColumns, kRows, width);
    for (const std::string& line : wrapped(table, 0)) EXPECT_LE(text_width(line), width) << line;
    for (const char c : table)
      if (c != ' ' && c != '\n') letters += c;
    EXPECT_EQ(letters.size(), std::string("verdictchangebenchmarkremark\x1b[31mregressed\x1b[0m+3%allocator/buddy/"
                                          "same_size_churntwowordssame+0.01%a/b/c")
                                  .size());
  }
}

TEST(TableText, can_have_spanning_rows_and_no_headings) {
  EXPECT_EQ(table_text({{""}, {"", true}}, {{"a group with a long name"}, {"x", "1"}, {"yy", "10"}}, 0),
            "a group with a long name\nx    1\nyy  10\n");
}

TEST(Fit, capitalized_begins_with_a_capital_letter) {
  EXPECT_EQ(capitalized("free one"), "Free one");
  EXPECT_EQ(capitalized("10,000 live"), "10,000 live");
  EXPECT_EQ(capitalized(""), "");
  EXPECT_EQ(capitalized("plf::colony 7.10"), "plf::colony 7.10");
  EXPECT_EQ(capitalized("c_library; the system's"), "c_library; the system's");
  EXPECT_EQ(capitalized("allocator/buddy: slower"), "allocator/buddy: slower");
  EXPECT_EQ(capitalized("needs f_1"), "Needs f_1");
}

}  // namespace lab
