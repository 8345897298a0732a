/// Which build of the laboratory this is.
#pragma once

#include <filesystem>
#include <string>

namespace lab::cli {

/// Lines: the version (CMakeLists.txt has it), the commit at which the checkout `root` is now, which the build may be
/// older than, the formats that are spoken, and how the build in `build_dir` was made, as far as they are known.
std::string version_text(const std::filesystem::path& root, const std::filesystem::path& build_dir);

}  // namespace lab::cli
