/// Build progress on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/terminal.h"

namespace lab::cli {

/// Shows a build's output: each line in a terminal's status line; without a terminal, an occasional line.
class BuildTalk {
 public:
  explicit BuildTalk(StatusLine& line) : line_(line) {}
  /// `who`: the prefix of all further lines, for example "run: building main".
  void begin(std::string who);
  void tell(std::string_view said);

 private:
  StatusLine& line_;
  std::string who_;
  double last_ = 0;  ///< time of the last begin() or printed line
};

}  // namespace lab::cli
