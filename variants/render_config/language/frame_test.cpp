#include "variants/render_config/language/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

namespace {

/// A pass that draws one resource and perhaps reads another.
Pass drawing(std::size_t resource, std::vector<Input> inputs = {}) {
  return {.name = "p",
          .place = {"a.json", 5},
          .targets = {resource},
          .clears = {std::nullopt},
          .covers = true,
          .inputs = std::move(inputs)};
}

std::string problem_of(const Config& config) {
  Problems problems;
  check_frame(config, {"a.json", 1}, {"a.json", 2}, problems);
  return problems.any() ? problems.first().what : "";
}

}  // namespace

TEST(CheckFrame, each_resource_is_written_before_it_is_read) {
  Config config{
      .resources = {{.name = "a", .place = {}}, {.name = "b", .place = {}}}, .views = {}, .shaders = {}, .frame = {}};
  EXPECT_EQ(problem_of(config), "a.json:1: expected a frame with at least one pass, found none");
  const Input input{.name = "x", .place = {"a.json", 6}, .resource = 1};
  config.frame = {drawing(0, {input}), drawing(1)};
  EXPECT_EQ(problem_of(config), "a.json:6: expected a resource that an earlier pass of the frame writes, found 'b'");
  config.frame = {drawing(1), drawing(0, {input})};
  EXPECT_EQ(problem_of(config), "");
  config.frame[0].covers = false;
  EXPECT_EQ(problem_of(config),
            "a.json:5: expected \"clear\" for 'b', because no earlier pass of the frame writes it, found none");
}

TEST(CheckFrame, the_output_can_be_shown) {
  Config config{.resources = {{.name = "a", .place = {}}}, .views = {}, .shaders = {}, .frame = {drawing(0)}};
  config.resources[0].scale = 0.5;
  EXPECT_EQ(problem_of(config), "a.json:2: expected an output with a scale of 1, found 'a' with a scale of 0.5");
  config.resources.push_back({.name = "b", .place = {}});
  config.output = 1;
  EXPECT_EQ(problem_of(config), "a.json:2: expected an output that a pass of the frame writes, found 'b'");
}

TEST_F(ReadConfig, what_is_read_as_of_the_last_frame_is_written_in_each_frame) {
  problem("512", "512");
  const std::string config = R"({"extends": "a.json", "settings": {"shadows": "near"}, "resource_generators": {"show": [
      {"fullscreen": "show", "inputs": {"lit": "lit", "half": {"resource": "shadow", "previous": true}},
       "targets": ["image"]}]}})";
  scratch_.write("b.json", config);
  EXPECT_EQ(problem_of("b.json"), "");
  scratch_.write("b.json", std::string(config).replace(config.find("near"), 4, "none"));
  EXPECT_EQ(problem_of("b.json"),
            "b.json:2: expected a resource that a pass of the frame writes, to read what it held at the end of the "
            "last frame, found 'shadow'");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_the_frame) {
  expect_problems(
      {{"\"output\": \"image\"", "\"output\": \"imag\"",
        "a.json:31: expected a global resource (depth, shadow, lit, half, image), found 'imag' | did you mean "
        "'image'?"},
       {"\"output\": \"image\"", "\"output\": \"lit\"",
        "a.json:31: expected an output of the format rgba8, found 'lit' with rgba16f"},
       {"{\"resource\": \"half\", \"previous\": true}}", "{\"resource\": \"image\", \"previous\": true}}",
        "a.json:24: expected a resource other than the output, to read what it held at the end of the last frame, "
        "found "
        "'image' | what shows the output may draw over it: a pass can copy it to another resource before"},
       {", \"clear\": {\"lit\": [0, 0, 0, 1], \"depth\": 1}", "",
        "a.json:22: expected \"clear\" for 'lit', because no earlier pass of the frame writes it, found none"},
       {"[\"main\", {", "[{", "a.json:27: expected a resource that an earlier pass of the frame writes, found 'lit'"},
       {"[\"main\", {\"generate\": \"show\", \"when\": {\"effect\": true}}]", "[]",
        "a.json:30: expected a frame with at least one pass, found none"}});
}

}  // namespace lab::render_config
