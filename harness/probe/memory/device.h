/// One device of one driver, opened for real allocations, and the objects on it. A call that fails ends the process
/// with a "problem": a part of the work is a process of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/probe/child/protocol.h"
#include "harness/probe/child/vulkan.h"
#include "harness/probe/memory/memory_functions.h"
#include "harness/probe/memory/protocol.h"

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
class MemoryDevice {
 public:
  MemoryDevice(const MemoryRequest& request, const MemoryEvents& events);
  ~MemoryDevice();
  MemoryDevice(const MemoryDevice&) = delete;
  MemoryDevice& operator=(const MemoryDevice&) = delete;

  const MemoryRequest& request() const { return request_; }
  const MemoryEvents& events() const { return events_; }
  VkDevice handle() const { return device_; }
  const MemoryFunctions& vk() const { return functions_; }
  const VkPhysicalDeviceLimits& limits() const { return limits_; }
  /// maxMemoryAllocationSize; the largest heap's size where the driver is too old to report it.
  VkDeviceSize max_allocation_bytes() const { return max_allocation_bytes_; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }
  VkMemoryPropertyFlags flags_of(std::uint32_t type) const { return memory_.memoryTypes[type].propertyFlags; }
  VkDeviceSize heap_bytes(std::uint32_t type) const {
    return memory_.memoryHeaps[memory_.memoryTypes[type].heapIndex].size;
  }
  bool can_compute() const { return can_compute_; }

  /// Whether an image may be created so; otherwise the refusal.
  std::optional<std::string> refusal(const VkImageCreateInfo& info) const;
  /// Whether images of this format and tiling can be sampled.
  bool can_sample(VkFormat format, VkImageTiling tiling) const;

  /// The memory types in `bits` that any program may use, in the driver's order: those with other flags than device
  /// local, host visible, coherent and cached need features or have a purpose of their own.
  std::vector<std::uint32_t> usable_types(std::uint32_t bits = ~0u) const;
  /// The first usable type in `bits` with all of `needed`, if possible with all of `wanted`, too.
  std::optional<std::uint32_t> find_type(std::uint32_t bits, VkMemoryPropertyFlags needed,
                                         VkMemoryPropertyFlags wanted = 0) const;

  /// Ends the process unless `result` is VK_SUCCESS.
  void require(VkResult result, std::string_view call) const;

  /// The messages of the validation layers since the last call. While `planting`, a message is no event, and the call
  /// that caused it does not reach the driver.
  std::vector<std::string> take_messages() { return std::exchange(messages_, {}); }
  void set_planting(bool planting) { planting_ = planting; }
  bool layers_loaded() const { return layers_loaded_; }

  /// Records commands into a buffer that can be submitted any number of times, one at a time.
  VkCommandBuffer record(const std::function<void(VkCommandBuffer)>& commands) const;
  void free_commands(VkCommandBuffer commands) const;
  /// Submits and waits for the fence.
  void submit(VkCommandBuffer commands) const;
  /// record(), submit(), free_commands().
  void run(const std::function<void(VkCommandBuffer)>& commands) const;

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* self);
  void create_instance();
  void choose_device();
  void create_device();

  MemoryRequest request_;
  const MemoryEvents& events_;
  Vulkan vulkan_;
  MemoryFunctions functions_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkPhysicalDeviceLimits limits_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  VkDeviceSize max_allocation_bytes_ = 0;
  bool can_compute_ = false, layers_loaded_ = false, planting_ = false;
  std::vector<std::string> messages_;
};

/// vkAllocateMemory; `memory` is null after a failure.
VkResult allocate_memory(const MemoryDevice& device, VkDeviceSize bytes, std::uint32_t type, VkDeviceMemory& memory);

