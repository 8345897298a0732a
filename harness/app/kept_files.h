/// The files that a result is kept in: <base>.json or, packed, <base>.json.zst, with the exhibits in <base>.exhibits/
/// or, packed, <base>.exhibits.tar.zst. Every change of one is whole: a kill leaves the old file, the new one, or both
/// with equal content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/open_file.h"

namespace lab::app {

/// Bytes that it takes, exhibits included.
std::uintmax_t bytes_of(const std::filesystem::path& base);
/// The same without exhibits.
std::uintmax_t result_bytes(const std::filesystem::path& base);

/// Packs the result and its exhibits. What is packed already stays. An error leaves them readable: no result, another
/// content beside it under the other name, a full disk.
Expected<void> pack_result(const std::filesystem::path& base);
/// The reverse. The file has come now, for those who ask when.
Expected<void> unpack_result(const std::filesystem::path& base);

/// Rewrites it packed, without its samples. Refuses if a median, an interval or a counter would change.
Expected<void> remove_samples(const std::filesystem::path& base);
/// The bytes that remove_samples() would leave of the result's file.
Expected<std::uintmax_t> bytes_without_samples(const std::filesystem::path& base);
/// Removes the exhibits' files. The result keeps what it says of them.
Expected<void> remove_exhibits(const std::filesystem::path& base);

/// The machines' folders in `results`, sorted; the one of `machine`, if that is not "". An error (kUsage) if there is
/// no such folder.
Expected<std::vector<std::filesystem::path>> machine_folders(const std::filesystem::path& results,
                                                             const std::string& machine);

/// Held while files are rewritten. An error if another process does.
Expected<File> lock_kept(const std::filesystem::path& results);

}  // namespace lab::app
