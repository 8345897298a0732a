#include "variants/ambient_obscurance/device/device_renderer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "halve.comp.h"
#include "harness/vulkan/barriers.h"
#include "harness/vulkan/objects.h"
#include "linearise.comp.h"
#include "obscure.comp.h"
#include "reproject.comp.h"
#include "variants/ambient_obscurance/device/device_variant.h"
#include "variants/ambient_obscurance/family/cpu_renderer.h"
#include "variants/ambient_obscurance/family/steps.h"
#include "variants/vulkan/measured_device.h"
#include "variants/vulkan/resources.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/timestamps.h"

namespace lab::ambient_obscurance {

namespace {

using vulkan::required;

constexpr std::uint32_t kGroup = 8;  // edge of a work group, pixels
// Of pairs: what is obscured, the results of two frames, and the weights.
constexpr std::size_t kPlanes = 4, kObscuredPlane = 0, kResultPlane = 1, kWeightPlane = 3;
constexpr std::size_t kMostPatterns = 16;

/// As steps.glsl declares it.
struct Parameters {
  std::int32_t width, height, texels, pixels;
  float near, x_first, y_first, step;
  float pixels_by_depth, nothing, radius, bias;
  float intensity, epsilon, depth_minimum, velocity_scale;
  float moving_scale, low_velocity, high_velocity, moving_minimum;
  float smoothing, most_radius;
  std::int32_t pixels_at_0, disocclusion;
  std::int32_t velocity, dangerous, printed_combination, forwards_movers;
  std::array<std::array<std::int32_t, 4>, 8> chain;
  std::array<std::array<float, 4>, kMostSamples> spiral;
};
static_assert(sizeof(Parameters) == 28 * 4 + 8 * 16 + kMostSamples * 16);

using Pair = std::array<float, 2>;

struct Push {
  std::int32_t frame_inputs, pattern_kind_of, first_kind, now, has_history, level;
};

Parameters parameters_of(const Work& work) {
  const Lens& lens = work.sequence.lens;
  const Chain chain = chain_of(lens.width, lens.height);
  Parameters parameters{.width = static_cast<std::int32_t>(lens.width),
                        .height = static_cast<std::int32_t>(lens.height),
                        .texels = static_cast<std::int32_t>(chain.texels),
                        .pixels = static_cast<std::int32_t>(lens.pixels()),
                        .near = lens.near,
                        .x_first = lens.x_first,
                        .y_first = lens.y_first,
                        .step = lens.step,
                        .pixels_by_depth = pixels_by_depth(lens),
                        .nothing = kNothing,
                        .radius = kRadius,
                        .bias = kBias,
                        .intensity = kIntensity,
                        .epsilon = kEpsilon,
                        .depth_minimum = kDepthMinimum,
                        .velocity_scale = kVelocityScale,
                        .moving_scale = kMovingScale,
                        .low_velocity = kLowVelocity,
                        .high_velocity = kHighVelocity,
                        .moving_minimum = kMovingMinimum,
                        .smoothing = kSmoothing,
                        .most_radius = kMostRadius,
                        .pixels_at_0 = kMostPixelsAt0,
                        .disocclusion = work.settings.terms.disocclusion,
                        .velocity = work.settings.terms.velocity,
                        .dangerous = static_cast<std::int32_t>(work.settings.terms.dangerous),
                        .printed_combination = work.settings.printed_combination,
                        .forwards_movers = work.settings.forwards_movers,
                        .chain = {},
                        .spiral = {}};
  for (std::size_t level = 0; level < chain.first.size(); ++level)
    parameters.chain[level] = {chain.first[level], chain.width[level], chain.height[level], 0};
  const std::vector<Direction>& spiral = work.patterns.front().spiral;  // all patterns have the same
  for (std::size_t i = 0; i < spiral.size(); ++i) parameters.spiral[i] = {spiral[i].x, spiral[i].y, 0, 0};
  return parameters;
}

class DeviceRenderer final : public Renderer {
 public:
  static Expected<std::unique_ptr<Renderer>> create(vulkan::Device& device, const Work& work) {
    std::unique_ptr<DeviceRenderer> renderer(new DeviceRenderer(device, work));
    if (const Expected<void> done = renderer->initialise(); !done) return done.error();
    return std::unique_ptr<Renderer>(std::move(renderer));
  }

  void begin() override {
    frame_ = timed_ = 0;
    device_ns_ = 0;
  }

  void render(bench::PhaseClock& clock) override {
    clock.time(0, [this] {
      required(device_.run([this](VkCommandBuffer commands) { record(commands); }), "rendering a frame");
    });
    if (const std::optional<double> ns = required(timestamps_.ns(), "reading the timestamps"); ns) {
      device_ns_ += *ns;
      ++timed_;
    }
    ++frame_;
  }

