/// Command buffers that a caller records itself.
#pragma once

#include "harness/base/error_fwd.h"
#include "harness/vulkan/memory.h"

namespace lab::vulkan {

/// One command buffer with a pool of its own: several threads may record, each into another one.
class Commands {
 public:
  static Expected<Commands> create(Device& device, VkCommandBufferLevel level);

  VkCommandBuffer handle() const { return commands_; }
  /// Drops what was recorded: before begin(), except the first time. The device must not be executing it.
  Expected<void> reset() const;
  /// Records for one submission. A secondary one needs `inherited` and continues a render pass.
  Expected<void> begin(const VkCommandBufferInheritanceInfo* inherited = nullptr) const;
  Expected<void> end() const;

 private:
  Device* device_ = nullptr;
  Owned<VkCommandPool> pool_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

}  // namespace lab::vulkan
