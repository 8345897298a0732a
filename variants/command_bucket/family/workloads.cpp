#include "variants/command_bucket/family/workloads.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "harness/bench/exhibits.h"
#include "variants/command_bucket/family/cache_clearer.h"
#include "variants/command_bucket/family/watched.h"
#include "variants/common/pinned_workers.h"

namespace lab::command_bucket {

namespace {

// The article does not define its artificial work. It reports 4.55 ms for V2 with 40,000 commands on a core of 3.4 GHz:
// 114 ns each. With this many steps V2 takes as long on a core of about 3 GHz (Sapphire Rapids). On other cores the
// time differs, and the report shows it. A number calibrated on each machine would make sessions and checksums
// incomparable.
constexpr unsigned kArticleWorkSteps = 92;

// The threads of the sweep are the same on every machine and in every version: an axis belongs to the workload, and
// points that only some machines have could not be compared. So a machine with fewer cores measures the last points
// oversubscribed. That is a case of its own: a renderer shares its cores with other programs, and how a version
// behaves when a thread loses its core in the middle of a frame is part of its design. (The report states the cores.)
constexpr unsigned kMostThreads = 16;

constexpr std::size_t kFrames = 1000;  // of which the 99.9th percentile is taken

constexpr const char* kFrameTimes = "frame_times";
constexpr const char* kThreadEvents = "thread_events";

enum Phase : std::size_t { kAdd, kSort, kSubmit, kPhases };

/// A scene, and what renders it.
class Stage {
 public:
  Stage(Scene scene, unsigned workers, const MakeFrame& make_frame)
      : scene_(std::move(scene)), pool_(workers, pinned_workers(workers)), frame_(make_frame(scene_, pool_)) {}

  /// Renders a frame; `before` runs when the heap is ready, and is not timed. Returns the checksum.
  template <typename Before>
  std::uint64_t render(bench::PhaseClock& clock, const Before& before) {
    frame_->reset_heap();
    before();
    pool_.gather();
    clock.time(kAdd, [&] { frame_->add(); });
    packet_memory_bytes_ = frame_->packet_memory_bytes();
    clock.time(kSort, [&] { frame_->sort(); });
    Backend backend;
    clock.time(kSubmit, [&] { frame_->submit(backend); });
    frame_->clear();
    return backend.checksum.value();
  }

  designs::WorkerPool& pool() { return pool_; }

  std::map<std::string, double> counters() const {
    std::map<std::string, double> counters{{"workers", pool_.workers()}, {"pinned", pool_.pinned()}};
    if (packet_memory_bytes_ != 0) counters["packet_memory_bytes"] = static_cast<double>(packet_memory_bytes_);
    return counters;
  }

 private:
  Scene scene_;
  designs::WorkerPool pool_;
  std::unique_ptr<Frame> frame_;
  std::size_t packet_memory_bytes_ = 0;
};

class FrameTask : public bench::Task {
 public:
  FrameTask(Scene scene, unsigned workers, const MakeFrame& make_frame, std::uint64_t seed)
      : stage_(std::move(scene), workers, make_frame), clearer_(seed) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    return stage_.render(clock, [this] { clearer_.clear(stage_.pool()); });
  }
  std::map<std::string, double> counters() const override { return stage_.counters(); }

 private:
  Stage stage_;
  CacheClearer clearer_;
};

std::unique_ptr<bench::Task> prepare_frames(const Renderer& renderer, unsigned work_steps, std::uint64_t seed,
                                            unsigned threads) {
  return std::make_unique<FrameTask>(make_scene(seed, kMeshes, kLights, work_steps),
                                     workers_for(renderer.threading, threads), renderer.make_frame, seed);
}

/// Of kFrames frames, in nanoseconds. The caches are not cleared in between.
std::vector<std::uint32_t> frame_times(const Renderer& renderer, const bench::Case& inputs) {
  Stage stage(make_scene(inputs.seed, kExhibitComponents, kExhibitComponents, kArticleWorkSteps),
              workers_for(renderer.threading, inputs.threads), renderer.make_frame);
  std::vector<std::uint32_t> times;
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    bench::PhaseClock clock(kPhases);
    stage.render(clock, [] {});
    const double sum = std::accumulate(clock.nanoseconds().begin(), clock.nanoseconds().end(), 0.0);
    times.push_back(static_cast<std::uint32_t>(std::min<double>(sum, UINT32_MAX)));
  }
  return times;
}

