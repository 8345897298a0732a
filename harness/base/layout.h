/// Where things are: the folders that a harness executable works with.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace lab {

/// The build folder this executable lies in (build/<toolchain>-<config>), which holds variants.json and
/// build_info.json; LAB_BUILD overrides it.
std::filesystem::path build_dir();

/// The checkout that build folder belongs to; LAB_ROOT overrides it.
std::filesystem::path root_dir();

/// The folder of the machines' results: LAB_RESULTS, or results/ in the checkout.
std::filesystem::path results_dir(const std::filesystem::path& root = root_dir());

/// Folders in results_dir() that are no machine's, so no machine may be called that. The last is a file system's own.
inline constexpr std::array<std::string_view, 4> kNotMachines{"published", "reference", "nightly", "lost+found"};

/// spm's folder of active packages: SPM_LIB, or lib/ in the checkout.
std::filesystem::path lib_dir();

}  // namespace lab
