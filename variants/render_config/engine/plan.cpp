#include "variants/render_config/engine/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "harness/base/nearest.h"

namespace lab::render_config {

namespace {

template <typename Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

Error unknown(const Place& place, const std::string& found, std::string_view expected,
              const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(found, names);
  return problem_at(place,
                    fmt::format("expected {} ({}), found '{}'", expected,
                                names.empty() ? "it has none" : fmt::format("{}", fmt::join(names, ", ")), found),
                    nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
}

Error in_pass(const Pass& pass, const Error& error) {
  return problem_at(pass.place, fmt::format("expected objects for the pass {}, found: {}", pass.name, error.what));
}

VkRect2D scissor_of(const Pass& pass, std::uint32_t width, std::uint32_t height) {
  const auto edge = [](double at, std::uint32_t of) { return std::lround(at * of); };
  const long left = std::min(edge(pass.viewport[0], width), long{width} - 1),
             top = std::min(edge(pass.viewport[1], height), long{height} - 1);
  const long right = edge(pass.viewport[0] + pass.viewport[2], width),
             bottom = edge(pass.viewport[1] + pass.viewport[3], height);
  return {
      {static_cast<std::int32_t>(left), static_cast<std::int32_t>(top)},
      {static_cast<std::uint32_t>(std::max(1L, right - left)), static_cast<std::uint32_t>(std::max(1L, bottom - top))}};
}

struct Program {
  std::shared_ptr<const CompiledShader> vertex, fragment;
};

// What the parts of a program and its pass must agree on: locations and their types.
Expected<void> check_interfaces(const Pass& pass, const Shader& shader, const Program& program) {
  const Place& vertex_place = shader.vertex_place;
  for (const auto& [location, type] : program.vertex->interface.inputs) {
    if (pass.fullscreen)
      return problem_at(vertex_place, fmt::format("expected a vertex shader without inputs for the fullscreen pass {} "
                                                  "in {}:{}, found {} at location {}",
                                                  pass.name, pass.place.file, pass.place.line, type, location));
    if (location > 1 || type != "3 x float")
      return problem_at(vertex_place, fmt::format("expected vec3 inputs at locations 0 and 1, found {} at location {}",
                                                  type, location));
  }
  const std::size_t outputs = program.fragment ? program.fragment->interface.outputs.size() : 0;
  if (outputs != pass.targets.size() || (outputs > 0 && program.fragment->interface.outputs.rbegin()->first >= outputs))
    return problem_at(pass.place, fmt::format("expected as many targets as the shader '{}' has outputs, {}, found {}",
                                              shader.name, outputs, pass.targets.size()));
  if (!program.fragment) return {};
  for (const auto& [location, type] : program.fragment->interface.inputs) {
    const auto& given = program.vertex->interface.outputs;
    const auto found = given.find(location);
    if (found == given.end() || found->second != type)
      return problem_at(shader.fragment_place,
                        fmt::format("expected {} at location {} from the vertex shader, found {}", type, location,
                                    found == given.end() ? "none" : found->second));
  }
  return {};
}

// The constants of all parts of the programs, by name.
Expected<std::map<std::string, ShaderInterface::Constant>> constants_of(const Pass& pass,
                                                                        const std::vector<Program>& programs) {
  std::map<std::string, ShaderInterface::Constant> wanted;
  for (const Program& program : programs)
    for (const CompiledShader* const part : {program.vertex.get(), program.fragment.get()}) {
      if (part == nullptr) continue;
      for (const auto& [name, constant] : part->interface.constants) {
        const auto [known, added] = wanted.emplace(name, constant);
        if (!added && known->second != constant)
          return problem_at(pass.place, fmt::format("expected shaders that agree on the place of the constant '{}', "
                                                    "found them at bytes {} and {}",
                                                    name, known->second.offset, constant.offset));
      }
    }
  return wanted;
}

// The bindings of all images that the programs read, by name.
Expected<std::map<std::string, std::uint32_t>> images_of(const Pass& pass, const std::vector<Program>& programs) {
  std::map<std::string, std::uint32_t> wanted;
  for (const Program& program : programs) {
    if (!program.vertex->interface.images.empty())
      return problem_at(pass.place, fmt::format("expected images in fragment shaders alone, found '{}' in a vertex "
                                                "shader",
                                                program.vertex->interface.images.begin()->first));
    if (!program.fragment) continue;
    for (const auto& [name, binding] : program.fragment->interface.images) {
      const auto [known, added] = wanted.emplace(name, binding);
      if (!added && known->second != binding)
        return problem_at(pass.place, fmt::format("expected shaders that agree on the binding of '{}', found {} and {}",
                                                  name, known->second, binding));
    }
  }
  return wanted;
}

using Owners = std::vector<std::shared_ptr<const void>>;

// A handle, whose object `owners` keep.
template <typename Handle>
Handle keep(Owners& owners, const Kept<Handle>& kept) {
  owners.push_back(kept.owner);
  return kept.handle;
}

/// The images of all resources.
class ResourceImages {
 public:
  ResourceImages(const Config& config, Objects& objects, std::uint32_t width, std::uint32_t height, Owners& owners,
                 std::vector<History>& cleared)
      : config_(config), objects_(objects), width_(width), height_(height), owners_(owners), cleared_(cleared) {}

  bool has_histories() const { return std::ranges::find(histories_, true) != histories_.end(); }

  /// Of a resource, by the frames that draw to it: even and odd numbers. One image, or two of a history.
  using Images = std::array<TargetImage, 2>;

  Expected<const Images*> of(std::size_t resource) {
    if (!images_[resource]) {
      const auto first = image(resource, false);
      if (!first) return first.error();
      images_[resource] = {*first, *first};
      if (histories_[resource]) {
        const auto second = image(resource, true);
        if (!second) return second.error();
        (*images_[resource])[1] = *second;
        if (const auto added = add_history(resource); !added) return added.error();
      }
    }
    return &*images_[resource];
  }

 private:
  Expected<TargetImage> image(std::size_t resource, bool odd) {
    const Resource& of = config_.resources[resource];
    const auto [width, height] = config_.size_of(resource, width_, height_);
    bytes_ += texel_bytes(of.format) * width * height;
    if (bytes_ > kMostImageBytes)
      return problem_at(of.place, fmt::format("expected at most {} bytes of images, found {} with the {} x {} pixels "
                                              "of '{}'",
                                              kMostImageBytes, bytes_, width, height, of.name));
    const auto made = objects_.image({of.name, of.format, width, height, odd});
    if (!made)
      return problem_at(of.place, fmt::format("expected memory for {} x {} pixels of '{}', found: {}", width, height,
                                              of.name, made.error().what));
    keep(owners_, made->image);
    return *made;
  }

  Expected<void> add_history(std::size_t resource) {
    const PassSpec spec{{config_.resources[resource].format, Begin::kClear}};
    const auto [width, height] = config_.size_of(resource, width_, height_);
    const auto pass = objects_.pass(spec);
    if (!pass) return pass.error();
    History history;
    for (std::size_t i = 0; i < history.clears.size(); ++i) {
      const TargetImage& image = (*images_[resource])[i];
      const auto framebuffer = objects_.framebuffer(spec, std::array{image.view}, width, height);
      if (!framebuffer) return framebuffer.error();
      static constexpr VkClearValue kZero{};
      history.clears[i].sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
      history.clears[i].renderPass = keep(owners_, *pass);
      history.clears[i].framebuffer = keep(owners_, *framebuffer);
      history.clears[i].renderArea.extent = {width, height};
      history.clears[i].clearValueCount = 1;
      history.clears[i].pClearValues = &kZero;
      history.drawn_in[i] = image.drawn_in;
    }
    cleared_.push_back(std::move(history));
    return {};
  }

  const Config& config_;
  Objects& objects_;
  std::uint32_t width_, height_;
  Owners& owners_;
  std::vector<History>& cleared_;
  std::vector<std::optional<Images>> images_ = std::vector<std::optional<Images>>(config_.resources.size());
  std::vector<bool> histories_ = config_.histories();
  std::uint64_t bytes_ = 0;
};

}  // namespace

class PlanMaker {
 public:
  PlanMaker(const Config& config, ShaderCompiler& compiler, const ReadFile& read, Objects& objects, std::uint32_t width,
            std::uint32_t height)
      : config_(config), compiler_(compiler), read_(read), objects_(objects), width_(width), height_(height) {}

