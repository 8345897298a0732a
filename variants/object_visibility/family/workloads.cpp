#include "variants/object_visibility/family/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/checksum.h"
#include "harness/bench/exhibits.h"
#include "variants/common/workers/pinned_workers.h"
#include "variants/common/workloads/workload.h"
#include "variants/object_visibility/family/blended.h"
#include "variants/object_visibility/family/counting.h"
#include "variants/object_visibility/family/prompt.h"
#include "variants/object_visibility/family/python_loop.h"
#include "variants/object_visibility/family/scene_images.h"
#include "variants/vulkan/measured_device.h"

namespace lab::object_visibility {

namespace {

using enum bench::MetricKind;
using enum bench::Better;
using vulkan::required;

constexpr std::uint32_t kWidth = 1920, kHeight = 1080;
constexpr std::uint32_t kObjects = 64;
// Smaller, because code traces their rays before each process.
constexpr std::uint32_t kSceneWidth = 960, kSceneHeight = 540, kSmallWidth = 320, kSmallHeight = 180;
constexpr std::size_t kBodies = 32;

/// Counts an image, and where `compares`, reads it plainly before or after, in turns.
class CountTask : public bench::Task {
 public:
  CountTask(const MakeCounter& make, const Ability& ability, const bench::Case& inputs, OwnedImage image,
            std::uint32_t largest, bool compares)
      : pool_(make_pool(ability, inputs.threads)),
        // A device may start the process again.
        counter_(make({pool_, inputs.device})),
        image_(std::move(image)),
        largest_(largest),
        compares_(compares && !ability.on_device) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const bool plain_first = turn_++ % 2 == 0;
    if (compares_ && plain_first) read_plainly();
    count(clock, 0, image_.view());
    if (compares_ && !plain_first) read_plainly();
    bench::Checksum all;
    all.bytes(counts_.data(), counts_.size() * sizeof counts_[0]);
    return all.value();
  }
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counters;
    if (compares_) {
      const double plain_ns = median(plain_ns_), count_ns = median(count_ns_);
      counters["plain_read"] = plain_ns / static_cast<double>(image_.ids.size());
      if (count_ns > 0) counters["to_plain_read"] = count_ns / plain_ns;  // instructions have no time
    }
    if (counter_->device_ns() >= 0)
      counters[counter_->device_is_cpu() ? vulkan::kGpuTimeByCpu : vulkan::kGpuTime] =
          counter_->device_ns() / static_cast<double>(image_.ids.size());
    return counters;
  }

 protected:
  void count(bench::PhaseClock& clock, std::size_t phase, const IdImage& image) {
    counts_.resize(std::size_t{largest_} + 1);
    if (std::exchange(loaded_, image.ids.data()) != image.ids.data()) counter_->load(image);
    pool_.gather();
    const double before = clock.nanoseconds()[phase];
    bool known = false;
    clock.time(phase, [&] { known = counter_->count(counts_); });
    count_ns_.push_back(clock.nanoseconds()[phase] - before);
    if (!known) required(Expected<void>(unknown_id(image, largest_)), "counting");
    counts_[kBackground] = 0;
  }
  const OwnedImage& image() const { return image_; }
  const Counts& counts() const { return counts_; }
  std::uint32_t largest() const { return largest_; }

 private:
  void read_plainly() {
    pool_.gather();
    bench::PhaseClock clock(1);
    clock.time(0, [this] { read_ += plain_read(image_.ids, image_.width, pool_); });
    plain_ns_.push_back(clock.nanoseconds()[0]);
    asm volatile("" : : "r"(read_));  // the sum is used
  }

  designs::WorkerPool pool_;
  std::unique_ptr<Counter> counter_;
  OwnedImage image_;
  const std::uint32_t* loaded_ = nullptr;
  std::uint32_t largest_, read_ = 0;
  Counts counts_;
  bool compares_;
  std::size_t turn_ = 0;
  std::vector<double> plain_ns_, count_ns_;
};

