#include "harness/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

TEST(WriteFile, replaces_a_file_as_a_whole) {
  const ScratchFolder folder;
  folder.write("file", "old and longer");
  ASSERT_TRUE(write_file(folder.path() / "file", "new"));
  EXPECT_EQ(*read_file(folder.path() / "file"), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(WriteFile, keeps_a_link_and_replaces_what_it_names) {
  const ScratchFolder folder;
  folder.write("target/file", "old");
  fs::create_symlink("target/file", folder.path() / "link");
  ASSERT_TRUE(write_file(folder.path() / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(*read_file(folder.path() / "target/file"), "new");
}

TEST(WriteFile, writes_into_a_pipe_and_keeps_it) {
  const ScratchFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(write_file(pipe, "text"));
  char text[8] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 4);
  ::close(reader);
  EXPECT_STREQ(text, "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(WriteFile, to_a_folder_is_an_error_that_leaves_no_file) {
  const ScratchFolder folder;
  fs::create_directory(folder.path() / "folder");
  const Expected<void> written = write_file(folder.path() / "folder", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().status, ExitStatus::kUsage);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace lab
