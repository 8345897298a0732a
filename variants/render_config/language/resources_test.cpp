#include "variants/render_config/language/resources.h"

#include <gtest/gtest.h>

#include <string>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

TEST_F(ReadPart, resources_have_a_format_and_a_size) {
  const std::vector<Resource> resources = read_resources(
      node(R"({"a": {"format": "r8", "scale": 0.5}, "b": {"format": "depth16", "pixels": ["$size", 2]}})").members,
      environment_, values_);
  EXPECT_EQ(problem(), "");
  ASSERT_EQ(resources.size(), 2u);
  EXPECT_EQ(format_name(resources[0]) + ", " + size_name(resources[0]), "r8, a scale of 0.5");
  EXPECT_EQ(format_name(resources[1]) + ", " + size_name(resources[1]), "depth16, 64 x 2 pixels");
}

TEST_F(ReadPart, resources_name_their_mistakes) {
  const auto problem_with = [this](const std::string& resource) {
    read_resources(node("{\"a\": " + resource + "}").members, environment_, values_);
    return problem();
  };
  EXPECT_EQ(problem_with("1"), "a.json:1: expected an object that describes a resource, found the number 1");
  EXPECT_EQ(problem_with("{}"), "a.json:1: expected a resource with \"format\", found none");
  EXPECT_EQ(problem_with(R"({"format": "r8", "scale": 1, "pixels": [1, 1]})"),
            "a.json:1: expected \"scale\" or \"pixels\", found both");
  EXPECT_EQ(problem_with(R"({"format": "r8", "pixels": [1]})"),
            "a.json:1: expected a width and a height, found 1 values");
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_resources) {
  expect_problems(
      {{"\"format\": \"r8\"", "\"format\": \"rgb8\"",
        "a.json:8: expected a format that this device can draw to and sample (r8, rg8, rgba8, r16f, rg16f, rgba16f, "
        "r32f, "
        "rg32f, rgba32f, rgb10a2, r11g11b10f, rgb16f, rgb32f, depth16, depth24, depth32, depth24_stencil8), found "
        "'rgb8'"},
       {"\"format\": \"r8\"", "\"format\": 8", "a.json:8: expected format, found the number 8"},
       {"\"scale\": 0.5", "\"scale\": 0", "a.json:8: expected a scale from 0.0009765625 to 4, found the number 0"},
       {"\"pixels\": [\"$size\", 256]", "\"pixels\": [\"$size\", 5000]",
        "a.json:6: expected a whole number from 1 to 4096, found the number 5000"},
       {"\"pixels\": [\"$size\", 256]", "\"pixels\": [\"$siz\", 256]",
        "a.json:6: expected a setting after '$' (size, effect, shadows, strength), found 'siz' | did you mean 'size'?"},
       {"\"pixels\": [\"$size\", 256]", "\"pixels\": [\"$effect\", 256]",
        "a.json:6: expected a whole number from 1 to 4096, found true"}});
}

}  // namespace lab::render_config
