#include "harness/base/printable.h"

#include <gtest/gtest.h>

namespace lab {

TEST(Printable, keeps_utf8_line_ends_and_tabs) {
  for (const char* text : {"", "a\tb\n", "Caf\u00e9", "\u2122", "\U0001f600"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, replaces_control_characters) {
  EXPECT_EQ(printable("a\x1b[31m\r\x7f"), "a?[31m??");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xc2\x9b"), "??");
}

TEST(Printable, replaces_what_turns_the_text_round) {
  EXPECT_EQ(printable("a\u202etxt.exe"), "a???txt.exe");
  EXPECT_EQ(printable("\u2066\u2069\u200e\u200f\u061c"), std::string(14, '?'));
  EXPECT_EQ(printable("\u05e9\u0644\u2013\u2065\u206a"),
            "\u05e9\u0644\u2013\u2065\u206a");  // Hebrew, Arabic, neighbours
}

TEST(Printable, replaces_each_byte_that_is_no_utf8) {
  EXPECT_EQ(printable("Caf\xe9 \xff"), "Caf? ?");
  EXPECT_EQ(printable("\xa9 cut \xe2\x84"), "? cut ??");  // both ends of a text cut in a character
  EXPECT_EQ(printable("\xc1\x81"), "??");                 // longer than necessary
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");            // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");       // beyond Unicode
}

}  // namespace lab
