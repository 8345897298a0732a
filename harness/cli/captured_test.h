/// For tests: a subcommand called in this process, with what it printed.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "harness/cli/commands.h"

namespace lab::cli {

struct Captured {
  int status = 0;
  std::string out, err;
};

/// `arguments` begin with the command's name.
inline Captured captured(const Command& command, const std::vector<std::string>& arguments) {
  const std::vector<Command> commands{command};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const ExitStatus status = command::dispatch(commands, arguments);
  std::fflush(stdout);
  return {static_cast<int>(status), testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace lab::cli
