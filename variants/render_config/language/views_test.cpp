#include "variants/render_config/language/views.h"

#include <gtest/gtest.h>

#include <string>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

TEST_F(ReadPart, views_are_cascades) {
  const std::vector<View> views = read_views(
      node(R"({"a": {"cascade": 1, "of": 2, "reach": 9, "fit": "box"}, "b": {"cascade": 0, "of": 1}})").members,
      environment_, values_);
  EXPECT_EQ(problem(), "");
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].cascade, 1u);
  EXPECT_EQ(views[0].reach, 9);
  EXPECT_FALSE(views[0].sphere);
  EXPECT_TRUE(views[1].sphere);
}

TEST_F(ReadPart, views_without_a_cascade_are_mistakes) {
  const auto problem_with = [this](const std::string& view) {
    read_views(node("{\"a\": " + view + "}").members, environment_, values_);
    return problem();
  };
  EXPECT_EQ(problem_with(R"({"of": 1})"), "a.json:1: expected a view with \"cascade\", found none");
  EXPECT_EQ(problem_with(R"({"cascade": 0})"), "a.json:1: expected a view with \"of\", found none");
  EXPECT_EQ(problem_with(R"({"cascade": 0, "of": 1, "fit": "tube"})"),
            "a.json:1: expected fit (sphere, box), found 'tube'");
}

TEST_F(ReadConfig, numbers_the_views_that_the_frame_names) {
  const std::string view =
      "\"first\": {\"cascade\": 0, \"of\": 2, \"reach\": 50, \"split\": 0.5, \"fit\": \"box\", \"pixels\": \"$size\"}";
  const auto of = [](const std::string& name) { return "\"" + name + "\": {\"cascade\": 0, \"of\": 1}"; };
  EXPECT_EQ(problem(view, of("a") + ", " + of("b") + ", " + view + ", " + of("c") + ", " + of("d")), "");
  const Expected<Config> config = read();
  ASSERT_TRUE(config) << config.error().what;
  ASSERT_EQ(config->views.size(), 1u);
  EXPECT_EQ(config->views[0].name, "first");
  EXPECT_EQ(config->frame[0].view, 1u);
  // As many as a frame may have, and one more.
  const auto passes = [&](const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names)
      all += "{\"draw\": \"shadow\", \"view\": \"" + name + "\", \"depth\": \"shadow\", \"clear\": {\"shadow\": 1}},";
    scratch_.write("library.json", kLibrary);
    std::string text = kGood;
    text.replace(text.find(view), view.size(), of("a") + ",\n" + of("b") + ",\n" + view + ",\n" + of("c"));
    const std::size_t at = text.find("{\"draw\": \"shadow\"");
    text.insert(at, all);
    scratch_.write("a.json", text);
    return problem_of("a.json");
  };
  EXPECT_EQ(passes({"a", "c"}), "");
  EXPECT_EQ(read()->frame[1].view, 3u);
  EXPECT_EQ(passes({"a", "b", "c"}), "a.json:15: expected at most 3 views, found 4");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_views) {
  expect_problems(
      {{"\"cascade\": 0", "\"cascade\": 2", "a.json:12: expected a whole number from 0 to 1, found the number 2"},
       {"\"first\": {", "\"camera\": {", "a.json:12: expected a name other than 'camera', which always exists"}});
}

}  // namespace lab::render_config
