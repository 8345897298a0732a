/// A folder for the files of one call, deleted with this object.
#pragma once

#include <filesystem>

#include "harness/base/error_fwd.h"

namespace lab {

class TemporaryFolder {
 public:
  /// In TMPDIR, otherwise /tmp. An error names the folder and the reason.
  static Expected<TemporaryFolder> create();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace lab
