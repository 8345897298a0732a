/// Where the executables came from: build, pins, commit.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "harness/base/error.h"
#include "harness/results/result.h"

namespace lab::measure {

/// <build folder>/build_info.json.
Expected<results::Build> read_build(const std::filesystem::path& build_dir);

/// The version hash of every package that lib/ holds, by package: packages.json says where each lies in lib/, the link
/// there names its place in the store, whose last part with a hash in it is the version. A folder that is no link (a
/// package under development) is "unpinned". Empty without packages.json.
std::map<std::string, std::string> read_pins(const std::filesystem::path& root);

/// The commit of the work tree whose top is `root`. "no git" where there is no git, no commit, `root` lies inside some
/// other tree, or git does not answer (a tree that belongs to another user, a lock): never an error.
results::Source read_source(const std::filesystem::path& root);

}  // namespace lab::measure
