#include "variants/command_bucket/family/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "harness/bench/exhibits.h"
#include "variants/command_bucket/device/record_workloads.h"
#include "variants/command_bucket/family/cache_clearer.h"
#include "variants/command_bucket/family/watched.h"
#include "variants/common/workers/pinned_workers.h"
#include "variants/common/workloads/workload.h"

namespace lab::command_bucket {

namespace {

using enum bench::MetricKind;
using enum bench::Better;

// The article does not define its artificial work. It reports 4.55 ms for V2 with 40,000 commands on a core of 3.4 GHz:
// 114 ns each. With this many steps V2 takes as long on a core of about 3 GHz (Sapphire Rapids). On other cores the
// time differs, and the report shows it. A number calibrated on each machine would make sessions and checksums
// incomparable.
constexpr unsigned kArticleWorkSteps = 92;

// The threads of the sweep are 1 to 16 on every machine and in every version, and further powers of two up to twice the
// logical cores on a machine that has more than eight. So a machine with fewer measures the last points oversubscribed.
// That is a case of its own: a renderer shares its cores with other programs, and how a version behaves when a thread
// loses its core in the middle of a frame is part of its design. (The report states the cores.)
constexpr unsigned kLeastMostThreads = 16;

constexpr std::size_t kComponentsPerTask[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000};
constexpr std::size_t kAtOnce[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};

constexpr double kOverflowRoom = 0.5;

constexpr std::size_t kSortedKeys = 40'000, kMadeKeys = 40'000;

constexpr std::size_t kFrames = 1000;  // of which the 99.9th percentile is taken

constexpr const char* kFrameTimes = "frame_times";
constexpr const char* kThreadEvents = "thread_events";

constexpr const char* kSortsAsVersion7 = "the version sorts as version 7 does";
constexpr const char* kKeysAsVersion7 = "the version makes and sorts keys as version 7 does";
constexpr const char* kOneThread = "the version adds its commands on one thread";

enum Phase : std::size_t { kAdd, kSort, kSubmit, kPhases };

/// A scene, and what renders it.
class Stage {
 public:
  Stage(Scene scene, unsigned workers, const MakeFrame& make_frame, const FrameOptions& options = {})
      : scene_(std::move(scene)), pool_(workers, pinned_workers(workers)), frame_(make_frame(scene_, pool_, options)) {}

  /// Renders a frame; `before` runs when the heap is ready, and is not timed. Returns the backend after it.
  template <typename Before>
  Backend render(bench::PhaseClock& clock, const Before& before) {
    frame_->reset_heap();
    before();
    pool_.gather();
    clock.time(kAdd, [&] { frame_->add(); });
    packet_memory_bytes_ = frame_->packet_memory_bytes();
    dropped_ = frame_->dropped();
    grown_ = frame_->grown();
    clock.time(kSort, [&] { frame_->sort(); });
    unused_entries_ = frame_->unused_entries();
    Backend backend;
    backend.buffers = frame_->buffers();
    clock.time(kSubmit, [&] { frame_->submit(backend); });
    if (backend.buffers != nullptr) backend.checksum.bytes(backend.buffers, scene_.buffer_updates() * kUpdateBytes);
    frame_->clear();
    return backend;
  }

  const Scene& scene() const { return scene_; }
  designs::WorkerPool& pool() { return pool_; }
  std::size_t dropped() const { return dropped_; }
  std::size_t grown() const { return grown_; }

  std::map<std::string, double> counters() const {
    std::map<std::string, double> counters{{"workers", pool_.workers()}, {"pinned", pool_.pinned()}};
    if (packet_memory_bytes_ != 0) counters["packet_memory_bytes"] = static_cast<double>(packet_memory_bytes_);
    if (unused_entries_) counters["unused_entries"] = static_cast<double>(*unused_entries_);
    return counters;
  }

