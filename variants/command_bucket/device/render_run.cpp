#include "variants/command_bucket/device/render_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/bench/exhibits.h"
#include "variants/command_bucket/device/recording.h"
#include "variants/command_bucket/device/scene_renderer.h"
#include "variants/common/workloads/workload.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/offsets/slot_blocks.h"

namespace lab::command_bucket {

namespace {

using Version7 = FrameOf<Buckets<LinearPackets<designs::ThreadLocalLinear>, designs::SlotBlocks<>>,
                         ScatteredKeys::Of<KeyLayout::kScattered>, Threading::kPool>;

constexpr unsigned kMostParts = 7;  // of a check

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct Range {
  std::size_t first, last;
};

// A way to do something wrong to the command at a place of a layer: what is submitted instead.
struct Wrong {
  const char* what;
  std::vector<Range> (*ranges)(std::size_t place, std::size_t count);
};
constexpr Wrong kWrong[] = {{"dropped",
                             [](std::size_t at, std::size_t count) -> std::vector<Range> {
                               return {{0, at}, {at + 1, count}};
                             }},
                            {"repeated",
                             [](std::size_t at, std::size_t count) -> std::vector<Range> {
                               return {{0, at + 1}, {at, count}};
                             }},
                            {"swapped with its neighbour", [](std::size_t at, std::size_t count) -> std::vector<Range> {
                               const std::size_t left = at + 1 < count ? at : at - 1;
                               return {{0, left}, {left + 1, left + 2}, {left, left + 1}, {left + 2, count}};
                             }}};

constexpr std::array<const char*, kLayers> kNames{"the G-buffer", "the shadow map", "lighting"};

class Run {
 public:
  Run(SceneRenderer& renderer, const Scene& scene, const RenderSpec& spec, RenderReport& report)
      : renderer_(renderer),
        scene_(scene),
        spec_(spec),
        report_(report),
        pool_(std::clamp(spec.secondaries, 1u, std::max(1u, std::thread::hardware_concurrency()))),
        frame_(scene, pool_) {
    frame_.add();
    frame_.sort();
  }

  Expected<void> render() {
    std::vector<double> records, executes, device;
    for (std::uint32_t i = 0; i < spec_.frames; ++i) {
      const auto digest = digest_of([&] { record(spec_.secondaries); });
      if (!digest) return digest.error();
      digest_ = *digest;
      records.push_back(record_ms_);
      executes.push_back(execute_ms_);
      if (renderer_.device_ns()) device.push_back(*renderer_.device_ns());
    }
    const Recorded recorded = renderer_.recorded();
    for (const std::uint64_t draws : recorded.draws) report_.draws += draws;
    report_.maps = recorded.maps;
    report_.binds = recorded.binds;
    report_.digest = fmt::format("{:016x}", digest_);
    report_.record_ns = 1e6 * median(records) / static_cast<double>(std::max<std::uint64_t>(report_.draws, 1));
    report_.execute_ms = median(executes);
    if (!device.empty()) report_.device_ns = median(device);
    for (const Layer layer : kAllLayers) {
      const auto seen = renderer_.draws_seen(layer);
      if (!seen) return seen.error();
      report_.unseen_draws += scene_.keys_in(layer) - *seen;
    }
    return write_pictures();
  }

  Expected<void> check() {
    for (const unsigned parts : {0u, 1u, 2u, 3u, kMostParts}) {
      const auto digest = digest_of([&] { record(parts); });
      if (!digest) return digest.error();
      ++report_.right_frames;
      if (*digest != digest_)
        report_.other_images.add(fmt::format("recorded into {} secondary buffers of each layer", parts));
    }
    for (const Layer layer : kAllLayers) {
      const std::size_t count = scene_.keys_in(layer);
      if (count < 2) continue;
      for (const std::size_t place : {std::size_t{0}, std::size_t{1}, count / 3, count / 2, count - 2, count - 1})
        for (const Wrong& wrong : kWrong) {
          const auto digest = digest_of([&] { record_wrongly(layer, wrong.ranges(place, count)); });
          if (!digest) return digest.error();
          ++report_.wrong_frames;
          if (*digest == digest_)
            report_.unnoticed.add(fmt::format("command {} of {} {}", place, kNames[layer], wrong.what));
        }
    }
    return {};
  }