/// One vkAllocateMemory, mapped if its type is host visible.
class DeviceMemory {
 public:
  DeviceMemory(const MemoryDevice& device, VkDeviceSize bytes, std::uint32_t type);
  /// Takes over a handle from allocate_memory().
  DeviceMemory(const MemoryDevice& device, VkDeviceMemory handle, VkDeviceSize bytes, std::uint32_t type);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  VkDeviceMemory handle() const { return handle_; }
  std::uint32_t type() const { return type_; }
  VkDeviceSize bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }  ///< null if not host visible
  bool coherent() const { return coherent_; }
  /// Makes writes through `mapped` visible to the device, and the device's writes visible to reads through it. Does
  /// nothing for coherent memory.
  void flush() const;
  void invalidate() const;

 private:
  void map();
  VkMappedMemoryRange whole() const;

  const MemoryDevice& device_;
  VkDeviceMemory handle_;
  std::uint32_t type_;
  VkDeviceSize bytes_;
  std::byte* mapped_ = nullptr;
  bool coherent_ = true;
};

/// A buffer or an image without its memory.
template <typename Handle>
class Resource {
 public:
  Resource() = default;
  Resource(Handle handle, VkMemoryRequirements needs, std::function<void(Handle)> destroy)
      : handle_(handle), needs_(needs), destroy_(std::move(destroy)) {}
  Resource(Resource&& other) noexcept { *this = std::move(other); }
  Resource& operator=(Resource&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(needs_, other.needs_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Resource() {
    if (handle_ != VK_NULL_HANDLE) destroy_(handle_);
  }
  Handle handle() const { return handle_; }
  const VkMemoryRequirements& needs() const { return needs_; }

 private:
  Handle handle_ = VK_NULL_HANDLE;
  VkMemoryRequirements needs_{};
  std::function<void(Handle)> destroy_;
};

Resource<VkBuffer> create_buffer(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage);
Resource<VkImage> create_image(const MemoryDevice& device, const VkImageCreateInfo& info);

/// A 2D image of one layer and level.
VkImageCreateInfo image_info(VkFormat format, std::uint32_t width, std::uint32_t height, VkImageTiling tiling,
                             VkImageUsageFlags usage);

/// A buffer with an allocation of its own.
struct BoundBuffer {
  BoundBuffer(const MemoryDevice& device, VkDeviceSize bytes, VkBufferUsageFlags usage, std::uint32_t type);
  Resource<VkBuffer> buffer;
  DeviceMemory memory;
};

/// A host-visible type for a buffer that the device copies from or to; if possible coherent and not device-local.
std::optional<std::uint32_t> staging_type(const MemoryDevice& device);

/// Makes all earlier writes of `from` available to `to`.
void memory_barrier(const MemoryDevice& device, VkCommandBuffer commands, VkPipelineStageFlags from_stage,
                    VkAccessFlags from, VkPipelineStageFlags to_stage, VkAccessFlags to);

/// The same for an image's first aspect, color, with a change of layout.
struct ImageUse {
  VkPipelineStageFlags stage;
  VkAccessFlags access;
  VkImageLayout layout;
};
inline constexpr ImageUse kFreshImage{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0, VK_IMAGE_LAYOUT_UNDEFINED};
inline constexpr ImageUse kCopiedTo{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL};
inline constexpr ImageUse kCopiedFrom{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                                      VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
inline constexpr ImageUse kSampled{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
                                   VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
/// A linear image that the host writes: before the first use, and later while the device samples or copies it.
inline constexpr ImageUse kHostWritesFirst{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT,
                                           VK_IMAGE_LAYOUT_PREINITIALIZED};
inline constexpr ImageUse kHostAndSampled{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT,
                                          VK_IMAGE_LAYOUT_GENERAL};
inline constexpr ImageUse kHostAndCopied{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
                                         VK_IMAGE_LAYOUT_GENERAL};
void image_barrier(const MemoryDevice& device, VkCommandBuffer commands, VkImage image, const ImageUse& from,
                   const ImageUse& to);

/// Calls `work` and returns the nanoseconds that it took.
double timed_ns(const std::function<void()>& work);

}  // namespace lab::probe
