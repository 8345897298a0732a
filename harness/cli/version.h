/// The version text of this build.
#pragma once

#include <filesystem>
#include <string>

namespace lab::cli {

/// Lines, as far as known: the version (from CMakeLists.txt), the current commit of the checkout `root` (the build may
/// be older), the supported formats, and the options of the build in `build_dir`.
std::string version_text(const std::filesystem::path& root, const std::filesystem::path& build_dir);

}  // namespace lab::cli
