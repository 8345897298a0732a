#include "variants/render_config/language/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

namespace {

class RunGenerators : public ReadPart {
 protected:
  /// The names of the frame's passes.
  std::vector<std::string> run(const std::string& generators, const std::string& frame) {
    const Node section = node(generators);
    check_generators(section.members, scope_);
    return names_of(problems_.any() ? std::vector<Pass>() : run_generators(node(frame), section.members, scope_));
  }

  Config config_{
      .resources = {{.name = "a", .place = {}}}, .views = {}, .shaders = {{.name = "s", .place = {}}}, .frame = {}};
  std::vector<Layer> layers_;
  PassScope scope_{config_, layers_, environment_, values_};
};

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

TEST_F(RunGenerators, in_the_order_of_the_frame) {
  const std::string pass = R"({"fullscreen": "s", "targets": ["a"]})";
  EXPECT_EQ(run("{\"x\": [" + pass + R"(, {"generate": "y", "when": {"on": true}}], "y": [)" + pass + "]}",
                R"(["y", {"generate": "x", "when": {"name": "x"}}, {"generate": "x", "when": {"name": "z"}}])"),
            (std::vector<std::string>{"y[0]", "x[0]", "y[0]"}));
  EXPECT_EQ(problem(), "");
}

TEST_F(RunGenerators, and_finds_mistakes_in_those_that_do_not_run) {
  run(R"({"x": [{"generate": "y"}]})", "[]");
  EXPECT_EQ(problem(), "a.json:1: expected a resource generator (x), found 'y' | did you mean 'x'?");
  run(R"({"x": [1]})", "[]");
  EXPECT_EQ(problem(), "a.json:1: expected a pass, found the number 1");
  run("{}", R"([{"when": {}}])");
  EXPECT_EQ(problem(), "a.json:1: expected an entry of the frame with \"generate\", found none");
}

TEST_F(ReadConfig, leaves_out_what_the_settings_leave_out) {
  EXPECT_EQ(problem("\"shadows\": \"near\"", "\"shadows\": \"none\""), "");
  EXPECT_EQ(read()->frame.size(), 3u);
}

TEST_F(ReadConfig, a_generator_that_doubles_at_every_level_is_refused) {
  std::string generators = "\"g0\": [{\"fullscreen\": \"show\", \"inputs\": {}, \"targets\": [\"image\"]}]";
  for (int i = 1; i < 40; ++i)
    generators += ", \"g" + std::to_string(i) + "\": [{\"generate\": \"g" + std::to_string(i - 1) +
                  "\"}, {\"generate\": \"g" + std::to_string(i - 1) + "\"}]";
  problem("512", "512");
  scratch_.write("b.json",
                 "{\"extends\": \"a.json\", \"resource_generators\": {" + generators + "}, \"frame\": [\"g39\"]}");
  EXPECT_EQ(problem_of("b.json"), "b.json:1: expected at most 256 passes in a frame, found more");
  generators.replace(0, generators.find("}]") + 2, "\"g0\": []");
  scratch_.write("b.json",
                 "{\"extends\": \"a.json\", \"resource_generators\": {" + generators + "}, \"frame\": [\"g39\"]}");
  EXPECT_EQ(problem_of("b.json"), "b.json:1: expected at most 1024 runs of generators in a frame, found more");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_generators) {
  expect_problems(
      {{"{\"generate\": \"near\", \"when\"", "{\"generate\": \"main\", \"when\"",
        "a.json:21: expected generators that do not run each other in a circle, found main -> main"},
       {"{\"generate\": \"near\", \"when\"", "{\"generate\": \"nearer\", \"when\"",
        "a.json:21: expected a resource generator (near, far, main, show), found 'nearer' | did you mean 'near'?"},
       {"\"when\": {\"shadows\": \"near\"}", "\"when\": {\"shadows\": 1}",
        "a.json:21: expected a string, as the setting 'shadows' is, found the number 1"},
       {"\"when\": {\"effect\": true}", "\"when\": {\"effects\": true}",
        "a.json:30: expected a setting (size, effect, shadows, strength), found 'effects' | did you mean 'effect'?"},
       {"\"far\": []", "\"far\": [{\"targets\": [\"lit\"]}]",
        "a.json:19: expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", found none"},
       {"\"far\": []", "\"far\": 3", "a.json:19: expected an array of passes, found the number 3"},
       {"{\"fullscreen\": \"show\",", "{\"fullscreen\": \"show\", \"draw\": \"solid\",",
        "a.json:27: expected a pass with one of \"draw\", \"fullscreen\" and \"generate\", found two"}});
}

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
