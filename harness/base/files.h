/// Reads and writes whole files. A reader sees the old file or the new one, never a partial one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/error_fwd.h"

namespace lab {

/// The system's message for `code` (an errno) of `doing` something to `path`. kUsage if the path is at fault (no
/// folder, no permission), kFailed if the machine is (a full disk).
Error file_error(std::string_view doing, const std::filesystem::path& path, int code);

/// Writes all of `content` to an open file; 0 or errno.
int write_all(int file, std::string_view content);

Expected<std::string> read_file(const std::filesystem::path& path);

/// Writes a temporary file in the same folder, syncs it, renames it to `path`. On an error (full disk, no permission)
/// `path` is unchanged. A link stays a link, to the new content. A device or a pipe is written to directly.
///
/// `modified_ns`: the file's time of modification, in ns since the epoch, from its first moment on.
Expected<void> write_file(const std::filesystem::path& path, std::string_view content,
                          std::optional<std::int64_t> modified_ns = {});

/// Returns when the names in `folder` are on the disk, before something is removed because they are there.
Expected<void> sync_folder(const std::filesystem::path& folder);

}  // namespace lab
