#include "variants/render_config/language/located_json.h"

#include <gtest/gtest.h>

namespace lab::render_config {

namespace {

std::string what_of(std::string_view text) {
  const Expected<Node> parsed = parse_located(text, "a.json");
  return parsed ? "" : parsed.error().what;
}

}  // namespace

TEST(LocatedJson, knows_the_line_of_each_value) {
  const Expected<Node> root = parse_located(
      "// a comment\n{\n  \"a\": [1,\n 2.5\n, \"x\\ny\"], /* and\n one */ \"b\": {\n\"c\": true}, \"d\": null,\n}\n",
      "a.json");
  ASSERT_TRUE(root) << root.error().what;
  EXPECT_EQ(root->place.line, 2);
  const Node* const a = root->find("a");
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->items.size(), 3u);
  EXPECT_EQ(a->items[0].place.line, 3);
  EXPECT_EQ(a->items[1].place.line, 4);
  EXPECT_EQ(a->items[1].number, 2.5);
  EXPECT_EQ(a->items[2].place.line, 5);
  EXPECT_EQ(a->items[2].text, "x\ny");
  const Node* const b = root->find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->place.line, 6);
  EXPECT_TRUE(b->find("c")->boolean);
  EXPECT_EQ(b->members[0].place.line, 7);
  EXPECT_EQ(root->find("d")->kind, Node::Kind::kNull);
  EXPECT_EQ(root->find("e"), nullptr);
}

TEST(LocatedJson, names_the_line_of_what_it_refuses) {
  EXPECT_EQ(what_of(""), "a.json:1: expected an object, found an empty file");
  EXPECT_EQ(what_of("\n \n"), "a.json:1: expected an object, found an empty file");
  EXPECT_EQ(what_of("{\n\"a\": 1,\n"), "a.json:3: expected more JSON, found the end of the file");
  EXPECT_EQ(what_of("{\n\"a\": 1\n\"b\": 2}"), "a.json:3: expected JSON, found: syntax error");
  EXPECT_EQ(what_of("{\n\"a\": 1,\n\"a\": 2}"), "a.json:3: expected each name once, found 'a' again, after line 2");
  EXPECT_EQ(what_of("{} x"), "a.json:1: expected one value, found more after it");
  EXPECT_EQ(what_of("{\"a\": \"\n\"}"), "a.json:1: expected JSON, found: syntax error");
  EXPECT_EQ(what_of("{} // x\n/* y"), "a.json:2: expected one value, found more after it");
  EXPECT_EQ(what_of("{\"a\": \"/* no // comment\"}"), "");
  EXPECT_EQ(what_of(std::string(40, '[')), "a.json:1: expected at most 32 values inside each other, found more");
  EXPECT_EQ(what_of(std::string("{\"a\0\": 1}", 9)).substr(0, 9), "a.json:1:");
}

TEST(LocatedJson, a_problem_is_one_line_that_a_terminal_can_show) {
  EXPECT_EQ(problem_at({"a.json", 3}, "found 'x\n\x1b[2J'").what, "a.json:3: found 'x??[2J'");
}

TEST(LocatedJson, refuses_each_prefix_of_a_document) {
  const std::string text = "{\"a\": [1, true, \"x\"], \"b\": {\"c\": null}}";
  for (std::size_t i = 0; i < text.size(); ++i) EXPECT_NE(what_of(text.substr(0, i)), "") << i;
  EXPECT_EQ(what_of(text), "");
}

}  // namespace lab::render_config