/// The same of a scene, with what the frustum lists.
class SceneTask final : public CountTask {
 public:
  SceneTask(const MakeCounter& make, const Ability& ability, const bench::Case& inputs, const VisibleScene& scene,
            OwnedImage image)
      : CountTask(make, ability, inputs, std::move(image), static_cast<std::uint32_t>(scene.bodies.size()), true),
        scene_(scene) {}
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counters = CountTask::counters();
    const Listed listed = listed_by_frustum(scene_, counts(), image().width, image().height);
    counters["in_frustum"] = static_cast<double>(listed.listed);
    counters["wrongly_listed"] = static_cast<double>(listed.hidden + listed.below_threshold);
    return counters;
  }
  std::map<std::string, double> costly_counters() const override {
    return {{"occluded", static_cast<double>(occluded(scene_, counts(), image().width, image().height))},
            {"stray", static_cast<double>(nearly_occluded(scene_, counts(), image().width, image().height))},
            {"misordered", static_cast<double>(misordered(scene_, counts(), image().width, image().height))}};
  }

 private:
  VisibleScene scene_;
};

/// Scenes whose ids are blended.
struct BlendedScenes {
  const char* name;
  std::uint32_t width, height;
  std::size_t bodies;
  VisibleScene (*make)(std::uint64_t seed);
  bool exhibited;
};
constexpr BlendedScenes kBlended{
    "blended", kSmallWidth, kSmallHeight, kBodies, [](std::uint64_t seed) { return make_scene(kBodies, seed); }, true};
/// As large as the article's image, with as many objects, all of which are visible.
constexpr BlendedScenes kBlendedFullHd{"blended_full_hd", kWidth, kHeight, 4, make_close_scene, false};

/// Pixels with fractions: made whole in both ways, and counted.
class BlendedTask final : public CountTask {
 public:
  BlendedTask(const MakeCounter& make, const Ability& ability, const bench::Case& inputs, const BlendedScenes& of,
              const VisibleScene& scene)
      : CountTask(make, ability, inputs, id_image(scene, of.width, of.height),
                  static_cast<std::uint32_t>(scene.bodies.size()), false),
        of_(of),
        blended_(blended_image(scene, of.width, of.height)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    const std::uint64_t sharp = CountTask::repeat(clock);
    sharp_ = counts();
    bench::Checksum all;
    all.word(sharp);
    for (const ToWhole way : {ToWhole::kTruncated, ToWhole::kRounded}) {
      Way& made = way == ToWhole::kTruncated ? truncated_ : rounded_;
      made.ids.resize(blended_.values.size());
      clock.time(way == ToWhole::kTruncated ? 1 : 2, [&] { whole_ids(blended_.values, way, made.ids); });
      bench::PhaseClock untimed(1);
      count(untimed, 0, {blended_.width, blended_.height, made.ids});
      made.counts = counts();
      all.bytes(made.counts.data(), made.counts.size() * sizeof made.counts[0]);
    }
    return all.value();
  }
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counters = CountTask::counters();
    for (const auto& [name, way] : {std::pair{"truncated", &truncated_}, {"rounded", &rounded_}}) {
      const WrongPixels wrong = wrong_pixels(blended_, way->ids, largest());
      counters["blended"] = static_cast<double>(wrong.blended);
      counters[fmt::format("{}_wrong", name)] = static_cast<double>(wrong.wrong);
      counters[fmt::format("{}_others", name)] = static_cast<double>(wrong.of_other_objects);
      std::vector<std::uint32_t> different;
      std::ranges::set_symmetric_difference(visible_ids(sharp_, blended_.values.size()),
                                            visible_ids(way->counts, blended_.values.size()),
                                            std::back_inserter(different));
      counters[fmt::format("{}_objects", name)] = static_cast<double>(different.size());
    }
    return counters;
  }
  std::map<std::string, double> costly_counters() const override {
    std::map<std::string, double> counters{{"truncated_scenes", 0}, {"rounded_scenes", 0}};
    for (std::uint64_t seed = 1; seed <= kScenes; ++seed) {
      const VisibleScene scene = of_.make(seed);
      const auto visible = [&](std::span<const std::uint32_t> ids) {
        Counts counts(scene.bodies.size() + 1);
        for (const std::uint32_t id : ids) ++counts[id];
        counts[kBackground] = 0;
        return visible_ids(counts, ids.size());
      };
      const auto right = visible(id_image(scene, of_.width, of_.height).ids);
      const BlendedImage blended = blended_image(scene, of_.width, of_.height);
      std::vector<std::uint32_t> ids(blended.values.size());
      for (const auto& [name, way] :
           {std::pair{"truncated_scenes", ToWhole::kTruncated}, {"rounded_scenes", ToWhole::kRounded}}) {
        whole_ids(blended.values, way, ids);
        if (visible(ids) != right) ++counters[name];
      }
    }
    return counters;
  }

  static constexpr std::uint64_t kScenes = 8;

 private:
  struct Way {
    std::vector<std::uint32_t> ids;
    Counts counts;
  };
  const BlendedScenes of_;
  BlendedImage blended_;
  Counts sharp_;
  Way truncated_, rounded_;
};

