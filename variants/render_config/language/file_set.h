/// The files that a configuration consists of, as they were when it was read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/error.h"

namespace lab::render_config {

/// What the file system says of a file: it changes with most changes of the contents, but not with one that keeps the
/// size within the same tick of its clock.
struct FileStamp {
  std::uint64_t inode = 0, bytes = 0;
  std::int64_t changed_ns = 0;  ///< of the file or its owner, time and the like, since 1970; 0: no such file
  bool operator==(const FileStamp&) const = default;
};
FileStamp stamp_of(const std::filesystem::path& file);

/// Reads each file once, so a configuration never mixes two versions of a file, and remembers which files it asked for,
/// those that are not there included: a change of any of them is a change of the configuration.
class FileSet {
 public:
  /// The error says what is wrong with the file, without its name. At most 1 MB.
  Expected<std::string> read(const std::filesystem::path& file);
  /// From now on, read() finds this text in the file.
  void provide(const std::filesystem::path& file, std::string text);

  struct File {
    std::optional<std::string> contents;  ///< nothing: it could not be read
    FileStamp stamp;
    Error error;  ///< why not
  };
  /// By path, as it was asked for.
  const std::map<std::filesystem::path, File>& files() const { return files_; }

 private:
  std::map<std::filesystem::path, File> files_;
};

}  // namespace lab::render_config
