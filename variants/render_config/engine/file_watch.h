/// Notices that files have changed, however they were written.
#pragma once

#include <filesystem>
#include <map>

#include "harness/base/open_file.h"
#include "variants/render_config/language/file_set.h"

namespace lab::render_config {

/// Compares stamps, and contents where a stamp says nothing: files that were replaced, truncated or written in parts
/// are all the same to it. The kernel's notices only make it prompt; without them it looks 50 times a second.
class FileWatch {
 public:
  FileWatch();

  /// From now on compares with these files, as they were read.
  void watch(FileSet files);
  /// Whether a file now has other contents, is gone, or has come.
  bool changed();
  /// Returns when a file may have changed, after `seconds`, or after wake().
  void wait(double seconds);
  /// From any thread: the next wait() returns at once.
  void wake();

 private:
  void watch_folders();

  FileSet files_;
  std::map<std::filesystem::path, FileStamp> stamps_;
  File notices_, wake_;
  std::map<std::filesystem::path, int> folders_;  // the kernel's numbers
};

}  // namespace lab::render_config