bench::Workload counting_workload(std::string name, std::string title, std::uint64_t pixels, const Ability& ability,
                                  bool compares = true) {
  bench::Workload workload = make_workload(std::move(name), std::move(title), {"count"}, pixels, "pixel");
  workload.parallel = ability.parallel || ability.on_device;
  workload.repeatable = !workload.parallel;
  workload.unsupported = why_unsupported(ability);
  if (compares && !ability.on_device)
    workload.metrics = {
        {"to_plain_read", "Counting by a plain read of the image, in the same process", "", kQuality, kLess},
        {"plain_read", "A plain read of the image", "ns", kTime, kNeither}};
  if (ability.on_device) {
    workload.metrics.push_back({vulkan::kGpuTime, vulkan::kGpuTimeTitle, "ns", kTime, kLess});
    workload.metrics.push_back({vulkan::kGpuTimeByCpu, vulkan::kGpuTimeByCpuTitle, "ns", kTime, kLess});
  }
  return workload;
}

bench::Workload runs_workload(const MakeCounter& make, const Ability& ability, unsigned run) {
  bench::Workload workload = counting_workload(
      fmt::format("runs_{}", run),
      fmt::format("{} x {} pixels of {} objects, in runs of {} on average", kWidth, kHeight, kObjects, run),
      kWidth * kHeight, ability);
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [make, ability, run](const bench::Case& inputs) {
    return std::make_unique<CountTask>(make, ability, inputs,
                                       runs_image(kWidth, kHeight, run, kObjects - 1, inputs.seed), kObjects - 1, true);
  };
  return workload;
}

/// The table grows out of the caches.
bench::Workload objects_workload(const MakeCounter& make, const Ability& ability) {
  constexpr std::uint64_t kPixels = kSceneWidth * kSceneHeight;
  bench::Workload workload = counting_workload(
      "objects", fmt::format("{} x {} pixels in runs of 8, by the number of objects", kSceneWidth, kSceneHeight),
      kPixels, ability);
  workload.axis = bench::Axis{"objects", "", {{2}, {16}, {256}, {4096}, {32768}}};
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [make, ability](const bench::Case& inputs) {
    const auto largest = static_cast<std::uint32_t>(inputs.point) - 1;
    return std::make_unique<CountTask>(make, ability, inputs,
                                       runs_image(kSceneWidth, kSceneHeight, 8, largest, inputs.seed), largest, true);
  };
  return workload;
}

VisibleScene scene_of(const bench::Case& inputs) {
  return make_scene(kBodies, inputs.seed);
}

bench::Workload scene_workload(const MakeCounter& make, const Ability& ability, const char* name, std::uint32_t width,
                               std::uint32_t height) {
  bench::Workload workload =
      counting_workload(name, fmt::format("{} x {} pixels of a scene of {} bodies", width, height, kBodies),
                        std::uint64_t{width} * height, ability);
  workload.metrics.push_back({"in_frustum", "Bodies in the frustum", "", kExact, kNeither});
  workload.metrics.push_back(
      {"wrongly_listed", "Bodies in the frustum that are not seen or below the threshold", "", kExact, kNeither});
  workload.metrics.push_back(
      {"occluded", "Bodies that would be visible alone, and are wholly hidden by others", "", kExact, kNeither, true});
  workload.metrics.push_back({"stray", "Bodies that would be above the threshold alone, and of which others leave less",
                              "", kExact, kNeither, true});
  workload.metrics.push_back(
      {"misordered", "Pairs of visible bodies whose nearest seen points are in the other order than their origins", "",
       kExact, kNeither, true});
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [make, ability, width, height](const bench::Case& inputs) {
    const VisibleScene scene = scene_of(inputs);
    return std::make_unique<SceneTask>(make, ability, inputs, scene, id_image(scene, width, height));
  };
  workload.exhibits = {{"ids", "The ids, each in a colour of its own", bench::ExhibitKind::kImage}};
  workload.exhibit = [](const bench::Case& inputs, bench::ExhibitFiles& files) {
    files.image("ids", picture_of(id_image(scene_of(inputs), kSmallWidth, kSmallHeight).view()));
  };
  return workload;
}