  std::vector<float> result() override {
    return plane(work_.settings.reprojected ? kResultPlane + (frame_ - 1) % 2 : kObscuredPlane);
  }
  std::vector<float> weight() override { return plane(kWeightPlane); }

  void add_counters(std::map<std::string, double>& counters) const override {
    if (timed_ > 0) vulkan::add_device_time(counters, device_, device_ns_ / static_cast<double>(timed_));
  }

 private:
  DeviceRenderer(vulkan::Device& device, const Work& work)
      : device_(device),
        work_(work),
        chain_(chain_of(work.sequence.lens.width, work.sequence.lens.height)),
        resources_(device) {}

  std::size_t pixels() const { return work_.sequence.lens.pixels(); }

  Expected<void> initialise() {
    std::vector<std::array<float, 4>> inputs;
    for (const Frame& frame : work_.sequence.frames)
      for (std::size_t i = 0; i < pixels(); ++i)
        inputs.push_back({frame.depth[i], frame.motion_x[i], frame.motion_y[i], static_cast<float>(frame.moving[i])});
    std::vector<std::uint8_t> kind_of;
    std::vector<std::array<float, 4>> kinds;
    for (const Pattern& pattern : work_.patterns) {
      for (const PixelKind& kind : pattern.kinds) kinds.push_back({kind.cosine, kind.sine, kind.shift, 0});
      kind_of.insert(kind_of.end(), pattern.kind_of.begin(), pattern.kind_of.end());
      kind_of.resize((kind_of.size() + 3) / 4 * 4);
    }
    kinds.resize(kMostPatterns * kMostKinds);
    const Parameters parameters = parameters_of(work_);

    constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    constexpr VkBufferUsageFlags kUniform = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    for (const auto& [buffer, contents, usage] :
         {std::tuple{&parameters_, std::as_bytes(std::span(&parameters, 1)), kUniform},
          std::tuple{&inputs_, std::as_bytes(std::span(inputs)), kStorage},
          std::tuple{&kind_of_, std::as_bytes(std::span(kind_of)), kStorage},
          std::tuple{&kinds_, std::as_bytes(std::span(kinds)), kUniform}}) {
      auto filled = resources_.buffer(contents, usage);
      if (!filled) return filled.error();
      *buffer = std::move(*filled);
    }
    auto chains = resources_.buffer(2 * chain_.texels * sizeof(float), kStorage);
    if (!chains) return chains.error();
    chains_ = std::move(*chains);
    const std::size_t planes_bytes = kPlanes * pixels() * sizeof(Pair);
    auto planes = resources_.buffer(planes_bytes, kStorage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    if (!planes) return planes.error();
    planes_ = std::move(*planes);
    auto staging = vulkan::Staging::create(device_, planes_bytes);
    if (!staging) return staging.error();
    staging_ = std::move(*staging);
    auto timestamps = vulkan::Timestamps::create(device_);
    if (!timestamps) return timestamps.error();
    timestamps_ = std::move(*timestamps);
    return make_pipelines();
  }

  Expected<void> make_pipelines() {
    constexpr std::array<VkDescriptorType, 6> kTypes{
        VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER};
    auto descriptors = vulkan::create_descriptors(device_, kTypes, VK_SHADER_STAGE_COMPUTE_BIT);
    if (!descriptors) return descriptors.error();
    descriptors_ = std::move(*descriptors);
    const std::array<const vulkan::PlacedBuffer*, kTypes.size()> buffers{&parameters_, &inputs_, &kind_of_,
                                                                         &chains_,     &planes_, &kinds_};
    for (std::uint32_t i = 0; i < buffers.size(); ++i) descriptors_.write(device_, i, kTypes[i], buffers[i]->handle());
    const VkDescriptorSetLayout set = descriptors_.layout.handle();
    auto layout =
        vulkan::create_pipeline_layout(device_, std::span(&set, 1), VK_SHADER_STAGE_COMPUTE_BIT, sizeof(Push));
    if (!layout) return layout.error();
    layout_ = std::move(*layout);
    // So that the loop over the samples has a known end, and nothing is done that is not wanted.
    const std::array<std::uint32_t, 3> values{work_.settings.samples, work_.settings.counts_movers(), work_.weighs};
    std::array<VkSpecializationMapEntry, values.size()> entries;
    for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, i * 4, 4};
    const VkSpecializationInfo constants{.mapEntryCount = entries.size(),
                                         .pMapEntries = entries.data(),
                                         .dataSize = sizeof(values),
                                         .pData = values.data()};
    for (const auto& [pipeline, words] :
         {std::pair{&linearise_, vulkan::ShaderWords(kLineariseComp)},
          std::pair{&halve_, vulkan::ShaderWords(kHalveComp)}, std::pair{&obscure_, vulkan::ShaderWords(kObscureComp)},
          std::pair{&reproject_, vulkan::ShaderWords(kReprojectComp)}}) {
      auto made = vulkan::create_pipeline(device_, layout_.handle(), words, &constants);
      if (!made) return made.error();
      *pipeline = std::move(*made);
    }
    return {};
  }

