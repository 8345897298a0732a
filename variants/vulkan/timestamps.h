/// How long a device takes, by its own clock.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/memory.h"

namespace lab::vulkan {

/// The time between two points of a command buffer. Where the queue writes no timestamps, nothing is recorded.
class Timestamps {
 public:
  static Expected<Timestamps> create(Device& device);

  /// Outside of a render pass: when all commands before it have begun, and when all before it have ended.
  void begin(VkCommandBuffer commands) const;
  void end(VkCommandBuffer commands) const;
  /// After the commands have been executed. Nothing: the queue writes no timestamps.
  Expected<std::optional<double>> ns() const;

 private:
  Device* device_ = nullptr;
  Owned<VkQueryPool> pool_;  // none: the queue writes no timestamps
};

/// Nanoseconds from one timestamp to a later one, of which only the lowest `bits` are valid.
double timestamp_ns(std::uint64_t first, std::uint64_t second, std::uint32_t bits, double period_ns);

}  // namespace lab::vulkan