/// Of a small frame.
std::vector<bench::Event> thread_events(const Renderer& renderer, const bench::Case& inputs) {
  const Scene scene = make_scene(inputs.seed, kExhibitComponents, kExhibitComponents, kArticleWorkSteps);
  const unsigned workers = workers_for(renderer.threading, inputs.threads);
  designs::WorkerPool pool(workers, pinned_workers(workers));
  return watched_frame(renderer, scene, pool);
}

std::vector<bench::Metric> metrics() {
  using enum bench::MetricKind;
  using enum bench::Better;
  return {{"packet_memory_bytes", "Packet memory", "bytes", kExact, kLess},
          {"workers", "Worker threads", "", kExact, kNeither},
          {"pinned", "Whether each worker has its own core", "", kExact, kNeither}};
}

bench::Workload make_workload(std::string name, std::string title, int version, Threading threading) {
  bench::Workload workload;
  workload.name = std::move(name);
  workload.title = std::move(title);
  workload.version = version;
  workload.phases = {"add", "sort", "submit"};
  workload.operations = 2 * kMeshes + 2 * kLights;
  workload.operation = "command";
  workload.parallel = threading == Threading::kPool;
  workload.metrics = metrics();
  return workload;
}

bench::Workload frames(std::string name, std::string title, unsigned work_steps, const Renderer& renderer) {
  constexpr int kVersion = 2;  // version 1 did not reset the heap before each timed frame
  bench::Workload workload = make_workload(std::move(name), std::move(title), kVersion, renderer.threading);
  workload.prepare = [=](const bench::Case& inputs) {
    return prepare_frames(renderer, work_steps, inputs.seed, inputs.threads);
  };
  return workload;
}

bench::Workload with_exhibits(bench::Workload workload, const Renderer& renderer) {
  workload.exhibits = {
      {kFrameTimes, "Time of a frame of 800 commands", bench::ExhibitKind::kLatency},
      {kThreadEvents, "What each thread does while the commands of a frame are added", bench::ExhibitKind::kEvents}};
  workload.exhibit = [=](const bench::Case& inputs, bench::ExhibitFiles& files) {
    files.latency(kFrameTimes, frame_times(renderer, inputs));
    files.events(kThreadEvents, thread_events(renderer, inputs));
  };
  return workload;
}

bench::Workload sweep_over_threads(const Renderer& renderer) {
  bench::Workload workload =
      make_workload("frame_threads", "the frame with artificial work on 1 to 16 threads", 1, renderer.threading);
  workload.axis = bench::Axis{"threads", "", {}};
  for (unsigned threads = 1; threads <= kMostThreads; threads *= 2)
    workload.axis->points.push_back({static_cast<double>(threads)});
  if (renderer.threading == Threading::kOne) {
    workload.unsupported = "the version adds its commands on one thread";
    return workload;
  }
  workload.prepare = [=](const bench::Case& inputs) {
    return prepare_frames(renderer, kArticleWorkSteps, inputs.seed, static_cast<unsigned>(inputs.point));
  };
  return workload;
}

}  // namespace

unsigned workers_for(Threading threading, unsigned threads) {
  return threading == Threading::kPool ? threads : 1;
}

std::vector<bench::Workload> workloads(const Renderer& renderer) {
  return {frames("frame", "10,000 meshes and 10,000 lights through three command buckets", 0, renderer),
          with_exhibits(
              frames("frame_work", "the same frame with artificial work for each command, as much as in the article",
                     kArticleWorkSteps, renderer),
              renderer),
          sweep_over_threads(renderer)};
}

}  // namespace lab::command_bucket
