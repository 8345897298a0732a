/// The files of a result's exhibits in one: <result>.exhibits.tar.zst instead of the folder <result>.exhibits. Beside
/// the result, `tar --zstd -xf` makes the folder again.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/base/error_fwd.h"

namespace lab::results {

inline constexpr std::string_view kExhibitsEnd = ".exhibits";  ///< of a folder
inline constexpr std::string_view kExhibitArchiveEnd = ".exhibits.tar.zst";

/// The archive of a folder of exhibits.
inline std::filesystem::path exhibit_archive_of(std::filesystem::path folder) {
  return folder.replace_extension() += kExhibitArchiveEnd;
}

/// Most bytes of one exhibit's file.
inline constexpr std::size_t kMostExhibitBytes = std::size_t{8} << 20;

/// Names relative to the result's folder, such as "<result>.exhibits/a.png", to contents.
using ExhibitFiles = std::map<std::string, std::string>;

/// An archive of these files: equal bytes for equal files. An error names a file whose name does not fit.
Expected<std::string> exhibit_archive(const ExhibitFiles& files);

/// The files in the archive at `path` whose names `wanted` accepts. Omits those that are larger than an exhibit can be.
/// An error (kUsage) names the archive: it cannot be opened, is truncated, damaged, or holds something that is no plain
/// file below one folder.
Expected<ExhibitFiles> read_exhibit_archive(const std::filesystem::path& path,
                                            const std::function<bool(std::string_view)>& wanted);

}  // namespace lab::results
