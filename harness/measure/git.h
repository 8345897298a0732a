/// git, always a child process: this is how it is asked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/child.h"

namespace lab::measure {

/// `git -C root arguments...`: of the repository that `root` lies in and of no other, in English, without hooks,
/// without asking anybody anything and without writing to the index.
ChildSpec git_command(const std::filesystem::path& root, const std::vector<std::string>& arguments);

}  // namespace lab::measure
