#include "harness/results/import_column.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

namespace fs = std::filesystem;

class ImportColumn : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void write(const std::string& file, const std::string& content) const { std::ofstream(folder_ / file) << content; }
  std::string error() const {
    const Expected<DriverColumn> column = import_column(folder_);
    const std::string what = column ? "" : column.error().what;
    return what.substr(what.rfind('/') + 1);
  }

  ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path() / "NVIDIA-536.23 GTX1660Ti";
};

}  // namespace

TEST_F(ImportColumn, reads_the_articles_tables) {
  write("image-sizes.txt", "# Width Height Size Alignment\r\n2 2 512 1024\r\n\r\n16 4096 262144 1024\r\n");
  write("buffer-sizes.txt", "# Length Size Alignment\n1 16 16\n 800000000\t800000000  256");
  const Expected<DriverColumn> column = import_column(folder_);
  ASSERT_TRUE(column) << column.error().what;
  EXPECT_EQ(column->name, "nvidia-536.23-gtx1660ti-imported");
  EXPECT_EQ(column->driver.short_name, "nvidia");
  EXPECT_TRUE(column->imported);
  EXPECT_EQ(column->images, (std::vector<ImageRow>{{2, 2, 512, 1024, 0}, {16, 4096, 262144, 1024, 0}}));
  EXPECT_EQ(column->buffers, (std::vector<BufferRow>{{1, 16, 16}, {800000000, 800000000, 256}}));
}

TEST_F(ImportColumn, reads_back_what_the_probe_writes_in_that_format) {
  DriverColumn asked;
  asked.name = "lavapipe-22.3.6";
  asked.images = {{1, 1, 256, 16, 1}, {1, 2, 0, 0, 0}};
  asked.buffers = {{1, 64, 64}};
  ASSERT_TRUE(save_column(asked, scratch_.path(), true));
  const Expected<DriverColumn> column = import_column(scratch_.path() / asked.name);
  ASSERT_TRUE(column) << column.error().what;
  EXPECT_EQ(column->name, "lavapipe-22.3.6-imported");
  EXPECT_EQ(column->images, (std::vector<ImageRow>{{1, 1, 256, 16, 0}, {1, 2, 0, 0, 0}}));
  EXPECT_EQ(column->buffers, asked.buffers);
  // And again, as a column of its own.
  ASSERT_TRUE(save_column(*column, scratch_.path(), true));
  EXPECT_EQ(import_column(scratch_.path() / column->name)->name, "lavapipe-22.3.6-imported");
  EXPECT_TRUE(load_column(scratch_.path() / column->name)->imported);
}

TEST_F(ImportColumn, reads_a_file_of_a_windows_program) {
  write("image-sizes.txt", "\xef\xbb\xbf# Width Height Size Alignment\r\n2 2 512 1024\r\n");
  const Expected<DriverColumn> column = import_column(folder_);
  ASSERT_TRUE(column) << column.error().what;
  EXPECT_EQ(column->images, (std::vector<ImageRow>{{2, 2, 512, 1024, 0}}));
  write("image-sizes.txt", std::string("\xff\xfe"
                                       "2\0 \0",
                                       6));
  EXPECT_EQ(error(), "image-sizes.txt': expected ASCII or UTF-8, found UTF-16");
}

TEST_F(ImportColumn, gives_a_hidden_folder_a_name_that_the_atlas_lists) {
  const fs::path hidden = scratch_.path() / ".hidden";
  fs::create_directories(hidden);
  std::ofstream(hidden / "buffer-sizes.txt") << "1 16 16\n";
  EXPECT_EQ(import_column(hidden)->name, "hidden-imported");
}

TEST_F(ImportColumn, reports_the_error_in_a_file) {
  EXPECT_EQ(error(), "NVIDIA-536.23 GTX1660Ti': expected image-sizes.txt or buffer-sizes.txt, found neither");
  write("image-sizes.txt", "# Width Height Size Alignment\n");
  EXPECT_EQ(error(), "NVIDIA-536.23 GTX1660Ti': expected rows of images or buffers, found none");
  write("image-sizes.txt", "2 2 512\n");
  EXPECT_EQ(error(),
            "image-sizes.txt' line 1: expected whole numbers 'Width Height Size Alignment' of a size above 0, found '2 "
            "2 512'");
  write("image-sizes.txt", "# x\n2 2 512 -1\n");
  EXPECT_EQ(error(),
            "image-sizes.txt' line 2: expected whole numbers 'Width Height Size Alignment' of a size above 0, found '2 "
            "2 512 -1'");
  write("image-sizes.txt", "2 0 512 1024\n");
  EXPECT_EQ(error(),
            "image-sizes.txt' line 1: expected whole numbers 'Width Height Size Alignment' of a size above 0, "
            "found '2 0 512 1024'");
  write("image-sizes.txt", "2 2 512 1024\n");
  write("buffer-sizes.txt", "1 16 16 16\n");
  EXPECT_EQ(error(),
            "buffer-sizes.txt' line 1: expected whole numbers 'Length Size Alignment' of a length above 0, found '1 16 "
            "16 16'");
}

}  // namespace lab::results