bench::Workload blended_workload(const MakeCounter& make, const Ability& ability, const BlendedScenes& of) {
  bench::Workload workload = counting_workload(
      of.name,
      fmt::format("{} x {} pixels of {} objects whose ids are blended at edges, made whole by truncation and rounding",
                  of.width, of.height, of.bodies),
      std::uint64_t{of.width} * of.height, ability, false);
  if (of.make == kBlendedFullHd.make)
    workload.version = 2;  // in version 1, most bodies were small or out of the picture
  workload.phases = {"count", "truncate", "round"};
  workload.metrics.push_back({"blended", "Pixels of several objects", "", kExact, kNeither});
  for (const char* const way : {"truncated", "rounded"}) {
    workload.metrics.push_back({fmt::format("{}_wrong", way),
                                fmt::format("Pixels with an id that is none of theirs, {}", way), "", kExact,
                                kNeither});
    workload.metrics.push_back({fmt::format("{}_others", way),
                                fmt::format("Of them, with another object's id, {}", way), "", kExact, kNeither});
    workload.metrics.push_back(
        {fmt::format("{}_objects", way), fmt::format("Objects wrongly visible or not, {}", way), "", kExact, kNeither});
    workload.metrics.push_back({fmt::format("{}_scenes", way),
                                fmt::format("Of {} scenes, those with such objects, {}", BlendedTask::kScenes, way), "",
                                kExact, kNeither, true});
  }
  if (!workload.unsupported.empty()) return workload;
  workload.prepare = [make, ability, of](const bench::Case& inputs) {
    return std::make_unique<BlendedTask>(make, ability, inputs, of, of.make(inputs.seed));
  };
  if (!of.exhibited) return workload;
  workload.exhibits = {{"truncated", "White: pixels that truncation counts wrongly", bench::ExhibitKind::kImage},
                       {"rounded", "White: pixels that rounding counts wrongly", bench::ExhibitKind::kImage}};
  workload.exhibit = [](const bench::Case& inputs, bench::ExhibitFiles& files) {
    const VisibleScene scene = scene_of(inputs);
    const BlendedImage image = blended_image(scene, kSmallWidth, kSmallHeight);
    for (const auto& [name, way] : {std::pair{"truncated", ToWhole::kTruncated}, {"rounded", ToWhole::kRounded}}) {
      OwnedImage made{image.width, image.height, std::vector<std::uint32_t>(image.values.size())};
      whole_ids(image.values, way, made.ids);
      const auto largest = static_cast<std::uint32_t>(scene.bodies.size());
      files.image(name, picture_of(made.view(), wrong_pixels(image, made.ids, largest).is_wrong));
    }
  };
  return workload;
}

}  // namespace

designs::WorkerPool make_pool(const Ability& ability, unsigned threads) {
  const unsigned workers = ability.parallel ? std::max(threads, 1u) : 1;
  return designs::WorkerPool(workers, pinned_workers(workers));
}

std::vector<bench::Workload> make_workloads(const MakeCounter& make, const Ability& ability) {
  std::vector<bench::Workload> workloads;
  for (const unsigned run : {1u, 8u, 64u}) workloads.push_back(runs_workload(make, ability, run));
  workloads.push_back(objects_workload(make, ability));
  workloads.push_back(scene_workload(make, ability, "scene", kSceneWidth, kSceneHeight));
  workloads.push_back(scene_workload(make, ability, "scene_small", kSmallWidth, kSmallHeight));
  workloads.push_back(blended_workload(make, ability, kBlended));
  if (ability.as_the_article) {
    workloads.push_back(python_loop_workload());
    workloads.push_back(numpy_loop_workload());
    workloads.push_back(blended_workload(make, ability, kBlendedFullHd));
  }
  return workloads;
}

}  // namespace lab::object_visibility
