/// Host-visible memory through which the host writes what a device reads, and reads what a device wrote.
#pragma once

#include <cstddef>
#include <span>

#include "harness/base/error_fwd.h"
#include "harness/vulkan/memory.h"

namespace lab::vulkan {

/// Each copy has ended when its function returns. Buffers and images need the usages of a transfer.
class Staging {
 public:
  /// With an allocation of its own.
  static Expected<Staging> create(Device& device, VkDeviceSize bytes);

  std::span<std::byte> bytes() const { return {memory_.mapped(), buffer_.length}; }

  /// From the front of bytes(). An image's former contents are lost, and it is left so that from() can copy it: in the
  /// layout TRANSFER_SRC_OPTIMAL.
  Expected<void> to(const Buffer& buffer) const;
  Expected<void> to(const Image& image) const;
  Expected<void> from(const Buffer& buffer) const;
  Expected<void> from(const Image& image) const;

 private:
  Device* device_ = nullptr;
  Memory memory_;
  Buffer buffer_;  // goes before its memory
};

}  // namespace lab::vulkan
