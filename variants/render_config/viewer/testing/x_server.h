/// For tests that need a screen: an X server without one.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>

#include "harness/base/spawn.h"

namespace lab::render_config {

/// The path of a program in PATH; empty: there is none.
inline std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const auto found = std::filesystem::path(folder) / name; std::filesystem::exists(found, ignored)) return found;
  return "";
}

/// Xvfb on a free display, with a screen of 800x600; DISPLAY then names it. It dies with this process.
class XServer {
 public:
  static bool is_installed() { return !find_program("Xvfb").empty(); }

  XServer() {
    // Not in the environment of a driver, whose libraries are others.
    SpawnSpec spec{.command = {find_program("Xvfb"), "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten",
                               "tcp", "-noreset"},
                   .environment = {"PATH=/usr/bin:/bin"},
                   .cpu = {}};
    auto spawned = spawn(spec);
    if (!spawned) return;
    process_.emplace(std::move(*spawned));
    std::string display;
    while (display.find('\n') == std::string::npos && drain(process_->output, display)) {
    }
    std::string said;
    if (display.empty()) drain(process_->error, said);
    EXPECT_NE(display, "") << said;
    display_ = ":" + display.substr(0, display.find('\n'));
    ::setenv("DISPLAY", display_.c_str(), 1);
  }
  ~XServer() { end(); }
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  const std::string& display() const { return display_; }

  /// As if the machine of the screen were switched off.
  void end() {
    if (process_) end_group(process_->id);
    process_.reset();
  }

 private:
  std::optional<Spawned> process_;
  std::string display_;
};

}  // namespace lab::render_config
