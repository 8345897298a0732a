/// One device of one driver, opened for real allocations, and the objects on it. A call that fails ends the process
/// with a "problem": a part of the work is a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/probe/child/protocol.h"
#include "harness/probe/memory/protocol.h"
#include "harness/vulkan/barriers.h"
#include "harness/vulkan/memory.h"

namespace lab::probe {

/// Writes events of vulkan_memory_child.
class MemoryEvents {
 public:
  void write(const MemoryEvent& event) const { lines_.write_line(to_json(event)); }
  void doing(std::string_view what) const { write({.event = "doing", .text = std::string(what)}); }
  void note(std::string_view text) const { write({.event = "note", .text = std::string(text)}); }
  void timing(results::MemoryTiming timing) const { write({.event = "timing", .timing = std::move(timing)}); }
  /// Ends the process.
  [[noreturn]] void problem(std::string_view text) const;

 private:
  EventWriter lines_;
};

struct MemoryRequest {
  std::string loader;        ///< path or name of libvulkan.so.1
  std::uint32_t device = 0;  ///< index of the physical device
  bool layers = false;       ///< use the validation layers if the loader finds them
  bool quick = false;        ///< few repetitions of small sizes: for tests
};

/// A device with one queue, which can copy and, if the device has such a queue, compute.
class MemoryDevice : public vulkan::Device {
 public:
  MemoryDevice(const MemoryRequest& request, const MemoryEvents& events, vulkan::Validation& validation);

  const MemoryRequest& request() const { return request_; }
  const MemoryEvents& events() const { return events_; }

  /// Whether an image may be created so; otherwise the refusal.
  std::optional<std::string> refusal(const VkImageCreateInfo& info) const;
  /// The memory types in `bits` that any program may use, in the driver's order.
  std::vector<std::uint32_t> usable_types(std::uint32_t bits = ~0u) const;

  /// The value; an error ends the process.
  template <typename T>
  T required(Expected<T> value) const {
    if (!value) events_.problem(value.error().what);
    if constexpr (!std::is_void_v<T>) return std::move(*value);
  }
  void require(VkResult result, std::string_view call) const { required(vulkan::success_of(result, call)); }

  /// Records commands into a buffer that can be submitted any number of times, one at a time.
  VkCommandBuffer record(const std::function<void(VkCommandBuffer)>& commands) const;
  void free_commands(VkCommandBuffer commands) const;
  /// Submits and waits for the fence.
  void submit(VkCommandBuffer commands) const { required(Device::submit(commands)); }
  /// Records and submits once.
  void run(const std::function<void(VkCommandBuffer)>& commands) const { required(Device::run(commands)); }

 private:
  MemoryRequest request_;
  const MemoryEvents& events_;
  vulkan::Owned<VkCommandPool> pool_;
};

/// An allocation of its own, to which `resource` is bound.
template <typename Resource>
vulkan::Memory bound_memory(const MemoryDevice& device, const Resource& resource, std::uint32_t type) {
  vulkan::Memory memory = device.required(vulkan::Memory::allocate(device, type, resource.needs.size));
  device.required(vulkan::bind(device, resource, memory, 0));
  return memory;
}

/// A buffer with an allocation of its own.
struct BoundBuffer {
  BoundBuffer(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage, std::uint32_t type)
      : buffer(device.required(vulkan::create_buffer(device, bytes, usage))),
        memory(bound_memory(device, buffer, type)) {}
  vulkan::Buffer buffer;
  vulkan::Memory memory;
};

/// What such a buffer or image would need.
VkMemoryRequirements needs_of(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage);
VkMemoryRequirements needs_of(const MemoryDevice& device, const VkImageCreateInfo& info);

/// A host-visible type for a buffer that the device copies from or to; if possible coherent and not device-local.
std::optional<std::uint32_t> staging_type(const MemoryDevice& device);

inline constexpr vulkan::ImageUse kSampled{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
                                           VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
/// A linear image that the host writes: before the first use, and later while the device samples or copies it.
inline constexpr vulkan::ImageUse kHostWritesFirst{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT,
                                                   VK_IMAGE_LAYOUT_PREINITIALIZED};
inline constexpr vulkan::ImageUse kHostAndSampled{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
                                                  VK_IMAGE_LAYOUT_GENERAL};
inline constexpr vulkan::ImageUse kHostAndCopied{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                                                 VK_IMAGE_LAYOUT_GENERAL};

/// Calls `work` and returns the nanoseconds that it took.
double timed_ns(const std::function<void()>& work);

}  // namespace lab::probe