 private:
  void record(unsigned parts) {
    if (parts == 0)
      record_primary(frame_, renderer_);
    else
      record_parts(frame_, renderer_, pool_, parts);
  }

  void record_wrongly(Layer wrong, const std::vector<Range>& ranges) {
    for (const Layer layer : kAllLayers) {
      Backend backend;
      backend.recorder = &renderer_.begin_layer(layer);
      for (const Range& range : layer == wrong ? ranges : std::vector<Range>{{0, scene_.keys_in(layer)}})
        frame_.submit(layer, range.first, range.last, backend);
      renderer_.end_layer(layer);
    }
  }

  Expected<std::uint64_t> digest_of(const std::function<void()>& record) {
    if (const auto begun = renderer_.begin_frame(); !begun) return begun.error();
    const auto start = std::chrono::steady_clock::now();
    record();
    if (const auto ended = renderer_.end_frame(); !ended) return ended.error();
    record_ms_ = ms_since(start);
    const auto submitted = std::chrono::steady_clock::now();
    if (const auto done = renderer_.execute(); !done) return done.error();
    execute_ms_ = ms_since(submitted);
    return renderer_.digest();
  }

  Expected<void> write_pictures() const {
    if (spec_.out.empty()) return {};
    const auto pictures = renderer_.pictures();
    if (!pictures) return pictures.error();
    std::error_code failed;
    std::filesystem::create_directories(spec_.out, failed);
    if (failed) return file_error("creating", spec_.out, failed.value());
    constexpr std::array kFiles{"gbuffer.png", "shadow_map.png", "lighting.png"};
    for (std::size_t i = 0; i < kFiles.size(); ++i)
      if (const auto written = write_file(spec_.out / kFiles[i], bench::png_of((*pictures)[i])); !written)
        return written.error();
    return {};
  }

  SceneRenderer& renderer_;
  const Scene& scene_;
  const RenderSpec& spec_;
  RenderReport& report_;
  designs::WorkerPool pool_;
  Version7 frame_;
  std::uint64_t digest_ = 0;
  double record_ms_ = 0, execute_ms_ = 0;
};

}  // namespace

bool RenderReport::passed() const {
  return unseen_draws == 0 && other_images.count == 0 && unnoticed.count == 0 && vulkan::is_silent(*this);
}

std::string RenderReport::sentence() const {
  std::string text =
      fmt::format("{}{}: {} draws and {} maps, {:.0f} ns for each draw to record, {:.1f} ms to execute.", device,
                  made_by_cpu ? " (a program on the CPU)" : "", draws, maps, record_ns, execute_ms);
  if (unseen_draws > 0) text += fmt::format(" {} draws have no pixel of their own.", unseen_draws);
  if (right_frames > 0)
    text += fmt::format(" {} of {} other recordings have the same images, {} of {} wrong ones have others.",
                        right_frames - other_images.count, right_frames, wrong_frames - unnoticed.count, wrong_frames);
  return text + " " + vulkan::validation_sentence(*this);
}

Expected<void> render(vulkan::Device& device, const RenderSpec& spec, RenderReport& report) {
  report.made_by_cpu = device.is_cpu();
  report.meshes = spec.meshes;
  report.lights = spec.lights;
  report.secondaries = spec.secondaries;
  const Scene scene = make_drawable_scene(spec.seed, spec.meshes, spec.lights);
  const unsigned recorders = spec.check ? std::max(spec.secondaries, kMostParts) : spec.secondaries;
  const auto renderer = SceneRenderer::create(device, scene, recorders, spec.edge);
  if (!renderer) return renderer.error();
  Run run(**renderer, scene, spec, report);
  if (const auto rendered = run.render(); !rendered) return in_context("rendering", rendered.error());
  if (!spec.check) return {};
  if (const auto checked = run.check(); !checked) return in_context("rendering otherwise", checked.error());
  return {};
}

}  // namespace lab::command_bucket
