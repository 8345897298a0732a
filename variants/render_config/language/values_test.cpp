#include "variants/render_config/language/values.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

TEST(Problems, keep_the_first) {
  Problems problems;
  EXPECT_FALSE(problems.any());
  problems.add({"a.json", 3}, "expected a, found b", "try c");
  problems.add({"a.json", 1}, "expected d, found e");
  problems.add(Error{"f", ""});
  EXPECT_TRUE(problems.any());
  EXPECT_EQ(problems.first().what, "a.json:3: expected a, found b");
  EXPECT_EQ(problems.first().hint, "try c");
  EXPECT_EQ(problems.first().status, ExitStatus::kUsage);
}

TEST(Problems, list_what_is_known_and_hint_at_the_nearest) {
  const auto problem_with = [](const std::string& found, const std::vector<std::string>& names) {
    Problems problems;
    problems.add_unknown({"a.json", 3}, found, "a layer", names);
    return problems.first().what + " | " + problems.first().hint;
  };
  EXPECT_EQ(problem_with("solit", {"solid", "glass"}),
            "a.json:3: expected a layer (solid, glass), found 'solit' | did you mean 'solid'?");
  EXPECT_EQ(problem_with("x\x1b", {}), "a.json:3: expected a layer (none exists), found 'x?' | ");
}

TEST(Problems, list_24_names_at_most) {
  EXPECT_EQ(list_of(std::vector<std::string>(24, "a")).find("more"), std::string::npos);
  EXPECT_TRUE(list_of(std::vector<std::string>(26, "a")).ends_with("a, a, and 2 more"));
}

TEST_F(ReadPart, values_are_of_their_kind_and_in_their_range) {
  EXPECT_EQ(values_.text(node("\"a\""), "a word"), "a");
  EXPECT_TRUE(values_.boolean(node("true"), "a boolean"));
  EXPECT_EQ(values_.number(node("0.5"), "a share", 0, 1), 0.5);
  EXPECT_EQ(values_.whole(node("8"), "a whole number", 1, 8), 8u);
  EXPECT_EQ(values_.numbers(node("[1, 2]"), "1 to 4 numbers", 1, 4), (std::vector<float>{1, 2}));
  EXPECT_EQ(values_.numbers(node("3"), "1 to 4 numbers", 1, 4), std::vector<float>{3});
  EXPECT_EQ(values_.path(node("\"b/../c.json\"")), "c.json");
  EXPECT_EQ(values_.choice(node("\"b\""), "a letter", {"a", "b"}), 1u);
  EXPECT_EQ(problem(), "");
}

TEST_F(ReadPart, values_say_what_was_expected_and_found) {
  values_.text(node("1"), "a word");
  EXPECT_EQ(problem(), "a.json:1: expected a word, found the number 1");
  values_.boolean(node("null"), "a boolean");
  EXPECT_EQ(problem(), "a.json:1: expected a boolean, found null");
  EXPECT_EQ(values_.number(node("2"), "a share", 0, 1), 0);
  EXPECT_EQ(problem(), "a.json:1: expected a share from 0 to 1, found the number 2");
  EXPECT_EQ(values_.whole(node("1.5"), "a whole number", 1, 8), 1u);
  EXPECT_EQ(problem(), "a.json:1: expected a whole number, found the number 1.5");
  EXPECT_EQ(values_.numbers(node("1"), "four numbers", 4, 4), std::vector<float>(4));
  EXPECT_EQ(problem(), "a.json:1: expected four numbers, found the number 1");
  values_.items(node("{}"), "words");
  EXPECT_EQ(problem(), "a.json:1: expected an array of words, found an object");
  values_.members(node("[]"), "words");
  EXPECT_EQ(problem(), "a.json:1: expected an object of words, found an array");
  EXPECT_EQ(values_.path(node("\"\"")), "");
  EXPECT_EQ(problem(), "a.json:1: expected a file name, found ''");
  EXPECT_EQ(values_.choice(node("\"bb\""), "a letter", {"a", "b"}), 0u);
  EXPECT_EQ(problem(), "a.json:1: expected a letter (a, b), found 'bb' | did you mean 'b'?");
}

TEST_F(ReadPart, values_of_settings_stand_where_the_setting_is_named) {
  EXPECT_EQ(values_.number(node("\"$size\""), "a number", 0, 100), 64);
  EXPECT_TRUE(values_.boolean(node("\"$on\""), "a boolean"));
  EXPECT_EQ(values_.text(node("\"$name\""), "a word"), "x");
  EXPECT_EQ(problem(), "");
  values_.number(node("\n\n\"$on\""), "a number", 0, 100);
  EXPECT_EQ(problem(), "a.json:3: expected a number from 0 to 100, found true");
  values_.text(node("\"$nam\""), "a word");
  EXPECT_EQ(problem(), "a.json:1: expected a setting after '$' (size, on, name), found 'nam' | did you mean 'name'?");
}

TEST_F(ReadPart, objects_have_the_fields_that_they_need_and_no_others) {
  EXPECT_TRUE(values_.object(node("{\"a\": 1}"), "a thing", {"a", "b"}));
  EXPECT_NE(values_.needed(node("{\"a\": 1}"), "a", "a thing"), nullptr);
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(values_.needed(node("{\"a\": 1}"), "b", "a thing"), nullptr);
  EXPECT_EQ(problem(), "a.json:1: expected a thing with \"b\", found none");
  EXPECT_FALSE(values_.object(node("{\n\"c\": 1}"), "a thing", {"a", "b"}));
  EXPECT_EQ(problem(), "a.json:2: expected a field (a, b), found 'c' | did you mean 'a'?");
  EXPECT_FALSE(values_.object(node("1"), "a thing", {"a", "b"}));
  EXPECT_EQ(problem(), "a.json:1: expected an object that describes a thing, found the number 1");
}

}  // namespace lab::render_config
