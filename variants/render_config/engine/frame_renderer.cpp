#include "variants/render_config/engine/frame_renderer.h"

namespace lab::render_config {

void bind_frame(const FrameContext& frame) {
  constexpr VkDeviceSize kStart = 0;
  const Binding& binding = frame.binding;
  frame.vk.vkCmdBindVertexBuffers(frame.commands, 0, 1, &binding.vertices, &kStart);
  frame.vk.vkCmdBindIndexBuffer(frame.commands, binding.indices, 0, VK_INDEX_TYPE_UINT16);
  frame.vk.vkCmdBindDescriptorSets(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, binding.layout, 0, 1,
                                   &binding.frame, 0, nullptr);
}

void draw_objects(const FrameContext& frame, Order order, std::span<const VkPipeline> pipelines) {
  const std::span<const Drawable> drawables = frame.scene.drawables();
  VkPipeline bound = VK_NULL_HANDLE;
  for (const std::uint32_t object : frame.scene.order(order)) {
    const Drawable& drawable = drawables[object];
    const VkPipeline pipeline = pipelines[static_cast<std::size_t>(drawable.material)];
    if (pipeline == VK_NULL_HANDLE) continue;
    if (pipeline != bound)
      frame.vk.vkCmdBindPipeline(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, bound = pipeline);
    const Mesh& mesh = drawable.mesh;
    frame.vk.vkCmdDrawIndexed(frame.commands, mesh.indices, 1, mesh.first_index, mesh.first_vertex, object);
  }
}

}  // namespace lab::render_config
