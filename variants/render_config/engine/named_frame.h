/// A configuration that is walked by its names in each frame: what a plan saves.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "variants/render_config/engine/plan.h"

namespace lab::render_config {

class NamedFrame final : public FrameRenderer {
 public:
  /// `plan`: of `config`, whose objects it uses.
  NamedFrame(const Config& config, std::unique_ptr<Plan> plan);

  void record(const FrameContext& frame) const override;
  const FrameOutput& output() const override { return plan_->output(); }
  std::span<const CascadeSpec> views() const override { return plan_->views(); }

 private:
  struct NamedPass {
    std::string name, view;
    std::vector<std::pair<std::string, std::vector<float>>> constants;
    std::array<std::string, kMaterials.size()> materials;  ///< of a draw
    bool fullscreen = false;
    std::string order;
  };
  std::unique_ptr<Plan> plan_;
  std::vector<NamedPass> passes_;
  struct Images {
    std::map<std::string, const Step*> targets;     // by pass
    std::map<std::string, VkDescriptorSet> inputs;  // by pass
  };
  std::array<Images, 2> images_;                            // of frames with even and odd numbers
  std::map<std::string, VkPipeline> pipelines_;             // by pass and material
  std::map<std::string, std::uint32_t> views_, constants_;  // numbers; offsets by pass and name
  std::map<std::string, Order> orders_;
};

}  // namespace lab::render_config
