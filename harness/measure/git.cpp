#include "harness/measure/git.h"

namespace lab::measure {

namespace {

constexpr double kGitSeconds = 10;

}  // namespace

ChildSpec git_command(const std::filesystem::path& root, const std::vector<std::string>& arguments) {
  ChildSpec spec;
  spec.command = {"git", "-C", root.string(), "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.timeout_seconds = kGitSeconds;
  // The variables of a hook would lead git to another tree; optional locks would write to this one.
  spec.environment = {"GIT_DIR",
                      "GIT_WORK_TREE",
                      "GIT_INDEX_FILE",
                      "GIT_COMMON_DIR",
                      "GIT_OBJECT_DIRECTORY",
                      "GIT_OPTIONAL_LOCKS=0",
                      "GIT_TERMINAL_PROMPT=0",
                      "LC_ALL=C"};
  return spec;
}

}  // namespace lab::measure
