#include "variants/render_config/language/shaders.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

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
