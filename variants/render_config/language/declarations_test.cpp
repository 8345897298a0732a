#include "variants/render_config/language/declarations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

TEST_F(ReadPart, shaders_name_files_and_state) {
  const std::vector<Shader> shaders = read_shaders(
      node(R"({"a": {"vertex": "a.vert", "blend": "add", "depth": "less", "depth_write": false}})").members, values_);
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(shaders[0].vertex, "a.vert");
  EXPECT_EQ(shaders[0].fragment, "");
  EXPECT_EQ(shaders[0].blend, Blend::kAdd);
  EXPECT_EQ(shaders[0].depth, DepthTest::kLess);
  EXPECT_FALSE(shaders[0].depth_write);
}

TEST_F(ReadPart, layers_get_the_shaders_of_materials) {
  std::vector<Layer> layers = read_layers(node(R"({"near": {"order": "b"}, "far": {}})").members, {"a", "b"}, values_);
  EXPECT_EQ(layers[0].order, 1u);
  EXPECT_EQ(layers[1].order, 0u);
  const std::vector<Shader> shaders{{.name = "s", .place = {}}, {.name = "t", .place = {}}};
  read_materials(node(R"({"glass": {"far": "t"}})").members, {"solid", "glass"}, shaders, values_, layers);
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(layers[0].shaders, (std::vector<std::optional<std::size_t>>{{}, {}}));
  EXPECT_EQ(layers[1].shaders, (std::vector<std::optional<std::size_t>>{{}, 1}));
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_shaders) {
  expect_problems({{"\"order\": \"front_to_back\"", "\"order\": \"random\"",
                    "a.json:14: expected an order (by_material, front_to_back, back_to_front), found 'random'"}});
}

TEST_F(ReadConfig, names_file_and_line_of_each_mistake_in_shaders_of_a_library) {
  expect_problems(
      {{"\"cull\": \"back\"", "\"cull\": \"bak\"",
        "library.json:3: expected cull (none, back, front), found 'bak' | did you mean 'back'?"},
       {"\"vertex\": \"mesh.vert\", \"depth\"", "\"fragment\": \"mesh.vert\", \"depth\"",
        "library.json:4: expected a shader with \"vertex\", found none"},
       {"\"depth_write\": false", "\"depth_write\": 0", "library.json:6: expected a boolean, found the number 0"},
       {"{\"solid\": {\"solid\"", "{\"stone\": {\"solid\"",
        "library.json:8: expected a material of the scene (solid, glass), found 'stone'"},
       {"\"shadow\": \"depth_only\"", "\"shadows\": \"depth_only\"",
        "library.json:8: expected a layer (solid, shadow), found 'shadows' | did you mean 'shadow'?"},
       {"\"shadow\": \"depth_only\"", "\"shadow\": \"depth\"",
        "library.json:8: expected a shader (mesh, depth_only, blur, show), found 'depth'"}},
      true);
}

}  // namespace lab::render_config
