/// One child process: started, pinned, watched, and gone when run_child returns, with everything it started.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

struct ChildSpec {
  std::vector<std::string> command;                  ///< program (looked up in PATH without a slash) and arguments
  std::optional<int> cpu;                            ///< the one CPU it may use; none: all that we may use
  double timeout_seconds = 60;                       ///< then it and its process group are killed
  std::size_t output_limit = 32u << 20;              ///< bytes of standard output; more is a failure
  std::size_t tail_limit = 2000;                     ///< bytes kept of the end of standard error
  std::vector<std::string> environment;              ///< "NAME=value" to add, "NAME" to take away
  std::function<void(std::string_view)> on_error{};  ///< is called with all of standard error, as it comes
  /// Is called with every whole line of standard output, as it comes; such lines are not kept.
  std::function<void(std::string_view)> on_line{};
  double silence_seconds = std::numeric_limits<double>::infinity();  ///< so long without a whole line: it is killed
  bool inherits_environment = true;                                  ///< else `environment` is all that it gets
  bool core_dump = true;                                             ///< whether a crash may leave its memory on disk
  bool attached = false;                                             ///< see SpawnSpec; its standard error is ours
  std::vector<int> kept_files = {};                                  ///< open in the child, too
};

enum class ChildEnd {
  kExited,     ///< code is the exit status
  kSignalled,  ///< code is the signal
  kTimedOut,
  kSilent,   ///< no whole line of standard output for silence_seconds
  kStopped,  ///< stop_file became readable
  kTooMuchOutput,
  kNotStarted,  ///< code is errno
};

struct ChildOutcome {
  ChildEnd end = ChildEnd::kExited;
  int code = 0;
  std::string output;      ///< standard output; with on_line, what followed its last whole line
  std::string error_tail;  ///< the end of standard error
  double wall_seconds = 0;
};

/// Runs it to its end. Standard input is empty; the child leads a process group of its own, which is killed at the end
/// whatever that is, and dies with us. `stop_file`, where it is not -1, ends the wait when it becomes readable; an
/// attached child is then asked to end by a signal, and waited for.
ChildOutcome run_child(const ChildSpec& spec, int stop_file = -1);

/// How child processes are run; the seam for tests.
using Runner = std::function<ChildOutcome(const ChildSpec&)>;

/// "exit status 1", "signal 11 (Segmentation fault)", "no end within 15 s"...
std::string describe_end(const ChildSpec& spec, const ChildOutcome& outcome);

}  // namespace lab
