/// The command line of the viewer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "harness/base/error.h"

namespace lab::render_config {

struct ViewOptions {
  std::filesystem::path config;
  std::uint32_t width = 960, height = 540;
  std::optional<std::uint64_t> frames = {};  ///< end after as many that show the configuration; 0: when interrupted
  std::optional<std::filesystem::path> out = {};  ///< write frames as PNG files into this folder
  std::string driver = "pinned";
  bool display = true;  ///< open a window if there is a display
};

/// `words`: the arguments after the program's name. Every error is a wrong usage.
Expected<ViewOptions> parse_options(std::span<const std::string> words);

}  // namespace lab::render_config
