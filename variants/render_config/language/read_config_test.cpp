#include "variants/render_config/language/read_config.h"

#include <gtest/gtest.h>

#include <string>

#include "variants/render_config/language/language_test.h"

namespace lab::render_config {

TEST_F(ReadConfig, resolves_all_names) {
  EXPECT_EQ(problem("512", "512"), "");
  const Expected<Config> config = read();
  ASSERT_TRUE(config) << config.error().what;
  ASSERT_EQ(config->frame.size(), 4u);
  const Pass& shadow = config->frame[0];
  EXPECT_EQ(shadow.name, "near[0]");
  EXPECT_EQ(shadow.view, 1u);
  EXPECT_EQ(config->resources[*shadow.depth].name, "shadow");
  EXPECT_EQ(config->resources[*shadow.depth].pixels, (std::array<std::uint32_t, 2>{512, 256}));
  EXPECT_EQ(config->shaders[*shadow.material_shaders[0]].name, "depth_only");
  EXPECT_FALSE(shadow.material_shaders[1]);
  const Pass& blur = config->frame[2];
  EXPECT_TRUE(blur.fullscreen);
  EXPECT_TRUE(blur.covers);
  EXPECT_TRUE(blur.inputs[0].linear);
  EXPECT_FALSE(blur.inputs[0].previous);
  EXPECT_TRUE(blur.inputs[1].previous);
  EXPECT_EQ(blur.inputs[1].resource, blur.targets[0]);
  EXPECT_EQ(config->histories(), (std::vector<bool>{false, false, false, true, false}));
  EXPECT_EQ(blur.constants[0].values, std::vector<float>{0.5f});
  EXPECT_EQ(blur.constants[1].values, (std::vector<float>{1, 2}));
  EXPECT_EQ(config->size_of(blur.targets[0], 101, 1), (std::array<std::uint32_t, 2>{50, 1}));
  EXPECT_EQ(config->resources[config->output].name, "image");
  EXPECT_FALSE(config->views[0].sphere);
}

TEST_F(ReadConfig, ends_for_any_bytes) {
  // Each byte of the good file cut out, doubled or changed: an answer, and never a crash.
  problem("512", "512");
  for (std::size_t i = 0; i < kGood.size(); ++i)
    for (const std::string& byte : {std::string(), std::string(2, kGood[i]), std::string("\""), std::string("7")}) {
      scratch_.write("a.json", kGood.substr(0, i) + byte + kGood.substr(i + 1));
      const Expected<Config> config = read();
      if (!config) {
        EXPECT_NE(config.error().what.find(".json:"), std::string::npos) << config.error().what;
      }
    }
}

}  // namespace lab::render_config
