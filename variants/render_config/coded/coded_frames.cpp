#include "variants/render_config/coded/coded_frames.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "variants/render_config/engine/builtin_shaders.h"
#include "variants/render_config/engine/shader_compiler.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kCascades = 4;
constexpr std::uint32_t kTile = 512;  // edge of a cascade in the atlas, pixels
constexpr float kOffset = 1.5f;       // texels from the surface to where its shadow is looked up
constexpr float kExposure = 0.8f;
constexpr float kGrey = 1;

struct ViewPush {
  std::uint32_t view;
};
struct NumberPush {
  std::uint32_t view;
  float number;
};

/// A render pass with the images that it draws to.
struct Target {
  Kept<VkRenderPass> pass;
  Kept<VkFramebuffer> framebuffer;
  PassSpec spec;
  VkRect2D area{};
  std::array<VkClearValue, 3> clears{};
  std::uint32_t clear_count = 0;
};

struct Image {
  TargetImage target;
  Format format;
};

/// What all frames have: glass over what is lit, and the way to the output.
class Coded : public FrameRenderer {
 public:
  void record(const FrameContext& frame) const final {
    bind_frame(frame);
    record_lit(frame);
    begin(frame, glass_target_);
    push(frame, ViewPush{0});
    draw_objects(frame, Order::kBackToFront, std::array{VkPipeline{VK_NULL_HANDLE}, glass_.handle});
    end(frame);
    begin(frame, shown_);
    bind(frame, shown_inputs_);
    push(frame, NumberPush{0, kExposure});
    cover(frame, show_);
    end(frame);
    record_effect(frame);
  }
  const FrameOutput& output() const final { return output_; }
  std::span<const CascadeSpec> views() const final { return views_; }

  /// Objects are made in the order in which a frame uses them.
  Expected<void> make(Objects& objects, std::uint32_t width, std::uint32_t height) {
    objects_ = &objects;
    width_ = width;
    height_ = height;
    depth_ = image("depth", Format::kDepth32);
    lit_ = image("lit", Format::kRgba16f);
    image_ = image("image", Format::kRgba8);
    make_lit();
    glass_target_ = target({{lit_, Begin::kKeep}, {depth_, Begin::kKeep}});
    glass_ = pipeline(glass_target_, {.vertex = code("shaders/mesh.vert"),
                                      .fragment = code("shaders/glass.frag"),
                                      .cull = Cull::kBack,
                                      .depth = DepthTest::kLess,
                                      .depth_write = false,
                                      .blend = Blend::kOver});
    shown_ = target({{image_, Begin::kCover}});
    show_ = fullscreen(shown_, "shaders/show.frag");
    shown_inputs_ = inputs({lit_});
    show_output(image_);
    make_effect();
    return failed_ ? Expected<void>(*failed_) : Expected<void>();
  }

 protected:
  virtual void make_lit() = 0;
  virtual void record_lit(const FrameContext& frame) const = 0;
  virtual void make_effect() {}
  virtual void record_effect(const FrameContext&) const {}

  // ---- Making objects. After the first error, the rest does not matter.

