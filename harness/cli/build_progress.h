/// Build progress on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/terminal.h"

namespace lab::cli {

/// Shows a build's output: each line in a terminal's status line; without a terminal, an occasional line.
class BuildProgress {
 public:
  explicit BuildProgress(StatusLine& line) : line_(line) {}
  /// `prefix`: the prefix of all further lines, for example "run: building main".
  void begin(std::string prefix);
  void show(std::string_view output);

 private:
  StatusLine& line_;
  std::string prefix_;
  double last_ = 0;  ///< time of the last begin() or printed line
};

}  // namespace lab::cli
