#include "variants/render_config/language/targets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

namespace {

/// Three resources: a colour, a depth, and a colour of another size.
class ReadTargets : public ReadPart {
 protected:
  Pass read(const std::string& text) {
    const Node read = node(text);
    Pass pass{.name = "p", .place = read.place};
    read_targets(read, resources_, environment_, values_, pass);
    if (const Node* const clear = read.find("clear")) read_clears(*clear, resources_, values_, pass);
    return pass;
  }
  std::string problem_with(const std::string& text) {
    read(text);
    return problem();
  }

  std::vector<Resource> resources_{{.name = "colour", .place = {}},
                                   {.name = "depth", .place = {}, .format = Format::kDepth32},
                                   {.name = "half", .place = {}, .scale = 0.5}};
};

}  // namespace

TEST_F(ReadTargets, have_a_place_and_a_value_to_begin_with) {
  const Pass pass = read(R"({"targets": ["colour"], "depth": "depth", "clear": {"depth": 0.5}})");
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(written_by(pass), (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(pass.clears.size(), 2u);
  EXPECT_FALSE(pass.clears[0]);
  EXPECT_EQ(*pass.clears[1], (std::array<float, 4>{0.5f, 0, 0, 0}));
}

TEST_F(ReadTargets, exist_and_are_not_too_many) {
  EXPECT_EQ(problem_with("{}"), "a.json:1: expected a pass with \"targets\" or \"depth\", found neither");
  EXPECT_EQ(problem_with(R"({"targets": ["half", "colour"]})"),
            "a.json:1: expected targets of one size, found 'half' with a scale of 0.5 and 'colour' with a scale of 1");
  resources_[2].scale = 1;
  environment_.most_targets = 1;
  EXPECT_EQ(problem_with(R"({"targets": ["half", "colour"]})"), "a.json:1: expected at most 1 targets, found 2");
}

TEST_F(ReadTargets, begin_with_values_of_their_format) {
  EXPECT_EQ(problem_with(R"({"depth": "depth", "clear": {"depth": 2}})"),
            "a.json:1: expected a depth from 0 to 1, found the number 2");
  EXPECT_EQ(problem_with(R"({"targets": ["colour"], "clear": {"colour": 1}})"),
            "a.json:1: expected four numbers, found the number 1");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_targets) {
  expect_problems(
      {{"\"targets\": [\"lit\"]", "\"targets\": [\"lid\"]",
        "a.json:22: expected a global resource (depth, shadow, lit, half, image), found 'lid' | did you mean 'lit'?"},
       {"\"depth\": \"depth\", \"clear\"", "\"depth\": \"half\", \"clear\"",
        "a.json:22: expected a resource with a depth format, found 'half' with r8"},
       {"\"targets\": [\"half\"]", "\"targets\": [\"depth\"]",
        "a.json:23: expected a resource with a colour format, found 'depth' with depth32"},
       {"\"targets\": [\"half\"]", "\"targets\": [\"half\", \"half\"]",
        "a.json:23: expected each target once, found 'half' again"},
       {"\"targets\": [\"half\"]", "\"targets\": [\"half\", \"image\"]",
        "a.json:23: expected targets of one size, found 'half' with a scale of 0.5 and 'image' with a scale of 1"},
       {"\"clear\": {\"lit\": [0, 0, 0, 1],", "\"clear\": {\"lit\": [0, 0, 0],",
        "a.json:22: expected four numbers, found 3 values"},
       {"\"clear\": {\"lit\": [0, 0, 0, 1],", "\"clear\": {\"half\": [0, 0, 0, 1],",
        "a.json:22: expected a target of this pass (lit, depth), found 'half'"}});
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_targets_of_a_library) {
  expect_problems(
      {{"\"fragment\": \"blur.frag\"", "\"fragment\": \"blur.frag\", \"blend\": \"add\"",
        "a.json:23: expected a target that this device can blend for the shader 'blur', found 'half' with r8"}},
      true);
}

}  // namespace lab::render_config
