#include "variants/render_config/engine/named_frame.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace lab::render_config {

NamedFrame::NamedFrame(const Config& config, std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {
  views_["camera"] = 0;
  for (const View& view : config.views) views_.emplace(view.name, static_cast<std::uint32_t>(views_.size()));
  for (std::size_t i = 0; i < kOrders.size(); ++i) orders_[std::string(kOrders[i])] = static_cast<Order>(i);
  for (std::size_t i = 0; i < config.frame.size(); ++i) {
    const Pass& pass = config.frame[i];
    const Step& step = plan_->steps()[i];
    NamedPass& named = passes_.emplace_back();
    named.name = pass.name;
    named.view = pass.view == 0 ? "camera" : config.views[pass.view - 1].name;
    named.fullscreen = pass.fullscreen;
    named.order = kOrders[pass.order];
    for (const Constant& constant : pass.constants) {
      const std::string& name = named.constants.emplace_back(pass.name + "/" + constant.name, constant.values).first;
      constants_[name] = plan_->constants()[i].at(constant.name);
    }
    for (FrameNumber odd = 0; odd < images_.size(); ++odd) {
      const Step& own = plan_->steps(odd)[i];
      images_[odd].targets[pass.name] = &own;
      if (own.inputs != VK_NULL_HANDLE) images_[odd].inputs[pass.name] = own.inputs;
    }
    if (pass.fullscreen) pipelines_[pass.name] = step.pipeline;
    for (std::size_t material = 0; material < step.pipelines.size(); ++material) {
      named.materials[material] = pass.name + "/" + std::string(kMaterials[material]);
      if (step.pipelines[material] != VK_NULL_HANDLE) pipelines_[named.materials[material]] = step.pipelines[material];
    }
  }
}

void NamedFrame::record(const FrameContext& frame) const {
  const vulkan::DeviceFunctions& vk = frame.vk;
  plan_->clear_histories(frame);
  bind_frame(frame);
  const Images& images = images_[frame.number & 1];
  for (const NamedPass& pass : passes_) {
    const Step& target = *images.targets.at(pass.name);
    vk.vkCmdBeginRenderPass(frame.commands, &target.begin, VK_SUBPASS_CONTENTS_INLINE);
    vk.vkCmdSetViewport(frame.commands, 0, 1, &target.viewport);
    vk.vkCmdSetScissor(frame.commands, 0, 1, &target.scissor);
    if (const auto inputs = images.inputs.find(pass.name); inputs != images.inputs.end())
      vk.vkCmdBindDescriptorSets(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, frame.binding.layout, 1, 1,
                                 &inputs->second, 0, nullptr);
    std::array<std::byte, kPushBytes> push;
    std::uint32_t bytes = sizeof(std::uint32_t);
    std::memcpy(push.data(), &views_.at(pass.view), sizeof(std::uint32_t));
    for (const auto& [name, values] : pass.constants) {
      const std::uint32_t offset = constants_.at(name);
      const auto size = static_cast<std::uint32_t>(values.size() * sizeof(float));
      std::memcpy(push.data() + offset, values.data(), size);
      bytes = std::max(bytes, offset + size);
    }
    vk.vkCmdPushConstants(frame.commands, frame.binding.layout, kPushStages, 0, bytes, push.data());
    if (pass.fullscreen) {
      vk.vkCmdBindPipeline(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines_.at(pass.name));
      vk.vkCmdDraw(frame.commands, 3, 1, 0, 0);
    } else {
      std::array<VkPipeline, kMaterials.size()> pipelines{};
      for (std::size_t material = 0; material < kMaterials.size(); ++material)
        if (const auto found = pipelines_.find(pass.materials[material]); found != pipelines_.end())
          pipelines[material] = found->second;
      draw_objects(frame, orders_.at(pass.order), pipelines);
    }
    vk.vkCmdEndRenderPass(frame.commands);
  }
}

}  // namespace lab::render_config