 private:
  Scene scene_;
  designs::WorkerPool pool_;
  std::unique_ptr<Frame> frame_;
  std::size_t packet_memory_bytes_ = 0, dropped_ = 0, grown_ = 0;
  std::optional<std::size_t> unused_entries_;
};

class FrameTask : public bench::Task {
 public:
  FrameTask(Scene scene, unsigned workers, const MakeFrame& make_frame, const FrameOptions& options, std::uint64_t seed)
      : stage_(std::move(scene), workers, make_frame, options), clearer_(seed), overflows_(options.room < 1) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const Backend backend = stage_.render(clock, [this] { clearer_.clear(stage_.pool()); });
    // Which commands find no room depends on the threads. All must be accounted for.
    return overflows_ ? backend.calls + stage_.dropped() : backend.checksum.value();
  }
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counters = stage_.counters();
    if (overflows_) {
      counters["dropped"] = static_cast<double>(stage_.dropped());
      counters["grown_pages"] = static_cast<double>(stage_.grown());
    }
    if (stage_.scene().keys == KeyLayout::kScattered) return counters;
    counters["material_changes"] = static_cast<double>(material_changes(stage_.scene()));
    if (stage_.scene().keys != KeyLayout::kByShortDepth) return counters;
    const auto [merged, misplaced] = short_depths(stage_.scene(), kNearest, kFarthest);
    counters["depths_merged"] = static_cast<double>(merged);
    counters["mantissas_misplaced"] = static_cast<double>(misplaced);
    return counters;
  }

 private:
  Stage stage_;
  CacheClearer clearer_;
  bool overflows_;
};

/// What of a frame a workload chooses.
struct Choice {
  unsigned work_steps = 0;
  KeyLayout keys = KeyLayout::kScattered;
  Updates updates = Updates::kMapped;
  FrameOptions options = {};
};

