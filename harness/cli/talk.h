/// Small words and times that every subcommand needs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/terminal.h"

namespace lab::cli {

/// What a build says, line by line: all of it in the status line of a terminal; elsewhere a line now and then.
class BuildTalk {
 public:
  explicit BuildTalk(StatusLine& line) : line_(line) {}
  /// `who`: what the lines begin with from now on, "run: building main".
  void begin(std::string who);
  void tell(std::string_view said);

 private:
  StatusLine& line_;
  std::string who_;
  double last_ = 0;  ///< when something was begun or printed
};

}  // namespace lab::cli