  void record(VkCommandBuffer commands) const {
    const vulkan::DeviceFunctions& vk = device_.vk();
    const std::size_t at = std::min(frame_, work_.sequence.frames.size() - 1);
    const std::size_t pattern = frame_ % work_.patterns.size();
    Push push{.frame_inputs = static_cast<std::int32_t>(at * pixels()),
              .pattern_kind_of = static_cast<std::int32_t>(pattern * ((pixels() + 3) / 4 * 4)),
              .first_kind = static_cast<std::int32_t>(pattern * kMostKinds),
              .now = static_cast<std::int32_t>(frame_ % 2),
              .has_history = frame_ > 0,
              .level = 0};
    timestamps_.begin(commands);
    vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.handle(), 0, 1, &descriptors_.set, 0,
                               nullptr);
    const auto step = [&](const vulkan::Owned<VkPipeline>& pipeline, std::int32_t width, std::int32_t height) {
      vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
      vk.vkCmdPushConstants(commands, layout_.handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push), &push);
      const auto groups = [](std::int32_t edge) { return (static_cast<std::uint32_t>(edge) + kGroup - 1) / kGroup; };
      vk.vkCmdDispatch(commands, groups(width), groups(height), 1);
      // The next step reads what this one wrote, and so does the copy of a result.
      vulkan::memory_barrier(vk, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT);
    };
    step(linearise_, chain_.width[0], chain_.height[0]);
    for (std::uint32_t level = 1; level < kLevels; ++level) {
      push.level = static_cast<std::int32_t>(level);
      step(halve_, chain_.width[level], chain_.height[level]);
    }
    step(obscure_, chain_.width[0], chain_.height[0]);
    if (work_.settings.reprojected) step(reproject_, chain_.width[0], chain_.height[0]);
    timestamps_.end(commands);
  }

  // The first of the pairs.
  std::vector<float> plane(std::size_t which) {
    required(staging_.from(planes_.buffer), "reading a result");
    std::vector<Pair> pairs(pixels());
    std::memcpy(pairs.data(), staging_.bytes().data() + which * pixels() * sizeof(Pair), pixels() * sizeof(Pair));
    std::vector<float> values;
    for (const Pair& pair : pairs) values.push_back(pair[0]);
    return values;
  }

  vulkan::Device& device_;
  const Work work_;
  const Chain chain_;
  vulkan::Resources resources_;
  vulkan::PlacedBuffer parameters_, inputs_, kind_of_, chains_, planes_, kinds_;
  vulkan::Staging staging_;
  vulkan::Timestamps timestamps_;
  vulkan::Descriptors descriptors_;
  vulkan::Owned<VkPipelineLayout> layout_;
  vulkan::Owned<VkPipeline> linearise_, halve_, obscure_, reproject_;
  std::size_t frame_ = 0, timed_ = 0;
  double device_ns_ = 0;
};

/// A renderer and the device that it has for itself.
class OwnDeviceRenderer final : public Renderer {
 public:
  explicit OwnDeviceRenderer(const Work& work)
      : device_(vulkan::measured_device(work.inputs.device, device_features())),
        renderer_(required(make_device_renderer(*device_, work), "creating the renderer")) {}

  void begin() override { renderer_->begin(); }
  void render(bench::PhaseClock& clock) override { renderer_->render(clock); }
  std::vector<float> result() override { return renderer_->result(); }
  std::vector<float> weight() override { return renderer_->weight(); }
  void add_counters(std::map<std::string, double>& counters) const override { renderer_->add_counters(counters); }

 private:
  std::unique_ptr<vulkan::Device> device_;
  std::unique_ptr<Renderer> renderer_;
};

}  // namespace

VkPhysicalDeviceFeatures device_features() {
  return {};
}

Expected<std::unique_ptr<Renderer>> make_device_renderer(vulkan::Device& device, const Work& work) {
  return DeviceRenderer::create(device, work);
}

Maker device_maker() {
  using enum bench::MetricKind;
  return {.make = [](const Work& work) { return std::make_unique<OwnDeviceRenderer>(work); },
          .phases = {"frame"},
          .parallel = true,
          .on_device = true,
          .unsupported = vulkan::no_measured_device(),
          .metrics = {{vulkan::kGpuTime, vulkan::kGpuTimeTitle, "ns", kTime, bench::Better::kLess},
                      {vulkan::kGpuTimeByCpu, vulkan::kGpuTimeByCpuTitle, "ns", kTime, bench::Better::kLess}}};
}

bench::Variant& make_device_variant(const char* name, const bench::Card& card) {
  return make_variant(name, card, device_maker());
}

}  // namespace lab::ambient_obscurance