  Expected<std::unique_ptr<Plan>> make() {
    plan_->alternates_ = images_.has_histories() ? 1 : 0;
    for (const Pass& pass : config_.frame)
      if (const Expected<void> added = add(pass); !added) return added.error();
    for (std::vector<Step>& steps : plan_->steps_)
      for (Step& step : steps) step.begin.pClearValues = step.clear_values.data();  // where they stay
    for (const View& view : config_.views)
      plan_->views_.push_back({view.cascade, view.of, static_cast<float>(view.reach), static_cast<float>(view.split),
                               view.sphere, view.pixels});
    const TargetImage& output = (*images_.of(config_.output))->front();
    plan_->output_ = {output.image.handle, output.view.handle, width_, height_};
    return std::move(plan_);
  }

 private:
  using Views = std::array<std::vector<Kept<VkImageView>>, 2>;  // of even and odd frames

  /// What a pass finds in `targets`, and their views.
  Expected<PassSpec> add_targets(const Pass& pass, const std::vector<std::size_t>& targets, Step& step, Views& views) {
    PassSpec spec;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::size_t resource = targets[i];
      const auto target = images_.of(resource);
      if (!target) return target.error();
      for (std::size_t odd = 0; odd < 2; ++odd) views[odd].push_back((**target)[odd].view);
      const Format format = config_.resources[resource].format;
      const bool covered = pass.covers && !written_[resource];
      spec.push_back({format, pass.clears[i] ? Begin::kClear : covered ? Begin::kCover : Begin::kKeep});
      VkClearValue& value = step.clear_values[i];
      const std::array<float, 4> clear = pass.clears[i].value_or(std::array<float, 4>{});
      if (is_depth(format))
        value.depthStencil = {clear[0], 0};
      else
        std::ranges::copy(clear, value.color.float32);
      written_[resource] = true;
    }
    return spec;
  }

