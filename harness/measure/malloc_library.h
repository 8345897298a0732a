/// A malloc replacement in a file, which is measured as a variant: preloaded (LD_PRELOAD) under the variant that its
/// family's family.json names ("preload").
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/temporary_folder.h"

namespace lab::measure {

/// Which file it is, and its last change. Equal stamps mean equal content.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< of the inode too, so that a restored time of modification hides nothing
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

class MallocLibrary {
 public:
  /// Reads the file. An error (kUsage) if it cannot be read or is no shared library for this machine. The caller gives
  /// the option's name.
  static Expected<std::shared_ptr<const MallocLibrary>> read(const std::filesystem::path& file);

  /// As a variant: the file's name, with '_' for what is no letter, digit, '.', '_' or '-', then '@' and the first
  /// digits of the hash.
  const std::string& name() const { return name_; }
  const std::filesystem::path& file() const { return file_; }  ///< absolute
  const std::string& hash() const { return hash_; }            ///< of its content

  /// Why it replaces no malloc, by its table of symbols; "" if it may.
  std::string why_no_malloc() const;

  /// "NAME=value", for a process that is to run with it.
  std::vector<std::string> environment() const;

  /// How its content differs from what was read, or "". Compares stamps first, so it costs microseconds.
  std::string change() const;

  /// The hash of an executable with content `executable` together with this library.
  std::string hash_with(const std::string& executable) const;

 private:
  MallocLibrary() = default;

  std::string name_;
  std::filesystem::path file_;
  std::filesystem::path preloaded_;  ///< what LD_PRELOAD names: the file, or a link to it
  std::string hash_;
  FileStamp stamp_;
  std::vector<std::string> missing_;            ///< functions that a replacement must define
  std::shared_ptr<TemporaryFolder> link_ = {};  ///< of `preloaded_`, if that is a link
};

using MallocLibraries = std::vector<std::shared_ptr<const MallocLibrary>>;

/// The libraries in `files`. An error (kUsage), with the name of `option`, as for MallocLibrary::read, or if two have
/// one name, so that they are the same.
Expected<MallocLibraries> read_malloc_libraries(const std::string& option,
                                                const std::vector<std::filesystem::path>& files);

}  // namespace lab::measure
