/// Runs one child process. It and everything it started are gone when run_child returns.
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
  std::optional<int> cpu;                            ///< the one CPU it may use; none: all CPUs of this process
  double timeout_seconds = 60;                       ///< after this, it and its process group are killed
  std::size_t output_limit = 32u << 20;              ///< bytes of standard output; more is a failure
  std::size_t tail_limit = 2000;                     ///< bytes kept of the end of standard error
  std::vector<std::string> environment;              ///< "NAME=value" to set, "NAME" to remove
  std::function<void(std::string_view)> on_error{};  ///< called with all of standard error, as it arrives
  /// Called with every whole line of standard output, as it arrives; these lines are not kept.
  std::function<void(std::string_view)> on_line{};
  double silence_seconds = std::numeric_limits<double>::infinity();  ///< killed after this long without a whole line
  bool inherits_environment = true;                                  ///< false: `environment` is its whole environment
  bool core_dump = true;                                             ///< whether a crash may write a core dump
  bool attached = false;                                             ///< see SpawnSpec; it shares our standard error
  std::vector<int> kept_files = {};                                  ///< stay open in the child
  std::string input = {};                                            ///< its standard input
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
  std::string output;      ///< standard output; with on_line, only what followed the last whole line
  std::string error_tail;  ///< the end of standard error
  double wall_seconds = 0;
};

/// Runs the child to its end. It leads its own process group, which is always killed at
/// the end, and it dies with this process. If `stop_file` is not -1, the wait ends when it becomes readable; an
/// attached child then gets a signal and is waited for.
ChildOutcome run_child(const ChildSpec& spec, int stop_file = -1);

/// Runs a child process; the seam for tests.
using Runner = std::function<ChildOutcome(const ChildSpec&)>;

/// "exit status 1", "signal 11 (Segmentation fault)", "no end within 15 s"...
std::string describe_end(const ChildSpec& spec, const ChildOutcome& outcome);

}  // namespace lab