  Expected<void> add(const Pass& pass) {
    Step step;
    plan_->constants_.emplace_back();
    std::vector<std::size_t> targets = pass.targets;
    if (pass.depth) targets.push_back(*pass.depth);
    Views views;
    const Expected<PassSpec> made_spec = add_targets(pass, targets, step, views);
    if (!made_spec) return made_spec.error();
    const PassSpec& spec = *made_spec;
    const auto [width, height] = config_.size_of(targets.front(), width_, height_);
    const auto render_pass = objects_.pass(spec);
    if (!render_pass) return in_pass(pass, render_pass.error());
    step.scissor = scissor_of(pass, width, height);
    step.viewport = {static_cast<float>(step.scissor.offset.x),
                     static_cast<float>(step.scissor.offset.y),
                     static_cast<float>(step.scissor.extent.width),
                     static_cast<float>(step.scissor.extent.height),
                     0,
                     1};
    step.begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    step.begin.renderPass = keep(plan_->kept_, *render_pass);
    step.begin.renderArea = {{0, 0}, {width, height}};
    step.begin.clearValueCount = static_cast<std::uint32_t>(targets.size());
    step.order = static_cast<Order>(pass.order);
    step.fullscreen = pass.fullscreen;
    const auto view = static_cast<std::uint32_t>(pass.view);
    std::memcpy(step.push.data(), &view, sizeof view);

    std::vector<Program> programs;
    if (pass.fullscreen) {
      const auto pipeline = pipeline_of(pass, pass.shader, spec, programs);
      if (!pipeline) return pipeline.error();
      step.pipeline = *pipeline;
    } else {
      for (std::size_t material = 0; material < kMaterials.size(); ++material) {
        const std::optional<std::size_t>& shader = pass.material_shaders[material];
        if (!shader) continue;
        const auto pipeline = pipeline_of(pass, *shader, spec, programs);
        if (!pipeline) return pipeline.error();
        step.pipelines[material] = *pipeline;
      }
    }
    for (const Program& program : programs)
      for (const TargetSpec& target : spec)
        if (target.begin == Begin::kCover && program.fragment && program.fragment->interface.discards)
          return problem_at(pass.place,
                            "expected \"clear\" for the targets of a shader that discards pixels, found none");
    if (const auto set = set_constants(pass, programs, step); !set) return set.error();
    std::array<std::vector<InputSpec>, 2> inputs;
    if (const auto found = find_inputs(pass, programs, inputs); !found) return found.error();
    for (std::size_t odd = 0; odd <= plan_->alternates_; ++odd) {
      const auto framebuffer = objects_.framebuffer(spec, views[odd], width, height);
      if (!framebuffer) return in_pass(pass, framebuffer.error());
      step.begin.framebuffer = keep(plan_->kept_, *framebuffer);
      if (!inputs[odd].empty()) {
        const auto set = objects_.inputs(inputs[odd]);
        if (!set) return in_pass(pass, set.error());
        step.inputs = keep(plan_->kept_, *set);
      }
      plan_->steps_[odd].push_back(step);
    }
    return {};
  }