std::unique_ptr<bench::Task> prepare_frames(const Renderer& renderer, const Choice& choice, std::uint64_t seed,
                                            unsigned threads) {
  Scene scene = make_scene(seed, kMeshes, kLights, choice.work_steps);
  scene.keys = choice.keys;
  scene.updates = choice.updates;
  return std::make_unique<FrameTask>(std::move(scene), workers_for(renderer.threading, threads), renderer.make_frame,
                                     choice.options, seed);
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

// Which thread's last entries stay unused differs from frame to frame.
std::vector<bench::Metric> metrics() {
  return {{"packet_memory_bytes", "Packet memory", "bytes", kExact, kLess},
          {"unused_entries", "Entries that threads claimed and did not use", "", kQuality, kLess},
          {"workers", "Worker threads", "", kExact, kNeither},
          {"pinned", "Whether each worker has its own core", "", kExact, kNeither}};
}

bench::Workload frame_workload(std::string name, std::string title, Threading threading) {
  bench::Workload workload =
      make_workload(std::move(name), std::move(title), {"add", "sort", "submit"}, 2 * kMeshes + 2 * kLights, "command");
  // Version 1 did not reset the heap before each timed frame; before version 3, components had no depth.
  workload.version = 3;
  workload.parallel = threading == Threading::kPool;
  workload.metrics = metrics();
  return workload;
}

bench::Workload frames(std::string name, std::string title, const Renderer& renderer, const Choice& choice) {
  bench::Workload workload = frame_workload(std::move(name), std::move(title), renderer.threading);
  workload.prepare = [=](const bench::Case& inputs) {
    return prepare_frames(renderer, choice, inputs.seed, inputs.threads);
  };
  return workload;
}

/// Over values of an axis, each of which changes the choice or the number of threads.
template <typename Values, typename Change>
bench::Workload sweep(std::string name, std::string title, std::string axis, const Renderer& renderer,
                      const Values& values, Choice choice, const Change& change) {
  bench::Workload workload = frame_workload(std::move(name), std::move(title), renderer.threading);
  workload.axis = bench::Axis{std::move(axis), "", {}};
  for (const std::size_t value : values) workload.axis->points.push_back({static_cast<double>(value)});
  workload.prepare = [=](const bench::Case& inputs) {
    Choice of_point = choice;
    unsigned threads = inputs.threads;
    change(static_cast<std::size_t>(inputs.point), of_point, threads);
    return prepare_frames(renderer, of_point, inputs.seed, threads);
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

std::vector<std::size_t> swept_threads() {
  std::vector<std::size_t> threads;
  const unsigned most = std::max(kLeastMostThreads, 2 * std::thread::hardware_concurrency());
  for (unsigned count = 1; count <= most; count *= 2) threads.push_back(count);
  return threads;
}

std::vector<bench::Workload> sweeps(const Renderer& renderer) {
  bench::Workload threads =
      sweep("frame_threads", "the frame with artificial work, by the number of threads", "threads", renderer,
            swept_threads(), {.work_steps = kArticleWorkSteps},
            [](std::size_t point, Choice&, unsigned& count) { count = static_cast<unsigned>(point); });
  bench::Workload tasks =
      sweep("frame_tasks", "the frame, by the number of components that a task adds", "components a task", renderer,
            kComponentsPerTask, {},
            [](std::size_t point, Choice& choice, unsigned&) { choice.options.components_per_task = point; });
  bench::Workload claims = sweep("frame_claims", "the frame, by the number of entries that a thread claims at once",
                                 "entries claimed at once", renderer, kAtOnce, {},
                                 [](std::size_t point, Choice& choice, unsigned&) { choice.options.at_once = point; });
  const bool pool = renderer.threading == Threading::kPool;
  claims =
      supported_if(renderer.at_once > 1, "its threads claim entries one by one, or all at once", std::move(claims));
  return {supported_if(pool, kOneThread, std::move(threads)), supported_if(pool, kOneThread, std::move(tasks)),
          supported_if(pool, kOneThread, std::move(claims))};
}

/// Workloads of one layout of keys each: what is sorted by decides how often the material changes.
std::vector<bench::Workload> frames_by_key(const Renderer& renderer) {
  struct Layout {
    const char* name;
    const char* title;
    KeyLayout keys;
  };
  constexpr Layout kLayouts[] = {
      {"frame_by_depth", "the frame, sorted by depth before material", KeyLayout::kByDepth},
      {"frame_by_material", "the frame, sorted by material before depth", KeyLayout::kByMaterial},
      {"frame_by_depth24", "the frame, sorted by a depth of 24 bits before material", KeyLayout::kByShortDepth}};
  std::vector<bench::Workload> workloads;
  for (const Layout& layout : kLayouts) {
    bench::Workload workload = frames(layout.name, layout.title, renderer, {.keys = layout.keys});
    workload.metrics.push_back({"material_changes", "Changes of the material", "", kExact, kLess});
    if (layout.keys == KeyLayout::kByShortDepth) {
      workload.metrics.push_back(
          {"depths_merged", "Depths that 24 bits do not tell from the next nearer one", "", kExact, kLess});
      workload.metrics.push_back(
          {"mantissas_misplaced", "Depths whose mantissa is below that of the next nearer one", "", kExact, kLess});
    }
    workloads.push_back(supported_if(renderer.make_keys != nullptr, kKeysAsVersion7, std::move(workload)));
  }
  return workloads;
}

std::vector<bench::Workload> frames_with_updates(const Renderer& renderer) {
  bench::Workload staged =
      frames("updates_staged", "the frame, whose lights carry 256 bytes each, which submitting copies to their buffers",
             renderer, {.updates = Updates::kStaged});
  bench::Workload in_place =
      frames("updates_double_buffered", "the frame, whose lights write 256 bytes each to one half of a double buffer",
             renderer, {.updates = Updates::kDoubleBuffered});
  return {supported_if(!renderer.one_size, "all its commands have one size, too small for data", std::move(staged)),
          std::move(in_place)};
}

bench::Workload overflowing_frames(const Renderer& renderer) {
  bench::Workload workload = frames(
      "frame_overflow", "the frame, in buckets with entries for half of it: who drops commands does half the work",
      renderer, {.options = {.room = kOverflowRoom}});
  // Which thread's last entries stay unused differs from frame to frame.
  workload.metrics.push_back({"dropped", "Commands that found no room", "", kQuality, kLess});
  workload.metrics.push_back({"grown_pages", "Pages beyond the buckets' room", "", kQuality, kLess});
  return workload;
}

// --- Making keys by itself -------------------------------------------------------------------------------------------

class KeysTask : public bench::Task {
 public:
  KeysTask(Scene scene, MakeKeys make_keys)
      : scene_(std::move(scene)), make_keys_(make_keys), keys_(scene_.meshes.size()) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [this] { make_keys_(scene_, keys_); });
    bench::Checksum checksum;
    for (const std::uint64_t key : keys_) checksum.word(key);
    return checksum.value();
  }

 private:
  Scene scene_;
  MakeKeys make_keys_;
  std::vector<std::uint64_t> keys_;
};

/// In a frame, an addition takes several times as long as a key.
std::vector<bench::Workload> keys(const Renderer& renderer) {
  const std::tuple<const char*, const char*, KeyLayout> kLayouts[] = {
      {"keys_by_depth", "depth before material", KeyLayout::kByDepth},
      {"keys_by_material", "material before depth", KeyLayout::kByMaterial},
      {"keys_by_depth24", "a depth of 24 bits before material", KeyLayout::kByShortDepth}};
  std::vector<bench::Workload> workloads;
  for (const auto& [name, what, layout] : kLayouts) {
    bench::Workload workload =
        make_workload(name, fmt::format("making {} keys of {}", kMadeKeys, what), {"make"}, kMadeKeys, "key");
    workload.prepare = [make = renderer.make_keys, layout = layout](const bench::Case& inputs) {
      Scene scene = make_scene(inputs.seed, kMadeKeys, 0, 0);
      scene.keys = layout;
      return std::make_unique<KeysTask>(std::move(scene), make);
    };
    workloads.push_back(supported_if(renderer.make_keys != nullptr, kKeysAsVersion7, std::move(workload)));
  }
  return workloads;
}

// --- The sort by itself ----------------------------------------------------------------------------------------------

/// An order in which a sort finds its keys.
struct Input {
  const char* name;
  std::string title;
  KeyLayout keys;
  enum class Order { kUnordered, kSorted, kReversed, kEqual } order;
};

std::vector<Keyed> entries_of(const Input& input, std::uint64_t seed) {
  Scene scene = make_scene(seed, kSortedKeys, 0, 0);
  scene.keys = input.keys;
  const FunctionPointerKeys::Any keys(scene);
  std::vector<Keyed> entries;
  for (const Component& mesh : scene.meshes) entries.push_back({keys(kGBuffer, mesh), mesh.id});
  if (input.order == Input::Order::kSorted) std::ranges::sort(entries, less_key);
  if (input.order == Input::Order::kReversed)
    std::ranges::sort(entries, [](const Keyed& a, const Keyed& b) { return less_key(b, a); });
  if (input.order == Input::Order::kEqual)
    for (Keyed& entry : entries) entry.key = entries.front().key;
  return entries;
}

class SortTask : public bench::Task {
 public:
  SortTask(std::vector<Keyed> entries, MakeSorter make_sorter)
      : entries_(std::move(entries)), sorter_(make_sorter(entries_.size())) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    sorter_->load(entries_);
    clock.time(0, [this] { sorter_->sort(); });
    bench::Checksum checksum;
    std::uint64_t pairs = 0;  // in any order: equal keys may come in any
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Keyed entry = sorter_->at(i);
      checksum.word(entry.key);
      pairs += scatter(entry.key ^ scatter(entry.value));
    }
    checksum.word(pairs);
    return checksum.value();
  }

 private:
  std::vector<Keyed> entries_;
  std::unique_ptr<Sorter> sorter_;
};

