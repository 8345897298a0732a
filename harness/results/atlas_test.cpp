#include "harness/results/atlas.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <fstream>
#include <thread>

#include "harness/base/files.h"
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
  c.driver = {"radv",      "22.3.6",       "VK_DRIVER_ID_MESA_RADV",
              "radv",      "Mesa 22.3.6",  "1.3.0.0",
              "AMD \"X\"", "discrete gpu", 0x1002,
              0x731f,      "1.3.230",      92286982,
              "/m.json",   "/lib.so",      true};
  c.heaps = {{8589934592u, {"device local"}}, {std::uint64_t{1} << 63, {}}};
  c.memory_types = {{0, {"device local"}}, {1, {"host visible", "host coherent"}}};
  c.limits = {{"maxMemoryAllocationCount", 4096u},
              {"maxMemoryAllocationSize", UINT64_MAX},
              {"lineWidthRange", {1.0, 7.5}},
              {"minTexelOffset", -8}};
  c.sweeps = {{"images", {{"format", "VK_FORMAT_R8G8B8A8_UNORM"}}}};
  c.images = {{1, 1, 4096, 4096, 3}, {1, 2, 0, 0, 0}, {4096, 4096, 67108864, 65536, UINT32_MAX}};
  c.buffers = {{1, 16, 16}, {800000000, 800000000, 16}};
  c.buffer_memory_type_bits = {3, 7};
  c.refused = {{"image 1x2", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
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
  EXPECT_EQ(read->front().failure, written.failure);
  EXPECT_EQ(read->front().limit("maxMemoryAllocationSize"), UINT64_MAX);
  EXPECT_EQ(read->front().limit("minTexelOffset"), std::nullopt);
  EXPECT_EQ(read->front().limit("lineWidthRange"), std::nullopt);
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
      {"images.csv", "1,1,4096", "1,-1,4096", "images.csv' line 2: expected 5 whole numbers, found '1,-1,4096,4096,3'"},
      {"images.csv", "1,1,4096,4096,3", "1,1,4096,4096",
       "images.csv' line 2: expected 5 whole numbers, found '1,1,4096,4096'"},
      {"images.csv", "1,1,4096,4096,3", "1,1,4096,4096,3,",
       "images.csv' line 2: expected 5 whole numbers, found '1,1,4096,4096,3,'"},
      {"images.csv", "1,1,4096,4096,3\n", "", "images.csv': expected 3 rows as column.json says, found 2"},
      {"images.csv", "4294967295\n", "429",
       "images.csv' line 4: expected a complete line, found '4096,4096,67108864,65536,429'"},
      {"images.csv", "4294967295", "4294967296", "images.csv': expected memory type bits of 32 bits, found 4294967296"},
      {"buffers.csv", "800000000", "99999999999999999999",
       "buffers.csv' line 3: expected 3 whole numbers, found '99999999999999999999,800000000,16'"},
      {"column.json", "\"schema\": 1", "\"schema\": 9", "column.json': schema 9, this build reads 1"},
      {"column.json", "{", "[", "column.json': not JSON: byte 12: syntax error before ': 1,'"},
      {"column.json", "\"size\":8589934592", "\"size\":-1",
       "column.json': heaps[0].size: expected a whole number from 0, found -1"},
      {"column.json", "\"asked\"", "\"taken\"", "column.json': asked: missing"},
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

}  // namespace lab::results