  template <typename T>
  T made(Expected<T> object) {
    if (object) return std::move(*object);
    if (!failed_) failed_ = object.error();
    return {};
  }
  Image image(const char* name, Format format, std::uint32_t edge = 0) {
    return {made(objects_->image({name, format, edge == 0 ? width_ : edge, edge == 0 ? height_ : edge})), format};
  }
  struct Drawn {
    const Image& image;
    Begin begin;
  };
  Target target(const std::vector<Drawn>& images, std::uint32_t edge = 0) {
    Target target;
    std::vector<Kept<VkImageView>> views;
    for (const Drawn& drawn : images) {
      target.spec.push_back({drawn.image.format, drawn.begin});
      views.push_back(drawn.image.target.view);
      if (is_depth(drawn.image.format) && drawn.begin == Begin::kClear)
        target.clears[target.clear_count].depthStencil = {1, 0};
      ++target.clear_count;
    }
    target.area.extent = {edge == 0 ? width_ : edge, edge == 0 ? height_ : edge};
    target.pass = made(objects_->pass(target.spec));
    target.framebuffer =
        made(objects_->framebuffer(target.spec, views, target.area.extent.width, target.area.extent.height));
    return target;
  }
  // Named once, as a shader that was read from a file is.
  static std::shared_ptr<const ShaderCode> code(const std::string& file) {
    static std::map<std::string, std::shared_ptr<const ShaderCode>> known;
    std::shared_ptr<const ShaderCode>& code = known[file];
    if (code == nullptr) code = shader_code(builtin_shader(file));
    return code;
  }
  Kept<VkPipeline> pipeline(const Target& target, PipelineSpec spec) {
    spec.pass = target.spec;
    for (TargetSpec& one : spec.pass) one.begin = Begin::kClear;
    return made(objects_->pipeline(spec));
  }
  Kept<VkPipeline> fullscreen(const Target& target, const char* fragment) {
    return pipeline(target,
                    {.vertex = code("shaders/fullscreen.vert"), .fragment = code(fragment), .reads_vertices = false});
  }
  Kept<VkDescriptorSet> inputs(const std::vector<Image>& images) {
    std::vector<InputSpec> specs;
    for (const Image& image : images)
      specs.push_back({static_cast<std::uint32_t>(specs.size()), image.target.view, is_depth(image.format), false});
    return made(objects_->inputs(specs));
  }
  void show_output(const Image& image) {
    output_ = {image.target.image.handle, image.target.view.handle, width_, height_};
  }

  // ---- Recording.

  static void begin(const FrameContext& frame, const Target& target) { begin(frame, target, target.area); }
  static void begin(const FrameContext& frame, const Target& target, const VkRect2D& part) {
    VkRenderPassBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    info.renderPass = target.pass.handle;
    info.framebuffer = target.framebuffer.handle;
    info.renderArea = target.area;
    info.clearValueCount = target.clear_count;
    info.pClearValues = target.clears.data();
    frame.vk.vkCmdBeginRenderPass(frame.commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    const VkViewport viewport{static_cast<float>(part.offset.x),
                              static_cast<float>(part.offset.y),
                              static_cast<float>(part.extent.width),
                              static_cast<float>(part.extent.height),
                              0,
                              1};
    frame.vk.vkCmdSetViewport(frame.commands, 0, 1, &viewport);
    frame.vk.vkCmdSetScissor(frame.commands, 0, 1, &part);
  }
  static void end(const FrameContext& frame) { frame.vk.vkCmdEndRenderPass(frame.commands); }
  static void bind(const FrameContext& frame, const Kept<VkDescriptorSet>& inputs) {
    frame.vk.vkCmdBindDescriptorSets(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, frame.binding.layout, 1, 1,
                                     &inputs.handle, 0, nullptr);
  }
  template <typename Constants>
  static void push(const FrameContext& frame, const Constants& constants) {
    frame.vk.vkCmdPushConstants(frame.commands, frame.binding.layout, kPushStages, 0, sizeof constants, &constants);
  }
  static void cover(const FrameContext& frame, const Kept<VkPipeline>& pipeline) {
    frame.vk.vkCmdBindPipeline(frame.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.handle);
    frame.vk.vkCmdDraw(frame.commands, 3, 1, 0, 0);
  }

  Image depth_{}, lit_{}, image_{};
  std::vector<CascadeSpec> views_;

 private:
  Objects* objects_ = nullptr;  // while objects are made
  std::uint32_t width_ = 0, height_ = 0;
  std::optional<Error> failed_;
  Target glass_target_, shown_;
  Kept<VkPipeline> glass_, show_;
  Kept<VkDescriptorSet> shown_inputs_;
  FrameOutput output_;
};

class CodedForward : public Coded {
  void make_lit() override {
    target_ = target({{lit_, Begin::kClear}, {depth_, Begin::kClear}});
    surface_ = pipeline(target_, {.vertex = code("shaders/mesh.vert"),
                                  .fragment = code("shaders/forward.frag"),
                                  .cull = Cull::kBack,
                                  .depth = DepthTest::kLess});
  }
  void record_lit(const FrameContext& frame) const override {
    begin(frame, target_);
    push(frame, ViewPush{0});
    draw_objects(frame, Order::kFrontToBack, std::array{surface_.handle, VkPipeline{VK_NULL_HANDLE}});
    end(frame);
  }