std::vector<bench::Workload> sorts(const Renderer& renderer) {
  using enum Input::Order;
  const std::string of_keys = fmt::format("sorting {} keys", kSortedKeys);
  const Input inputs[] = {
      {"sort_scattered", of_keys + " of random bits", KeyLayout::kScattered, kUnordered},
      {"sort_by_depth", of_keys + " of depth before material", KeyLayout::kByDepth, kUnordered},
      {"sort_by_material", of_keys + " of material before depth", KeyLayout::kByMaterial, kUnordered},
      {"sort_by_depth24", of_keys + " of a depth of 24 bits before material", KeyLayout::kByShortDepth, kUnordered},
      {"sort_sorted", of_keys + " of depth before material that are sorted", KeyLayout::kByDepth, kSorted},
      {"sort_reversed", of_keys + " of depth before material in descending order", KeyLayout::kByDepth, kReversed},
      {"sort_equal", of_keys + " that are all equal", KeyLayout::kByDepth, kEqual}};
  std::vector<bench::Workload> workloads;
  for (const Input& input : inputs) {
    bench::Workload workload = make_workload(input.name, input.title, {"sort"}, kSortedKeys, "key");
    workload.prepare = [input, make = renderer.make_sorter](const bench::Case& inputs_of_case) {
      return std::make_unique<SortTask>(entries_of(input, inputs_of_case.seed), make);
    };
    workloads.push_back(supported_if(renderer.make_sorter != nullptr, kSortsAsVersion7, std::move(workload)));
  }
  return workloads;
}

}  // namespace

unsigned workers_for(Threading threading, unsigned threads) {
  return threading == Threading::kPool ? threads : 1;
}

std::vector<bench::Workload> workloads(const Renderer& renderer) {
  std::vector<bench::Workload> all{
      frames("frame", "10,000 meshes and 10,000 lights through three command buckets", renderer, {}),
      with_exhibits(
          frames("frame_work",
                 "10,000 meshes and 10,000 lights through three command buckets, with artificial work for each command",
                 renderer, {.work_steps = kArticleWorkSteps}),
          renderer)};
  const auto add = [&all](std::vector<bench::Workload> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  add(sweeps(renderer));
  add(frames_by_key(renderer));
  add(frames_with_updates(renderer));
  all.push_back(overflowing_frames(renderer));
  add(keys(renderer));
  add(sorts(renderer));
  add(record_workloads(renderer));
  return all;
}

}  // namespace lab::command_bucket
