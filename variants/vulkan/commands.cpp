#include "variants/vulkan/commands.h"

#include <utility>

#include "harness/base/error.h"
#include "harness/vulkan/objects.h"

namespace lab::vulkan {

Expected<Commands> Commands::create(Device& device, VkCommandBufferLevel level) {
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = device.queue_family();
  auto pool = create_object(device, device.vk().vkCreateCommandPool, device.vk().vkDestroyCommandPool, pool_info,
                            "vkCreateCommandPool");
  if (!pool) return pool.error();
  Commands commands;
  commands.device_ = &device;
  commands.pool_ = std::move(*pool);
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = commands.pool_.handle();
  info.level = level;
  info.commandBufferCount = 1;
  if (const auto made = success_of(device.vk().vkAllocateCommandBuffers(device.handle(), &info, &commands.commands_),
                                   "vkAllocateCommandBuffers");
      !made)
    return made.error();
  return commands;
}

Expected<void> Commands::reset() const {
  return success_of(device_->vk().vkResetCommandPool(device_->handle(), pool_.handle(), 0), "vkResetCommandPool");
}

Expected<void> Commands::begin(const VkCommandBufferInheritanceInfo* inherited) const {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (inherited != nullptr) info.flags |= VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  info.pInheritanceInfo = inherited;
  return success_of(device_->vk().vkBeginCommandBuffer(commands_, &info), "vkBeginCommandBuffer");
}

Expected<void> Commands::end() const {
  return success_of(device_->vk().vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

}  // namespace lab::vulkan
