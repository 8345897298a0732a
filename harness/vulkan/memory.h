/// Memory of a device, and buffers and images that are bound in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/device.h"
#include "variants/designs/offsets/memory_request.h"

namespace lab::vulkan {

/// An object of Vulkan that is destroyed with this one.
template <typename Handle>
class Owned {
 public:
  Owned() = default;
  Owned(Handle handle, std::function<void(Handle)> destroy) : handle_(handle), destroy_(std::move(destroy)) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, Handle{VK_NULL_HANDLE})), destroy_(std::move(other.destroy_)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Owned() {
    if (handle_ != VK_NULL_HANDLE) destroy_(handle_);
  }
  Handle handle() const { return handle_; }

 private:
  Handle handle_ = VK_NULL_HANDLE;
  std::function<void(Handle)> destroy_;
};

/// vkAllocateMemory; `memory` is null after a failure.
VkResult allocate_memory(const Device& device, std::uint32_t type, VkDeviceSize bytes, VkDeviceMemory& memory);

/// One vkAllocateMemory. It stays mapped if its type is host visible.
class Memory {
 public:
  static Expected<Memory> allocate(const Device& device, std::uint32_t type, VkDeviceSize bytes);

  VkDeviceMemory handle() const { return memory_.handle(); }
  std::uint32_t type() const { return type_; }
  VkDeviceSize bytes() const { return bytes_; }
  std::byte* mapped() const { return mapped_; }  ///< null if it is not host visible
  bool coherent() const { return coherent_; }
  /// Makes the host's writes visible to the device, and the device's to the host. Nothing to do if it is coherent.
  Expected<void> flush() const;
  Expected<void> invalidate() const;

 private:
  VkMappedMemoryRange whole() const;

  const Device* device_ = nullptr;
  Owned<VkDeviceMemory> memory_;
  std::uint32_t type_ = 0;
  VkDeviceSize bytes_ = 0;
  std::byte* mapped_ = nullptr;
  bool coherent_ = true;
};

/// A buffer or an image, and the memory that it needs. It has none until it is bound.
struct Buffer {
  Owned<VkBuffer> owned;
  VkMemoryRequirements needs{};
  VkDeviceSize length = 0;
  VkBuffer handle() const { return owned.handle(); }
};
struct Image {
  Owned<VkImage> owned;
  VkMemoryRequirements needs{};
  std::uint32_t width = 0, height = 0;
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  VkImage handle() const { return owned.handle(); }
};

Expected<Buffer> create_buffer(const Device& device, VkDeviceSize length, VkBufferUsageFlags usage);
/// 2D, one level, one layer.
VkImageCreateInfo image_info(VkFormat format, std::uint32_t width, std::uint32_t height, VkImageTiling tiling,
                             VkImageUsageFlags usage);
Expected<Image> create_image(const Device& device, const VkImageCreateInfo& info);
/// The same in optimal tiling.
Expected<Image> create_image(const Device& device, std::uint32_t width, std::uint32_t height, VkImageUsageFlags usage,
                             VkFormat format = VK_FORMAT_R8G8B8A8_UNORM);
/// Of one texel in a buffer, of a format in the table of memory.cpp.
std::uint32_t texel_bytes(VkFormat format);
/// Depth or colour.
VkImageAspectFlags aspect_of(VkFormat format);
Expected<void> bind(const Device& device, const Buffer& buffer, const Memory& memory, VkDeviceSize offset);
Expected<void> bind(const Device& device, const Image& image, const Memory& memory, VkDeviceSize offset);

/// What an allocation policy must know of a device. `others`: allocations that the program makes without the policy.
designs::MemoryPolicy policy_of(const Device& device, std::uint64_t others);

/// Gives a policy allocations of the device, and counts them. It must outlive the policy.
class AllocatedMemory {
 public:
  explicit AllocatedMemory(const Device& device) : device_(device) {}
  AllocatedMemory(const AllocatedMemory&) = delete;
  AllocatedMemory& operator=(const AllocatedMemory&) = delete;

  designs::MemoryDevice device();
  const Memory& of(std::uint64_t allocation) const { return live_.at(allocation); }

  std::size_t calls() const { return calls_; }  ///< of vkAllocateMemory that succeeded
  std::size_t allocations() const { return live_.size(); }
  std::size_t most_allocations() const { return most_allocations_; }
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  const Device& device_;
  std::map<std::uint64_t, Memory> live_;
  std::uint64_t last_ = 0, bytes_ = 0, most_bytes_ = 0;
  std::size_t calls_ = 0, most_allocations_ = 0;
};

/// A violation of the specification, on purpose, and what the validation layer said of it: "" if it said nothing.
struct Planted {
  std::string what, caught;
};
/// Binds a buffer where it may not lie.
Expected<Planted> plant_violation(const Device& device);

}  // namespace lab::vulkan
