#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "harness/report/sample_test.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// Two columns that differ in one of two kinds of images, and refuse one image.
std::vector<results::DriverColumn> small_atlas() {
  std::vector<results::DriverColumn> atlas(2);
  for (std::size_t i = 0; i < 2; ++i) {
    atlas[i].name = i == 0 ? "a-1" : "b-1-simulated";
    atlas[i].driver.short_name = i == 0 ? "a" : "b";
    atlas[i].images = {{1, 1, 64, 64, 1}, {1, 2, 0, 0, 0}};
    atlas[i].refused = {{"image 1x2", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
    results::SweepAnswers wide{"wide", {"", "no sparse, binding"}, {}, {}};
    wide.images = {{{"R8_UNORM", "2d", "linear", "sampled", ""}, {{4, 4, 1, {64 + i, 16, 1, 0, {}}}}},
                   {{"R8_UNORM", "2d", "optimal", "sampled", "sparse binding"}, {{300, 4, 1, {0, 0, 0, 1, {}}}}}};
    wide.buffers = {{{"index buffer", ""}, {{100, {112, 16, 1, 0, {}}}}}};
    atlas[i].sweeps = {wide, {"million", {""}, wide.images, {}}};
  }
  atlas[1].driver.simulated = results::SimulatedDevice{"chip", "shim", {}};
  return atlas;
}

}  // namespace

TEST(AtlasMatrix, has_each_answer_once_for_all_columns_that_share_it) {
  const Matrix matrix = atlas_matrix(small_atlas());
  const json::array& blocks = matrix.data.at("blocks").as_array();
  ASSERT_EQ(blocks.size(), 5u);
  EXPECT_EQ(json::serialize(blocks[0]), R"({"format":"R8G8B8A8_UNORM","rows":["1x1 R8G8B8A8_UNORM, optimal, sampled",)"
                                        R"("1x2 R8G8B8A8_UNORM, optimal, sampled"],"extents":[1,2],)"
                                        R"("refusals":["VK_ERROR_OUT_OF_DEVICE_MEMORY"],"tables":[[64,64,-1,0]]})");
  EXPECT_EQ(json::serialize(blocks[2].at("tables")), "[[64,16],[65,16]]");
  EXPECT_EQ(json::serialize(blocks[4].at("extents")), "[null]");
  const std::string simulated = "b-1-simulated (real driver, simulated device)";
  EXPECT_EQ(json::serialize(matrix.data.at("columns")),
            R"([{"label":"a-1","members":[{"name":"a-1","driver":"a","chip":"","index":0}],"tables":[0,null,0,0,0]},)"
            R"({"label":")" +
                simulated + R"(","members":[{"name":")" + simulated +
                R"(","driver":"b","chip":"chip","index":1}],"tables":[0,null,1,0,0]}])");
}

TEST(AtlasMatrix, gives_columns_with_equal_answers_one_place_and_leaves_out_those_without) {
  std::vector<results::DriverColumn> atlas = small_atlas();
  atlas[1].sweeps = atlas[0].sweeps;
  atlas.emplace_back().name = "failed";
  const json::array columns = atlas_matrix(atlas).data.at("columns").as_array();
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(columns[0].at("members").as_array().size(), 2u);
  EXPECT_TRUE(atlas_matrix({}).data.at("columns").as_array().empty());
}

TEST(AtlasMatrix, is_a_csv_file_that_says_which_devices_are_simulated) {
  EXPECT_EQ(atlas_matrix(small_atlas()).csv,
            "query,a-1 size,a-1 alignment,\"b-1-simulated (real driver, simulated device) size\",\"b-1-simulated (real "
            "driver, simulated device) alignment\"\n"
            "\"1x1 R8G8B8A8_UNORM, optimal, sampled\",64,64,64,64\n"
            "\"1x2 R8G8B8A8_UNORM, optimal, "
            "sampled\",VK_ERROR_OUT_OF_DEVICE_MEMORY,,VK_ERROR_OUT_OF_DEVICE_MEMORY,\n"
            "\"4x4 R8_UNORM, linear, sampled\",64,16,65,16\n"
            "\"300x4 R8_UNORM, optimal, sampled, sparse binding\",\"no sparse, binding\",,\"no sparse, binding\",\n"
            "\"100 bytes, index buffer\",112,16,112,16\n");
}

}  // namespace lab::report
