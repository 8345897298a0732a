/// Runs git, always as a child process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/child.h"

namespace lab::measure {

/// `git -C root arguments...`: only for the repository that contains `root`, in English, without hooks, without prompts
/// and without writing to the index.
ChildSpec git_command(const std::filesystem::path& root, const std::vector<std::string>& arguments);

}  // namespace lab::measure
