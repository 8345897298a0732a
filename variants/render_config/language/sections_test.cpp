#include "variants/render_config/language/sections.h"

#include <gtest/gtest.h>

#include <string>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

TEST_F(ReadPart, sections_of_all_files_are_merged) {
  FileSet files;
  files.provide("base.json", R"({"layers": {"a": 1, "b": 2}, "frame": ["old"], "shader_libraries": ["one.json"]})");
  files.provide("one.json", R"({"shaders": {"s": 1}, "materials": {"m": {"a": "s"}}})");
  files.provide("two.json", R"({"shaders": {"s": 2}, "materials": {"m": {"b": "s"}}})");
  files.provide("top.json", R"({"extends": "base.json", "layers": {"b": 3, "c": 4}, "frame": ["new"],
                               "shader_libraries": ["two.json"]})");
  const Sections sections = read_sections("top.json", files, problems_);
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(names_of(sections.layers), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(sections.layers[1].value.number, 3);
  EXPECT_EQ(sections.frame->items[0].text, "new");
  ASSERT_EQ(sections.shaders.size(), 1u);
  EXPECT_EQ(sections.shaders[0].value.place.file, "two.json");
  EXPECT_EQ(names_of(sections.materials[0].value.members), (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(sections.output);
}

TEST_F(ReadPart, sections_have_names_that_can_be_shown) {
  const auto problem_with = [this](const std::string& text) {
    FileSet files;
    files.provide("a.json", text);
    read_sections("a.json", files, problems_);
    return problem();
  };
  EXPECT_EQ(problem_with("{\"layers\": {\"\": {}}}"), "a.json:1: expected a name, found ''");
  EXPECT_EQ(problem_with("{\"layers\": {\"\\u0007\": {}}}"), "a.json:1: expected a name that can be shown, found '?'");
  EXPECT_EQ(problem_with("[]"), "a.json:1: expected an object, found an array");
  std::string many = "{\"views\": {\"0\": {}";
  for (int i = 1; i <= 1024; ++i) many += ", \"" + std::to_string(i) + "\": {}";
  EXPECT_EQ(problem_with(many + "}}"), "a.json:1: expected at most 1024 names in views, found more");
}

TEST_F(ReadPart, sections_come_from_64_files_at_most) {
  FileSet files;
  for (int i = 0; i < 65; ++i)
    files.provide(std::to_string(i) + ".json", "{\"extends\": \"" + std::to_string(i + 1) + ".json\"}");
  read_sections("0.json", files, problems_);
  EXPECT_EQ(problem(), "63.json:1: expected at most 64 files, found more");
}

TEST_F(ReadPart, sections_of_a_file_that_nobody_names_have_no_line) {
  FileSet files;
  read_sections("/none/a.json", files, problems_);
  EXPECT_EQ(problem(), "/none/a.json: No such file or directory");
}

TEST_F(ReadConfig, settings_override_those_of_the_render_config) {
  problem("512", "512");
  scratch_.write("settings.json", R"({"render_config": "a.json", "settings": {"shadows": "far", "size": 64}})");
  const Expected<Config> config = read("settings.json");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->frame.size(), 3u);
  EXPECT_EQ(config->resources[1].pixels[0], 64u);
  scratch_.write("settings.json", "{\"render_config\": \"a.json\",\n\"settings\": {\"sizes\": 64}}");
  EXPECT_EQ(
      problem_of("settings.json"),
      "settings.json:2: expected a setting of the render config (size, effect, shadows, strength), found 'sizes' | "
      "did you mean 'size'?");
  scratch_.write("settings.json", "{\"render_config\": \"a.json\",\n\"settings\": {\"size\": true}}");
  EXPECT_EQ(
      problem_of("settings.json"),
      "settings.json:2: expected a number for the setting 'size', as its default the number 512 in a.json:3, found "
      "true");
  scratch_.write("settings.json", "{\"render_config\":\n \"b.json\"}");
  EXPECT_EQ(problem_of("settings.json"),
            "settings.json:2: expected a render config, found no 'b.json': No such file or directory");
}

TEST_F(ReadConfig, extends_another_one) {
  problem("512", "512");
  scratch_.write("b.json", R"({"extends": "a.json", "settings": {"size": 32}, "frame": ["main", "show"],
                               "resource_generators": {"near": []}})");
  const Expected<Config> config = read("b.json");
  ASSERT_TRUE(config) << config.error().what;
  EXPECT_EQ(config->frame.size(), 3u);
  EXPECT_EQ(config->resources[1].pixels[0], 32u);
  EXPECT_EQ(files_.files().size(), 3u);
  scratch_.write("c.json", "{\n\"extends\": \"d.json\"}");
  scratch_.write("d.json", "{\"extends\":\n\n\"c.json\"}");
  EXPECT_EQ(problem_of("c.json"),
            "d.json:3: expected files that do not extend each other in a circle, found 'c.json' again");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_its_sections) {
  expect_problems(
      {{"\"frame\":", "\"frames\":",
        "a.json:30: expected a field (extends, shader_libraries, settings, global_resources, views, layers, "
        "resource_generators, frame, output), found 'frames' | did you mean 'frame'?"},
       {"\"strength\": 0.5", "\"strength\": [0.5]",
        "a.json:3: expected a number, a boolean or a string for the setting 'strength', found an array"},
       {"[\"library.json\"]", "[\"lib.json\"]",
        "a.json:2: expected a shader library, found no 'lib.json': No such file or directory"}});
}

}  // namespace lab::render_config
