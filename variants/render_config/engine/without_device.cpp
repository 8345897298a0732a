#include "variants/render_config/engine/without_device.h"

#include "harness/bench/checksum.h"

namespace lab::render_config {

namespace {

thread_local bench::Checksum digest;
thread_local CommandCounts counted;

void add_bytes(const void* bytes, std::size_t count) {
  digest.bytes(bytes, count);
}
template <typename... Values>
void add(const Values&... values) {
  (add_bytes(&values, sizeof values), ...);
}

enum Command : std::uint64_t {
  kBeginPass,
  kEndPass,
  kBindPipeline,
  kBindSets,
  kPush,
  kVertices,
  kIndices,
  kViewport,
  kScissor,
  kDraw,
  kDrawIndexed
};

}  // namespace

vulkan::DeviceFunctions silent_commands() {
  vulkan::DeviceFunctions vk;
  vk.vkCmdBeginRenderPass = [](VkCommandBuffer, const VkRenderPassBeginInfo*, VkSubpassContents) {};
  vk.vkCmdEndRenderPass = [](VkCommandBuffer) {};
  vk.vkCmdBindPipeline = [](VkCommandBuffer, VkPipelineBindPoint, VkPipeline) {};
  vk.vkCmdBindDescriptorSets = [](VkCommandBuffer, VkPipelineBindPoint, VkPipelineLayout, std::uint32_t, std::uint32_t,
                                  const VkDescriptorSet*, std::uint32_t, const std::uint32_t*) {};
  vk.vkCmdPushConstants = [](VkCommandBuffer, VkPipelineLayout, VkShaderStageFlags, std::uint32_t, std::uint32_t,
                             const void*) {};
  vk.vkCmdBindVertexBuffers = [](VkCommandBuffer, std::uint32_t, std::uint32_t, const VkBuffer*, const VkDeviceSize*) {
  };
  vk.vkCmdBindIndexBuffer = [](VkCommandBuffer, VkBuffer, VkDeviceSize, VkIndexType) {};
  vk.vkCmdSetViewport = [](VkCommandBuffer, std::uint32_t, std::uint32_t, const VkViewport*) {};
  vk.vkCmdSetScissor = [](VkCommandBuffer, std::uint32_t, std::uint32_t, const VkRect2D*) {};
  vk.vkCmdDraw = [](VkCommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {};
  vk.vkCmdDrawIndexed = [](VkCommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t, std::uint32_t) {
  };
  return vk;
}

vulkan::DeviceFunctions CommandDigest::begin() {
  digest = {};
  counted = {};
  vulkan::DeviceFunctions vk;
  vk.vkCmdBeginRenderPass = [](VkCommandBuffer, const VkRenderPassBeginInfo* info, VkSubpassContents contents) {
    ++counted.passes;
    add(kBeginPass, info->renderPass, info->framebuffer, info->renderArea, info->clearValueCount, contents);
    add_bytes(info->pClearValues, info->clearValueCount * sizeof(VkClearValue));
  };
  vk.vkCmdEndRenderPass = [](VkCommandBuffer) { add(kEndPass); };
  vk.vkCmdBindPipeline = [](VkCommandBuffer, VkPipelineBindPoint point, VkPipeline pipeline) {
    ++counted.pipelines;
    add(kBindPipeline, point, pipeline);
  };
  vk.vkCmdBindDescriptorSets = [](VkCommandBuffer, VkPipelineBindPoint point, VkPipelineLayout layout,
                                  std::uint32_t first, std::uint32_t count, const VkDescriptorSet* sets, std::uint32_t,
                                  const std::uint32_t*) {
    counted.sets += count;
    add(kBindSets, point, layout, first, count);
    add_bytes(sets, count * sizeof *sets);
  };
  vk.vkCmdPushConstants = [](VkCommandBuffer, VkPipelineLayout layout, VkShaderStageFlags stages, std::uint32_t offset,
                             std::uint32_t bytes, const void* values) {
    ++counted.pushes;
    add(kPush, layout, stages, offset, bytes);
    add_bytes(values, bytes);
  };
  vk.vkCmdBindVertexBuffers = [](VkCommandBuffer, std::uint32_t first, std::uint32_t count, const VkBuffer* buffers,
                                 const VkDeviceSize* offsets) {
    add(kVertices, first, count);
    add_bytes(buffers, count * sizeof *buffers);
    add_bytes(offsets, count * sizeof *offsets);
  };
  vk.vkCmdBindIndexBuffer = [](VkCommandBuffer, VkBuffer buffer, VkDeviceSize offset, VkIndexType type) {
    add(kIndices, buffer, offset, type);
  };
  vk.vkCmdSetViewport = [](VkCommandBuffer, std::uint32_t first, std::uint32_t count, const VkViewport* viewports) {
    add(kViewport, first, count);
    add_bytes(viewports, count * sizeof *viewports);
  };
  vk.vkCmdSetScissor = [](VkCommandBuffer, std::uint32_t first, std::uint32_t count, const VkRect2D* scissors) {
    add(kScissor, first, count);
    add_bytes(scissors, count * sizeof *scissors);
  };
  vk.vkCmdDraw = [](VkCommandBuffer, std::uint32_t vertices, std::uint32_t instances, std::uint32_t first_vertex,
                    std::uint32_t first_instance) {
    ++counted.draws;
    add(kDraw, vertices, instances, first_vertex, first_instance);
  };
  vk.vkCmdDrawIndexed = [](VkCommandBuffer, std::uint32_t indices, std::uint32_t instances, std::uint32_t first_index,
                           std::int32_t first_vertex, std::uint32_t first_instance) {
    ++counted.draws;
    add(kDrawIndexed, indices, instances, first_index, first_vertex, first_instance);
  };
  return vk;
}

std::uint64_t CommandDigest::value() {
  return digest.value();
}

CommandCounts CommandDigest::counts() {
  return counted;
}

}  // namespace lab::render_config