  Expected<VkPipeline> pipeline_of(const Pass& pass, std::size_t index, const PassSpec& spec,
                                   std::vector<Program>& programs) {
    const Shader& shader = config_.shaders[index];
    const auto vertex = compiler_.compile(shader.vertex, ShaderStage::kVertex, shader.vertex_place, read_);
    if (!vertex) return vertex.error();
    Program program{*vertex, nullptr};
    if (!shader.fragment.empty()) {
      const auto fragment = compiler_.compile(shader.fragment, ShaderStage::kFragment, shader.fragment_place, read_);
      if (!fragment) return fragment.error();
      program.fragment = *fragment;
    }
    if (const auto checked = check_interfaces(pass, shader, program); !checked) return checked.error();
    PipelineSpec pipeline{.pass = spec, .vertex = program.vertex->code, .fragment = nullptr};
    // Pipelines fit all passes with these formats, whatever is in the images before.
    for (TargetSpec& target : pipeline.pass) target.begin = Begin::kClear;
    if (program.fragment) pipeline.fragment = program.fragment->code;
    pipeline.reads_vertices = !pass.fullscreen;
    pipeline.cull = shader.cull;
    pipeline.depth = pass.depth ? shader.depth : DepthTest::kOff;
    pipeline.depth_write = shader.depth_write;
    pipeline.blend = shader.blend;
    const auto made = objects_.pipeline(pipeline);
    if (!made) return in_pass(pass, made.error());
    programs.push_back(std::move(program));
    return keep(plan_->kept_, *made);
  }

  Expected<void> set_constants(const Pass& pass, const std::vector<Program>& programs, Step& step) {
    auto wanted = constants_of(pass, programs);
    if (!wanted) return wanted.error();
    for (const Constant& constant : pass.constants) {
      const auto found = wanted->find(constant.name);
      if (found == wanted->end())
        return unknown(constant.place, constant.name, "a constant of the shader", keys_of(*wanted));
      if (constant.values.size() != found->second.components)
        return problem_at(constant.place, fmt::format("expected {} numbers for the constant '{}', found {}",
                                                      found->second.components, constant.name, constant.values.size()));
      const std::size_t bytes = constant.values.size() * sizeof(float);
      std::memcpy(step.push.data() + found->second.offset, constant.values.data(), bytes);
      plan_->constants_.back()[constant.name] = found->second.offset;
      step.push_bytes = std::max(step.push_bytes, static_cast<std::uint32_t>(found->second.offset + bytes));
      wanted->erase(found);
    }
    if (!wanted->empty())
      return problem_at(pass.place, fmt::format("expected a value for each constant of the shader, found none for '{}'",
                                                wanted->begin()->first));
    return {};
  }