  Target target_;
  Kept<VkPipeline> surface_;
};

class CodedDeferred : public Coded {
  void make_lit() override {
    const Image albedo = image("albedo", Format::kRgba8), normal = image("normal", Format::kRgb10a2);
    const Image atlas = image("shadow_atlas", Format::kDepth32, 2 * kTile);
    for (std::uint32_t cascade = 0; cascade < kCascades; ++cascade)
      views_.push_back(
          {.cascade = cascade, .of = kCascades, .reach = 60, .split = 0.3f, .sphere = true, .pixels = kTile});
    first_tile_ = target({{atlas, Begin::kClear}}, 2 * kTile);
    tile_ = target({{atlas, Begin::kKeep}}, 2 * kTile);
    shadow_ = pipeline(
        tile_,
        {.vertex = code("shaders/shadow.vert"), .fragment = nullptr, .cull = Cull::kBack, .depth = DepthTest::kLess});
    gbuffer_target_ = target({{albedo, Begin::kClear}, {normal, Begin::kClear}, {depth_, Begin::kClear}});
    gbuffer_ = pipeline(gbuffer_target_, {.vertex = code("shaders/mesh.vert"),
                                          .fragment = code("shaders/gbuffer.frag"),
                                          .cull = Cull::kBack,
                                          .depth = DepthTest::kLess});
    light_target_ = target({{lit_, Begin::kCover}});
    light_ = fullscreen(light_target_, "shaders/light_atlas.frag");
    light_inputs_ = inputs({albedo, normal, depth_, atlas});
  }
  void record_lit(const FrameContext& frame) const override {
    for (std::uint32_t cascade = 0; cascade < kCascades; ++cascade) {
      const VkRect2D tile{
          {static_cast<std::int32_t>(cascade % 2 * kTile), static_cast<std::int32_t>(cascade / 2 * kTile)},
          {kTile, kTile}};
      begin(frame, cascade == 0 ? first_tile_ : tile_, tile);
      push(frame, ViewPush{1 + cascade});
      draw_objects(frame, Order::kByMaterial, std::array{shadow_.handle, VkPipeline{VK_NULL_HANDLE}});
      end(frame);
    }
    begin(frame, gbuffer_target_);
    push(frame, ViewPush{0});
    draw_objects(frame, Order::kFrontToBack, std::array{gbuffer_.handle, VkPipeline{VK_NULL_HANDLE}});
    end(frame);
    begin(frame, light_target_);
    bind(frame, light_inputs_);
    push(frame, NumberPush{1, kOffset});
    cover(frame, light_);
    end(frame);
  }

  Target first_tile_, tile_, gbuffer_target_, light_target_;
  Kept<VkPipeline> shadow_, gbuffer_, light_;
  Kept<VkDescriptorSet> light_inputs_;
};

class CodedGreyscale final : public CodedDeferred {
  void make_effect() override {
    const Image grey = image("grey", Format::kRgba8);
    target_ = target({{grey, Begin::kCover}});
    greyscale_ = fullscreen(target_, "greyscale/greyscale.frag");
    inputs_ = inputs({image_});
    show_output(grey);
  }
  void record_effect(const FrameContext& frame) const override {
    begin(frame, target_);
    bind(frame, inputs_);
    push(frame, NumberPush{0, kGrey});
    cover(frame, greyscale_);
    end(frame);
  }

  Target target_;
  Kept<VkPipeline> greyscale_;
  Kept<VkDescriptorSet> inputs_;
};

}  // namespace

Expected<std::unique_ptr<FrameRenderer>> make_coded(CodedFrame frame, Objects& objects, std::uint32_t width,
                                                    std::uint32_t height) {
  std::unique_ptr<Coded> coded;
  if (frame == CodedFrame::kForward)
    coded = std::make_unique<CodedForward>();
  else if (frame == CodedFrame::kDeferred)
    coded = std::make_unique<CodedDeferred>();
  else
    coded = std::make_unique<CodedGreyscale>();
  if (const Expected<void> made = coded->make(objects, width, height); !made) return made.error();
  return std::unique_ptr<FrameRenderer>(std::move(coded));
}

}  // namespace lab::render_config
