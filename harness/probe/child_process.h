/// One child process in a group of its own: its output by lines while it runs, how it ended, and a limit on its
/// silence.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/probe/manifests.h"

namespace lab::probe {

struct ChildSpec {
  std::vector<std::string> arguments;    ///< the executable's path first
  Environment environment;               ///< all of it
  std::chrono::milliseconds silence{0};  ///< it is killed after so long without a line
};

struct ChildEnd {
  enum class Kind { kExited, kSignalled, kSilent };
  Kind kind = Kind::kExited;
  int code = 0;             ///< exit status or signal
  std::string stderr_tail;  ///< the last 4 KiB of its standard error
};

/// Runs it to its end; `on_line` gets every whole line of its standard output. Whatever it started ends with it.
Expected<ChildEnd> run_child(const ChildSpec& spec, const std::function<void(std::string_view line)>& on_line);

}  // namespace lab::probe
