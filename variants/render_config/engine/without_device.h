/// Vulkan's commands without a device: to time what calls them and nothing else, and to compare two streams of them.
#pragma once

#include <cstdint>

#include "harness/vulkan/functions.h"

namespace lab::render_config {

/// How often each kind of command was recorded.
struct CommandCounts {
  std::uint64_t passes = 0, draws = 0, pipelines = 0, sets = 0, pushes = 0;
  bool operator==(const CommandCounts&) const = default;
};

/// Functions that do nothing. Of all others a frame uses none.
vulkan::DeviceFunctions silent_commands();

/// Functions that digest each command with its arguments, on the thread that calls them.
class CommandDigest {
 public:
  /// From here on the thread's commands are digested anew.
  static vulkan::DeviceFunctions begin();
  /// Of all commands since, in their order.
  static std::uint64_t value();
  static CommandCounts counts();
};

}  // namespace lab::render_config
