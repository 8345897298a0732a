#include "variants/vulkan/timestamps.h"

#include <array>
#include <cstdint>

#include "harness/base/error.h"
#include "harness/vulkan/objects.h"

namespace lab::vulkan {

Expected<Timestamps> Timestamps::create(Device& device) {
  Timestamps timestamps;
  timestamps.device_ = &device;
  if (device.timestamp_bits() == 0) return timestamps;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  auto pool =
      create_object(device, device.vk().vkCreateQueryPool, device.vk().vkDestroyQueryPool, info, "vkCreateQueryPool");
  if (!pool) return pool.error();
  timestamps.pool_ = std::move(*pool);
  return timestamps;
}

void Timestamps::begin(VkCommandBuffer commands) const {
  if (pool_.handle() == VK_NULL_HANDLE) return;
  device_->vk().vkCmdResetQueryPool(commands, pool_.handle(), 0, 2);
  device_->vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool_.handle(), 0);
}

void Timestamps::end(VkCommandBuffer commands) const {
  if (pool_.handle() == VK_NULL_HANDLE) return;
  device_->vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_.handle(), 1);
}

Expected<std::optional<double>> Timestamps::ns() const {
  if (pool_.handle() == VK_NULL_HANDLE) return std::optional<double>();
  std::array<std::uint64_t, 2> at{};
  const VkResult result = device_->vk().vkGetQueryPoolResults(device_->handle(), pool_.handle(), 0, 2, sizeof at,
                                                              at.data(), sizeof at[0], VK_QUERY_RESULT_64_BIT);
  if (const auto read = success_of(result, "vkGetQueryPoolResults"); !read) return read.error();
  return std::optional(
      timestamp_ns(at[0], at[1], device_->timestamp_bits(), double{device_->limits().timestampPeriod}));
}

double timestamp_ns(std::uint64_t first, std::uint64_t second, std::uint32_t bits, double period_ns) {
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  return static_cast<double>((second - first) & mask) * period_ns;
}

}  // namespace lab::vulkan
