/// The origin of the executables: build, pins, commit. Runs git, always as a child process.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error_fwd.h"
#include "harness/results/result.h"

namespace lab::measure {

/// `git -C root arguments...`: only for the repository that contains `root`, in English, without hooks, without prompts
/// and without writing to the index.
ChildSpec git_command(const std::filesystem::path& root, const std::vector<std::string>& arguments);

/// Reads <build folder>/build_info.json, and what of the build was fetched.
Expected<results::Build> read_build(const std::filesystem::path& build_dir);

/// The version hash of every package in lib/, by package. packages.json gives each package's place in lib/. The link
/// there points into the store, and the last path component with a hash is the version. A folder that is no link (a
/// package under development) is "unpinned". Empty without packages.json. A bundle's are those in its manifest.
std::map<std::string, std::string> read_pins(const std::filesystem::path& root);

/// The commit of the work tree whose top is `root`. Never an error: "no git" if there is no git or no commit, if `root`
/// lies inside some other tree, or if git fails (a tree that belongs to another user, a lock). A bundle names its own.
results::Source read_source(const std::filesystem::path& root);

/// Whether `root` is a bundle's folder, where nothing can be built.
bool is_bundle(const std::filesystem::path& root);

}  // namespace lab::measure