  /// `inputs`: of even and odd frames.
  Expected<void> find_inputs(const Pass& pass, const std::vector<Program>& programs,
                             std::array<std::vector<InputSpec>, 2>& inputs) {
    auto wanted = images_of(pass, programs);
    if (!wanted) return wanted.error();
    const std::vector<std::string> names = keys_of(*wanted);
    for (const Input& input : pass.inputs) {
      const auto found = wanted->find(input.name);
      if (found == wanted->end()) return unknown(input.place, input.name, "an image of the shader", names);
      const auto read = images_.of(input.resource);
      if (!read) return read.error();
      const bool depth = is_depth(config_.resources[input.resource].format);
      for (std::size_t odd = 0; odd < 2; ++odd) {
        const std::size_t drawn = input.previous ? 1 - odd : odd;
        inputs[odd].push_back({found->second, (**read)[drawn].view, depth, input.linear});
      }
      wanted->erase(found);
    }
    if (!wanted->empty())
      return problem_at(pass.place, fmt::format("expected an input for each image of the shader, found none for '{}'",
                                                wanted->begin()->first));
    for (std::vector<InputSpec>& of_frame : inputs) std::ranges::sort(of_frame, {}, &InputSpec::binding);
    return {};
  }

  const Config& config_;
  ShaderCompiler& compiler_;
  const ReadFile& read_;
  Objects& objects_;
  std::uint32_t width_, height_;
  std::unique_ptr<Plan> plan_{new Plan};
  ResourceImages images_{config_, objects_, width_, height_, plan_->kept_, plan_->histories_};
  std::vector<bool> written_ = std::vector<bool>(config_.resources.size());
};

Expected<std::unique_ptr<Plan>> Plan::make(const Config& config, ShaderCompiler& compiler, const ReadFile& read,
                                           Objects& objects, std::uint32_t width, std::uint32_t height) {
  return PlanMaker(config, compiler, read, objects, width, height).make();
}

void record_step(const FrameContext& frame, const Step& step) {
  const vulkan::DeviceFunctions& vk = frame.vk;
  vk.vkCmdBeginRenderPass(frame.commands, &step.begin, VK_SUBPASS_CONTENTS_INLINE);
  vk.vkCmdSetViewport(frame.commands, 0, 1, &step.viewport);
  vk.vkCmdSetScissor(frame.commands, 0, 1, &step.scissor);
  if (step.inputs != VK_NULL_HANDLE)
    vk.vkCmdBindDescriptorSets(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, frame.binding.layout, 1, 1,
                               &step.inputs, 0, nullptr);
  vk.vkCmdPushConstants(frame.commands, frame.binding.layout, kPushStages, 0, step.push_bytes, step.push.data());
  if (step.fullscreen) {
    vk.vkCmdBindPipeline(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, step.pipeline);
    vk.vkCmdDraw(frame.commands, 3, 1, 0, 0);
  } else {
    draw_objects(frame, step.order, step.pipelines);
  }
  vk.vkCmdEndRenderPass(frame.commands);
}

void Plan::clear_histories(const FrameContext& frame) const {
  for (const History& history : histories_) {
    const std::size_t drawn = frame.number & 1, read = 1 - drawn;
    if (*history.drawn_in[read] + 1 != frame.number) {
      frame.vk.vkCmdBeginRenderPass(frame.commands, &history.clears[read], VK_SUBPASS_CONTENTS_INLINE);
      frame.vk.vkCmdEndRenderPass(frame.commands);
    }
    *history.drawn_in[drawn] = frame.number;
  }
}

void Plan::record(const FrameContext& frame) const {
  clear_histories(frame);
  bind_frame(frame);
  for (const Step& step : steps(frame.number)) record_step(frame, step);
}

RenderEnvironment scene_environment() {
  return {.materials = {kMaterials.begin(), kMaterials.end()}, .orders = {kOrders.begin(), kOrders.end()}};
}

RenderEnvironment scene_environment(const vulkan::Device& device) {
  RenderEnvironment environment = scene_environment();
  environment.most_targets = std::min<std::size_t>(device.limits().maxColorAttachments, kMostTargets);
  environment.most_pixels = std::min(device.limits().maxImageDimension2D, environment.most_pixels);
  const auto has = [&device](Format format, VkFormatFeatureFlags wanted) {
    return (device.features_of(vulkan_format(format)) & wanted) == wanted;
  };
  environment.supports = [has](Format format) {
    return has(format,
               VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | (is_depth(format) ? VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                                       : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT));
  };
  environment.filters = [has](Format format) { return has(format, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT); };
  environment.blends = [has](Format format) { return has(format, VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT); };
  return environment;
}

}  // namespace lab::render_config
