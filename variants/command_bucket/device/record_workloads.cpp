#include "variants/command_bucket/device/record_workloads.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/bench/exhibits.h"
#include "variants/command_bucket/device/drawable_scene.h"
#include "variants/command_bucket/device/recording.h"
#include "variants/command_bucket/device/scene_renderer.h"
#include "variants/command_bucket/family/workloads.h"
#include "variants/common/workers/pinned_workers.h"
#include "variants/common/workloads/workload.h"
#include "variants/vulkan/measured_device.h"

namespace lab::command_bucket {

namespace {

// Fewer than in the article: the device renders every frame that is recorded, and a device may be a program on the CPU.
constexpr std::size_t kRecordedMeshes = 2'000, kRecordedLights = 2'000;
constexpr std::size_t kRecordedCommands = 2 * kRecordedMeshes + 2 * kRecordedLights;

enum Phase : std::size_t { kAdd, kSort, kRecord, kPhases };

// In the order of SceneRenderer::pictures().
constexpr std::array<std::pair<const char*, const char*>, kLayers> kPictures{
    {{"gbuffer", "G-buffer: the colour of 2,000 meshes"},
     {"shadow_map", "Shadow map: their depth from the sun"},
     {"lighting", "Lighting: the sun and 2,000 lights"}}};

using vulkan::required;

/// A device, and the scene that it renders.
class DeviceStage {
 public:
  DeviceStage(const Renderer& renderer, const bench::Case& inputs, bool in_parts)
      : device_(vulkan::measured_device(inputs.device, SceneRenderer::features())),
        scene_(make_drawable_scene(inputs.seed, kRecordedMeshes, kRecordedLights)),
        workers_(workers_for(renderer.threading, inputs.threads)),
        pool_(workers_, pinned_workers(workers_)),
        frame_(renderer.make_frame(scene_, pool_, {})),
        in_parts_(in_parts),
        renderer_(required(SceneRenderer::create(*device_, scene_, in_parts ? workers_ : 0), "creating the scene")) {}

  /// Adds, sorts and records a frame, and then renders it, untimed. Returns the checksum of all images.
  std::uint64_t render(bench::PhaseClock& clock) {
    frame_->reset_heap();
    pool_.gather();
    clock.time(kAdd, [this] { frame_->add(); });
    clock.time(kSort, [this] { frame_->sort(); });
    required(renderer_->begin_frame(), "beginning a frame");
    pool_.gather();
    Expected<void> ended;
    clock.time(kRecord, [&] {
      if (in_parts_)
        record_parts(*frame_, *renderer_, pool_, workers_);
      else
        record_primary(*frame_, *renderer_);
      ended = renderer_->end_frame();
    });
    required(std::move(ended), "recording");
    required(renderer_->execute(), "rendering");
    frame_->clear();
    return required(renderer_->digest(), "reading the images");
  }

  std::map<std::string, double> counters() const {
    const Recorded recorded = renderer_->recorded();
    std::uint64_t draws = 0;
    for (const std::uint64_t of_layer : recorded.draws) draws += of_layer;
    std::map<std::string, double> counters{{"workers", pool_.workers()},
                                           {"draws", static_cast<double>(draws)},
                                           {"binds", static_cast<double>(recorded.binds)}};
    vulkan::add_device_time(counters, *device_, renderer_->device_ns());
    return counters;
  }

  std::vector<bench::Picture> pictures() const { return required(renderer_->pictures(), "reading the images"); }

 private:
  std::unique_ptr<vulkan::Device> device_;
  Scene scene_;
  unsigned workers_;
  designs::WorkerPool pool_;
  std::unique_ptr<Frame> frame_;
  bool in_parts_;
  std::unique_ptr<SceneRenderer> renderer_;
};

class RecordTask : public bench::Task {
 public:
  RecordTask(const Renderer& renderer, const bench::Case& inputs, bool in_parts) : stage_(renderer, inputs, in_parts) {}
  std::uint64_t repeat(bench::PhaseClock& clock) override { return stage_.render(clock); }
  std::map<std::string, double> counters() const override { return stage_.counters(); }

 private:
  DeviceStage stage_;
};

bench::Workload recording(const char* name, const char* title, const Renderer& renderer, bool in_parts) {
  using enum bench::MetricKind;
  using enum bench::Better;
  bench::Workload workload = make_workload(name, title, {"add", "sort", "record"}, kRecordedCommands, "command");
  workload.parallel = true;     // a driver that is a program has every core, whatever the version has
  workload.repeatable = false;  // a driver has threads and clocks of its own
  workload.metrics = {{vulkan::kGpuTime, vulkan::kGpuTimeTitle, "ns", kTime, kLess},
                      {vulkan::kGpuTimeByCpu, vulkan::kGpuTimeByCpuTitle, "ns", kTime, kLess},
                      {"draws", "Draws", "", kExact, kNeither},
                      {"binds", "Changes of vertex and index buffers", "", kExact, kLess},
                      {"workers", "Worker threads", "", kExact, kNeither}};
  workload.unsupported = vulkan::no_measured_device();
  if (!workload.unsupported.empty()) return workload;
  if (renderer.replaces_malloc) {
    workload.unsupported = "its allocator would also serve the driver, and recording would measure that";
    return workload;
  }
  workload.prepare = [=](const bench::Case& inputs) {
    return std::make_unique<RecordTask>(renderer, inputs, in_parts);
  };
  if (!renderer.pictures || in_parts) return workload;
  for (std::size_t i = 0; i < kPictures.size(); ++i)
    workload.exhibits.push_back({kPictures[i].first, kPictures[i].second, bench::ExhibitKind::kImage});
  workload.exhibit = [=](const bench::Case& inputs, bench::ExhibitFiles& files) {
    bench::PhaseClock clock(kPhases);
    DeviceStage stage(renderer, inputs, false);
    stage.render(clock);
    const std::vector<bench::Picture> pictures = stage.pictures();
    for (std::size_t i = 0; i < kPictures.size(); ++i) files.image(kPictures[i].first, pictures[i]);
  };
  return workload;
}

}  // namespace

std::vector<bench::Workload> record_workloads(const Renderer& renderer) {
  bench::Workload primary = recording(
      "record_primary", "2,000 meshes and 2,000 lights, recorded into one Vulkan command buffer", renderer, false);
  bench::Workload secondaries = recording(
      "record_secondaries", "the same, recorded by all workers into secondary command buffers", renderer, true);
  return {std::move(primary),
          supported_if(renderer.threading != Threading::kOne, "the version has one thread", std::move(secondaries))};
}

}  // namespace lab::command_bucket
