#include "variants/render_config/language/passes.h"

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
    read_targets(read, scope_, pass);
    if (const Node* const clear = read.find("clear")) read_clears(*clear, scope_, pass);
    return pass;
  }
  std::string problem_with(const std::string& text) {
    read(text);
    return problem();
  }

  Config config_{.resources = {{.name = "colour", .place = {}},
                               {.name = "depth", .place = {}, .format = Format::kDepth32},
                               {.name = "half", .place = {}, .scale = 0.5}},
                 .views = {},
                 .shaders = {},
                 .frame = {}};
  std::vector<Layer> layers_;
  PassScope scope_{config_, layers_, environment_, values_};
};

class ReadPass : public ReadPart {
 protected:
  Pass read(const std::string& text) { return read_pass(node(text), "p", scope_); }
  std::string problem_with(const std::string& text) {
    read(text);
    return problem();
  }

  Config config_{.resources = {{.name = "a", .place = {}}, {.name = "b", .place = {}}},
                 .views = {{.name = "first", .place = {}}},
                 .shaders = {{.name = "fill", .place = {}}},
                 .frame = {}};
  std::vector<Layer> layers_{{.name = "solid", .order = 2, .shaders = {0}}};
  PassScope scope_{config_, layers_, environment_, values_};
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
  config_.resources[2].scale = 1;
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

TEST_F(ReadPass, draws_a_layer_or_a_triangle) {
  const Pass layer = read(R"({"draw": "solid", "targets": ["a"], "view": "first"})");
  EXPECT_FALSE(layer.fullscreen || layer.covers);
  EXPECT_EQ(layer.order, 2u);
  EXPECT_EQ(layer.material_shaders, std::vector<std::optional<std::size_t>>{0});
  EXPECT_EQ(layer.view, 1u);
  EXPECT_TRUE(read(R"({"fullscreen": "fill", "targets": ["a"]})").covers);
  EXPECT_FALSE(read(R"({"fullscreen": "fill", "targets": ["a"], "viewport": [0, 0, 1, 0.5]})").covers);
  config_.shaders[0].blend = Blend::kAdd;
  EXPECT_FALSE(read(R"({"fullscreen": "fill", "targets": ["a"]})").covers);
  EXPECT_EQ(problem(), "");
}

TEST_F(ReadPass, reads_other_images_than_it_writes) {
  const auto problem_of_input = [this](const std::string& input) {
    return problem_with(R"({"fullscreen": "fill", "targets": ["a"], "inputs": {"x": )" + input + "}}");
  };
  EXPECT_EQ(problem_of_input("\"b\""), "");
  EXPECT_EQ(problem_of_input(R"({"resource": "a", "previous": true})"), "");
  EXPECT_EQ(problem_of_input("\"a\""),
            "a.json:1: expected an input that the pass does not write, found 'a' | \"previous\": true reads what it "
            "held at the end of the last frame");
  EXPECT_EQ(problem_of_input(R"({"filter": "linear"})"), "a.json:1: expected an input with \"resource\", found none");
}

TEST_F(ReadPass, reads_eight_images_at_most) {
  std::string inputs;
  for (int i = 0; i < 9; ++i) inputs += (i == 0 ? "\"i" : ", \"i") + std::to_string(i) + "\": \"b\"";
  EXPECT_EQ(problem_with(R"({"fullscreen": "fill", "targets": ["a"], "inputs": {)" + inputs + "}}"),
            "a.json:1: expected at most 8 inputs, found 9");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_passes) {
  expect_problems(
      {{"\"fullscreen\": \"blur\"", "\"fullscreen\": \"blurr\"",
        "a.json:23: expected a shader (mesh, depth_only, blur, show), found 'blurr' | did you mean 'blur'?"},
       {"\"draw\": \"solid\"", "\"draw\": \"glass\"", "a.json:22: expected a layer (solid, shadow), found 'glass'"},
       {"\"view\": \"first\"", "\"view\": \"second\"", "a.json:17: expected a view (camera, first), found 'second'"},
       {"\"targets\": [\"half\"]", "\"targets\": [\"lit\"]",
        "a.json:23: expected an input that the pass does not write, found 'lit' | \"previous\": true reads what it "
        "held "
        "at the end of the last frame"},
       {"\"previous\": true", "\"previous\": false",
        "a.json:24: expected an input that the pass does not write, found 'half' | \"previous\": true reads what it "
        "held "
        "at the end of the last frame"},
       {"\"previous\": true", "\"previous\": 1", "a.json:24: expected a boolean, found the number 1"},
       {"\"previous\": true", "\"last\": true",
        "a.json:24: expected a field (resource, filter, previous), found 'last'"},
       {"{\"resource\": \"half\", \"previous\": true}}", "{\"resource\": \"shadow\", \"previous\": true}}", ""},
       {"{\"resource\": \"lit\", \"filter\": \"linear\"}", "{\"resource\": \"depth\", \"filter\": \"linear\"}",
        "a.json:23: expected a resource that this device can filter, found 'depth' with depth32"},
       {"{\"resource\": \"lit\", \"filter\": \"linear\"}", "{\"resource\": \"lit\", \"filter\": \"cubic\"}",
        "a.json:23: expected filter (nearest, linear), found 'cubic'"},
       {"\"offset\": [1, 2]", "\"offset\": [1, \"2\"]",
        "a.json:24: expected a number from -1000000000 to 1000000000, found '2'"},
       {"\"offset\": [1, 2]", "\"offset\": []", "a.json:24: expected 1 to 4 numbers, found 0 values"},
       {"\"viewport\": [0, 0, 0.5, 1]", "\"viewport\": [0.75, 0, 0.5, 1]",
        "a.json:17: expected a viewport within 0 to 1, found it from 0.75 to 1.25"},
       {"\"viewport\": [0, 0, 0.5, 1]", "\"viewport\": [0, 0, 1]",
        "a.json:17: expected x, y, width and height, found 3 values"}});
}

}  // namespace lab::render_config
