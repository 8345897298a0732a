#include "harness/results/atlas.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <fstream>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

namespace fs = std::filesystem;

class Atlas : public testing::Test {
 protected:
  std::string content(const std::string& name) const { return *read_file(dir_ / "radv-22.3.6-navi10" / name); }
  void replace(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = content(name);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    std::ofstream(dir_ / "radv-22.3.6-navi10" / name) << text.replace(at, from.size(), to);
  }
  std::string complaint() const {
    const Expected<DriverColumn> column = load_column(dir_ / "radv-22.3.6-navi10");
    return column ? "" : column.error().what.substr(column.error().what.rfind('/') + 1);
  }

  ScratchFolder scratch_;
  const fs::path& dir_ = scratch_.path();
};

DriverColumn full_column() {
  DriverColumn c;
  c.name = "radv-22.3.6-navi10";
  c.probed_at = "2026-01-31T23:59:59Z";
  c.seconds = 0.25;
  c.probe = {{"version", 1}, {"loader", "/lib/libvulkan.so.1"}, {"loader_version", "1.3.239"}};
  c.driver = {.short_name = "radv",
              .version = "22.3.6",
              .id = "VK_DRIVER_ID_MESA_RADV",
              .name = "radv",
              .info = "Mesa 22.3.6",
              .conformance = "1.3.0.0",
              .device_name = "AMD \"X\"",
              .device_type = "discrete gpu",
              .vendor_id = 0x1002,
              .device_id = 0x731f,
              .api_version = "1.3.230",
              .driver_version = 92286982,
              .device_uuid = "00112233445566778899aabbccddeeff",
              .driver_uuid = "",
              .cache_uuid = "ff",
              .manifest = "/m.json",
              .library = "/lib.so",
              .pinned = true};
  c.heaps = {{8589934592u, {"device local"}}, {std::uint64_t{1} << 63, {}}};
  c.memory_types = {{0, {"device local"}}, {1, {"host visible", "host coherent"}}};
  c.limits = {{"maxMemoryAllocationCount", 4096u},
              {"maxMemoryAllocationSize", UINT64_MAX},
              {"lineWidthRange", {1.0, 7.5}},
              {"minTexelOffset", -8}};
  c.environment = {{"RADV_DEBUG", "nodcc"}};
  c.driconf = {"~/.drirc"};
  c.entry_points = {"vkGetImageMemoryRequirements"};
  c.images = {{1, 1, 4096, 4096, 3}, {1, 2, 0, 0, 0}, {4096, 4096, 67108864, 65536, UINT32_MAX}};
  c.buffers = {{1, 16, 16}, {800000000, 800000000, 16}};
  c.buffer_memory_type_bits = {3, 7};
  c.refused = {{"image 1x2", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  SweepAnswers& wide = c.sweeps.emplace_back();
  wide.name = "wide";
  wide.refusals = {"", "at most 2048x2048"};
  wide.images = {
      {{"R8G8B8A8_UNORM", "2d", "optimal", "sampled+transfer dst", "", 0, 6, 1},
       {{64, 64, 1, {32768, 4096, 3, 0, Dedicated::kPreferred}}, {4096, 4096, 1, {0, 0, 0, 1}}}},
      {{"BC7_UNORM_BLOCK", "2d", "optimal", "sampled", "cube compatible", 1, 6, 1}, {{4, 4, 1, {96, 16, 1}}}}};
  wide.buffers = {{{"uniform buffer", "sparse binding"}, {{1, {16, 16, 7, 0, Dedicated::kRequired}}}}};
  c.contradicted = 2;
  c.contradictions = {{"64x64 R8G8B8A8_UNORM", "4096 bytes", "8192 bytes"}};
  c.failure = ProbeFailure{"crash", "SIGSEGV while in vkCreateImage", "boom\n"};
  c.validation = {"VUID-x"};
  return c;
}

}  // namespace

TEST_F(Atlas, is_read_as_it_was_written) {
  const DriverColumn written = full_column();
  ASSERT_TRUE(save_column(written, dir_));
  const Expected<std::vector<DriverColumn>> read = load_atlas(dir_);
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(boost::json::serialize(to_json(read->front(), true)), boost::json::serialize(to_json(written, true)));
  EXPECT_EQ(read->front().driver, written.driver);
  EXPECT_EQ(read->front().images, written.images);
  EXPECT_EQ(read->front().sweeps, written.sweeps);
  EXPECT_EQ(read->front().probed_at, written.probed_at);
  EXPECT_EQ(read->front().seconds, written.seconds);
  EXPECT_EQ(read->front().failure, written.failure);
  EXPECT_EQ(read->front().limit("maxMemoryAllocationSize"), UINT64_MAX);
  EXPECT_EQ(read->front().limit("minTexelOffset"), std::nullopt);
  EXPECT_EQ(read->front().limit("lineWidthRange"), std::nullopt);
}

TEST_F(Atlas, marks_a_simulated_device_and_reads_columns_from_before_there_were_any) {
  DriverColumn column = full_column();
  column.driver.simulated = SimulatedDevice{"navi10", "amdgpu_noop_drm_shim", {{"AMDGPU_GPU_ID", "navi10"}}};
  ASSERT_TRUE(save_column(column, dir_));
  EXPECT_NE(content("column.json").find("real driver, simulated device"), std::string::npos);
  EXPECT_EQ(load_column(dir_ / column.name)->driver, column.driver);

  column.driver.simulated.reset();
  ASSERT_TRUE(save_column(column, dir_));
  EXPECT_EQ(content("column.json").find("real driver, simulated device"), std::string::npos);
  replace("column.json", ",\n    \"simulated\": null", "");
  const Expected<DriverColumn> old = load_column(dir_ / column.name);
  ASSERT_TRUE(old) << old.error().what;
  EXPECT_EQ(old->driver, column.driver);
}

TEST_F(Atlas, has_the_contracts_csv_tables) {
  ASSERT_TRUE(save_column(full_column(), dir_, true));
  EXPECT_EQ(content("images.csv"),
            "width,height,size,alignment,memory_type_bits\n1,1,4096,4096,3\n1,2,0,0,0\n"
            "4096,4096,67108864,65536,4294967295\n");
  EXPECT_EQ(content("buffers.csv"), "length,size,alignment\n1,16,16\n800000000,800000000,16\n");
  EXPECT_EQ(content("image-sizes.txt"),
            "# Width Height Size Alignment\n1 1 4096 4096\n1 2 0 0\n4096 4096 67108864 65536\n");
  EXPECT_EQ(content("buffer-sizes.txt"), "# Length Size Alignment\n1 16 16\n800000000 800000000 16\n");
}

TEST_F(Atlas, has_every_query_in_its_rows) {
  ASSERT_TRUE(save_column(full_column(), dir_));
  EXPECT_EQ(content("wide-images.csv"),
            "format,type,tiling,usage,flags,mip_levels,array_layers,samples,width,height,depth,size,alignment,"
            "memory_type_bits,dedicated,refused\n"
            "R8G8B8A8_UNORM,2d,optimal,sampled+transfer dst,,0,6,1,64,64,1,32768,4096,3,preferred,\n"
            "R8G8B8A8_UNORM,2d,optimal,sampled+transfer dst,,0,6,1,4096,4096,1,0,0,0,,at most 2048x2048\n"
            "BC7_UNORM_BLOCK,2d,optimal,sampled,cube compatible,1,6,1,4,4,1,96,16,1,,\n");
  EXPECT_EQ(content("wide-buffers.csv"),
            "usage,flags,length,size,alignment,memory_type_bits,dedicated,refused\n"
            "uniform buffer,sparse binding,1,16,16,7,required,\n");
}

TEST_F(Atlas, differs_in_one_file_between_two_runs) {
  DriverColumn column = full_column();
  ASSERT_TRUE(save_column(column, dir_));
  const std::string before = content("column.json");
  column.probed_at = "2027-01-31T23:59:59Z";
  column.seconds = 9;
  ASSERT_TRUE(save_column(column, dir_));
  EXPECT_EQ(content("column.json"), before);
  EXPECT_EQ(content("asked.json"), "{\"asked\":\"2027-01-31T23:59:59Z\",\"seconds\":9}\n");
}

TEST_F(Atlas, reads_a_column_of_an_older_version) {
  ASSERT_TRUE(save_column(full_column(), dir_));
  fs::remove(dir_ / "radv-22.3.6-navi10/asked.json");
  replace("column.json", "\"probe\":", "\"asked\": \"2025-01-01T00:00:00Z\", \"seconds\": 3,\n  \"probe\":");
  const Expected<DriverColumn> column = load_column(dir_ / "radv-22.3.6-navi10");
  ASSERT_TRUE(column) << column.error().what;
  EXPECT_EQ(column->probed_at, "2025-01-01T00:00:00Z");
  EXPECT_EQ(column->seconds, 3);
}

TEST_F(Atlas, replaces_a_column_completely_and_leaves_no_temporary_folder) {
  ASSERT_TRUE(save_column(full_column(), dir_, true));
  DriverColumn second = full_column();
  second.images.pop_back();
  ASSERT_TRUE(save_column(second, dir_));
  EXPECT_EQ(load_atlas(dir_)->front().images.size(), 2u);
  EXPECT_FALSE(fs::exists(dir_ / second.name / "image-sizes.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 1);
}

TEST_F(Atlas, stays_valid_with_several_concurrent_writers) {
  std::vector<std::thread> writers;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      DriverColumn column = full_column();
      column.validation.resize(static_cast<std::size_t>(i), "complaint");
      for (int round = 0; round < 20; ++round) failed += !save_column(column, dir_);
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(load_atlas(dir_)->size(), 1u);
}

TEST_F(Atlas, of_a_missing_folder_is_empty) {
  const Expected<std::vector<DriverColumn>> columns = load_atlas(dir_ / "none");
  ASSERT_TRUE(columns);
  EXPECT_TRUE(columns->empty());
}

TEST_F(Atlas, is_completed_by_the_reference_columns_that_it_lacks) {
  DriverColumn own = full_column(), other = full_column();
  own.seconds = 7;
  other.name = "anv-22.3.6-hd620";
  ASSERT_TRUE(save_column(own, dir_ / "own"));
  ASSERT_TRUE(save_column(full_column(), dir_ / "reference"));
  ASSERT_TRUE(save_column(other, dir_ / "reference"));
  const Expected<std::vector<DriverColumn>> columns = load_atlas(dir_ / "own", dir_ / "reference");
  ASSERT_TRUE(columns && columns->size() == 2);
  EXPECT_EQ(columns->at(0).name, other.name);
  EXPECT_TRUE(columns->at(0).kept);
  EXPECT_FALSE(columns->at(1).kept);
  EXPECT_EQ(columns->at(1).seconds, 7);
  EXPECT_EQ(load_atlas(dir_ / "none", dir_ / "reference")->size(), 2u);
  EXPECT_EQ(load_atlas(dir_ / "own", dir_ / "none")->size(), 1u);
}

TEST_F(Atlas, that_cannot_be_written_leaves_no_partial_folder) {
  std::ofstream(dir_ / "file") << "not a folder";
  const Expected<void> saved = save_column(full_column(), dir_ / "file");
  ASSERT_FALSE(saved);
  EXPECT_NE(saved.error().what.find("Not a directory"), std::string::npos) << saved.error().what;
}

TEST_F(Atlas, reports_the_error_in_an_invalid_file) {
  struct Bad {
    const char *file, *from, *to, *complaint;
  };
  const Bad table[] = {
      {"images.csv", "width,", "breadth,",
       "images.csv' line 1: expected 'width,height,size,alignment,memory_type_bits', found "
       "'breadth,height,size,alignment,memory_type_bits'"},
      {"images.csv", "1,1,4096", "1,-1,4096", "images.csv' line 2: expected a whole number, found '1,-1,4096,4096,3'"},
      {"images.csv", "1,1,4096,4096,3", "1,1,4096,4096",
       "images.csv' line 2: expected more fields, found '1,1,4096,4096'"},
      {"images.csv", "1,1,4096,4096,3", "1,1,4096,4096,3,",
       "images.csv' line 2: expected fewer fields, found '1,1,4096,4096,3,'"},
      {"images.csv", "1,1,4096,4096,3\n", "", "images.csv': expected 3 rows as column.json says, found 2"},
      {"images.csv", "4294967295\n", "429",
       "images.csv' line 4: expected a complete line, found '4096,4096,67108864,65536,429'"},
      {"images.csv", "4294967295", "4294967296",
       "images.csv' line 4: expected a number of 32 bits, found '4096,4096,67108864,65536,4294967296'"},
      {"buffers.csv", "800000000", "99999999999999999999",
       "buffers.csv' line 3: expected a number of 64 bits, found '99999999999999999999,800000000,16'"},
      {"column.json", "\"schema\": 1", "\"schema\": 9", "column.json': schema 9, this build reads 1"},
      {"column.json", "{", "[", "column.json': not JSON: byte 12: syntax error before ': 1,'"},
      {"column.json", "\"size\":8589934592", "\"size\":-1",
       "column.json': heaps[0].size: expected a whole number from 0, found -1"},
      {"asked.json", "\"asked\"", "\"taken\"", "asked.json': asked: missing"},
      {"wide-images.csv", "format,type", "type,format",
       "wide-images.csv' line 1: expected 'format,type,tiling,usage,flags,mip_levels,array_layers,samples,width,height,"
       "depth,size,alignment,memory_type_bits,dedicated,refused', found 'type,format,tiling,usage,flags,mip_levels,"
       "array_layers,sampl'"},
      {"wide-images.csv", "64,64,1,32768", "64,64,32768",
       "wide-images.csv' line 2: expected a whole number, found 'R8G8B8A8_UNORM,2d,optimal,sampled+transfer "
       "dst,,0,6,1,64,"
       "64,'"},
      {"wide-images.csv", "preferred,", "preferred,,",
       "wide-images.csv' line 2: expected fewer fields, found 'R8G8B8A8_UNORM,2d,optimal,sampled+transfer "
       "dst,,0,6,1,64,"
       "64,'"},
      {"wide-images.csv", ",96,", ",-96,",
       "wide-images.csv' line 4: expected a whole number, found 'BC7_UNORM_BLOCK,2d,optimal,sampled,cube "
       "compatible,1,6,1,4,4'"},
      {"wide-buffers.csv", "required", "wanted",
       "wide-buffers.csv' line 2: expected 'preferred', 'required' or nothing, found 'uniform buffer,sparse "
       "binding,1,16,16,7,wanted,'"},
      {"wide-buffers.csv", "uniform buffer,sparse binding,1,16,16,7,required,\n", "",
       "wide-buffers.csv': expected 1 rows as column.json says, found 0"},
      {"column.json", "[\"VUID-x\"]", "[1]", "column.json': validation[0]: expected a string, found 1"},
      {"column.json", "\"version\": \"22.3.6\"", "\"version\": 22",
       "column.json': driver.version: expected a string, found 22"},
  };
  for (const Bad& bad : table) {
    ASSERT_TRUE(save_column(full_column(), dir_));
    ASSERT_EQ(complaint(), "");
    replace(bad.file, bad.from, bad.to);
    EXPECT_EQ(complaint(), bad.complaint);
  }
}

TEST_F(Atlas, keeps_equal_tables_once_where_it_has_a_folder_for_them) {
  fs::create_directories(dir_ / kSharedTables);
  DriverColumn first = full_column(), second = full_column();
  second.name = "radv-25.0.7-navi10";
  second.buffers.front().size += 1;
  ASSERT_TRUE(save_column(first, dir_));
  const auto tables = [&] { return std::distance(fs::directory_iterator(dir_ / kSharedTables), {}); };
  const auto of_one = tables();
  ASSERT_TRUE(save_column(second, dir_));
  EXPECT_EQ(tables(), of_one + 1) << "only buffers.csv differs";
  EXPECT_FALSE(fs::exists(dir_ / first.name / "images.csv"));
  const Expected<std::vector<DriverColumn>> columns = load_atlas(dir_);
  ASSERT_TRUE(columns) << columns.error().what;
  ASSERT_EQ(columns->size(), 2U);
  EXPECT_EQ((*columns)[0].buffers, first.buffers);
  EXPECT_EQ((*columns)[1].buffers, second.buffers);
  EXPECT_EQ((*columns)[1].images, second.images);
  EXPECT_EQ((*columns)[1].sweeps, second.sweeps);
}

TEST_F(Atlas, reads_a_shared_table_only_from_the_atlas) {
  fs::create_directories(dir_ / kSharedTables);
  ASSERT_TRUE(save_column(full_column(), dir_));
  const std::string text = content("column.json");
  const std::size_t at = text.find("-images.csv\"");
  ASSERT_NE(at, std::string::npos);
  std::ofstream(dir_ / "radv-22.3.6-navi10" / "column.json") << std::string(text).insert(at, "/../../../x");
  EXPECT_NE(complaint().find("x-images.csv"), std::string::npos) << complaint();
}

/// Also after people have asked drivers again: what nobody has any longer is to be removed.
TEST(ReferenceAtlas, has_each_shared_table_for_a_column_and_under_its_hash) {
  const fs::path dir = std::string(LAB_SOURCE_DIR) + "/results/reference/atlas";
  std::string all;
  for (const fs::directory_entry& column : fs::directory_iterator(dir))
    if (fs::exists(column.path() / "column.json")) all += *read_file(column.path() / "column.json");
  std::size_t tables = 0;
  for (const fs::directory_entry& table : fs::directory_iterator(dir / kSharedTables)) {
    const std::string name = table.path().filename();
    EXPECT_NE(all.find('"' + name + '"'), std::string::npos) << name << " is no column's";
    EXPECT_EQ(name.substr(0, name.find('-')), fmt::format("{:016x}", seed_of(*read_file(table.path()))));
    ++tables;
  }
  EXPECT_GT(tables, 100U);
}

}  // namespace lab::results
