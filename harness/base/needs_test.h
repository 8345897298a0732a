/// For tests that need a program which not every machine has.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>

namespace lab {

/// Whether the PATH leads to a program of this name.
inline bool has_program(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace lab

/// Skips the test on a machine without the program, whose name is the reason.
#define SKIP_WITHOUT_PROGRAM(name) \
  if (!::lab::has_program(name)) GTEST_SKIP() << "needs " << (name)
