/// Whole files: read, and written so that a reader sees the old or the new one, never half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace lab {

/// What the system says (`code`: an errno) of `doing` something to `path`: kUsage where the place that was named is at
/// fault (no folder, no permission), kFailed where the machine is (a full disk).
Error file_error(std::string_view doing, const std::filesystem::path& path, int code);

Expected<std::string> read_file(const std::filesystem::path& path);

/// Writes beside `path`, syncs, renames over it. On an error (full disk, no permission) `path` is as it was.
Expected<void> write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace lab
