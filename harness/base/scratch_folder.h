/// A temporary folder for tests.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace lab {

/// A folder that is deleted with this object.
class ScratchFolder {
 public:
  /// With a name that no other process has or had: what a killed process left is not found here.
  ScratchFolder() {
    std::string path = testing::TempDir() + "lab-XXXXXX";
    const bool is_made = ::mkdtemp(path.data()) != nullptr;
    EXPECT_TRUE(is_made) << path << ": " << std::strerror(errno);
    if (is_made) path_ = path;
  }
  ~ScratchFolder() {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
    EXPECT_TRUE(file.good()) << name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace lab
