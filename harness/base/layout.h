/// The folders that a harness executable works with.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace lab {

/// The build folder of this executable (build/<toolchain>-<config>), which holds variants.json and build_info.json: the
/// nearest folder above it that does. LAB_BUILD overrides it.
std::filesystem::path build_dir();

/// The checkout of that build folder; LAB_ROOT overrides it.
std::filesystem::path root_dir();

/// Whether this user may write in `folder`, or make it.
bool is_writable(std::filesystem::path folder);

/// Where this user makes `what`, a path below the checkout `root`: there, if the user may write there, else below
/// LAB_WORK, which make.py sets for a checkout of another user. Without LAB_WORK it is `root`/`what` in any case.
std::filesystem::path place_for(const std::filesystem::path& root, const std::filesystem::path& what);

/// place_for() of `what` in a build folder, which lies in build/ of its checkout.
std::filesystem::path place_in_build(const std::filesystem::path& build_dir, const std::filesystem::path& what);

/// The results folder (one subfolder per machine): LAB_RESULTS, or results/ in the checkout or in LAB_WORK.
std::filesystem::path results_dir(const std::filesystem::path& root = root_dir());

/// Folders in results_dir() that belong to no machine, so no machine may have these names. The file system creates the
/// last.
inline constexpr std::array<std::string_view, 7> kNotMachines{"published", "reference",  "nightly",   "jobs",
                                                              "inbox",     "quarantine", "lost+found"};

/// spm's folder of active packages: SPM_LIB, or lib/ in the checkout.
std::filesystem::path lib_dir();

}  // namespace lab
