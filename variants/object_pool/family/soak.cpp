// What days of use do to memory: one pool for each size beside new and delete.
#include <malloc.h>

#include <algorithm>
#include <utility>

#include "variants/object_pool/family/new_delete_pool.h"
#include "variants/object_pool/family/workloads.h"

namespace lab::object_pool {

namespace {

constexpr std::size_t kLevels = 4, kLevelPairs = 50'000;  // of a repetition
constexpr std::size_t kSoakLevels = 100;                  // of the exhibit
constexpr std::size_t kPoints = 400;

/// A run, and what it holds of the system's memory.
class Soak {
 public:
  Soak(const TaskTable& tasks, const std::array<std::size_t, kSoakTypes>& capacities) : is_heap_(tasks.is_heap) {
    // What malloc holds free belongs to nobody: the heap must start without it.
    if (is_heap_) malloc_trim(0);
    soak_ = tasks.soak(capacities);
    before_ = mallinfo2().arena;
    soak_->fill();
  }
  AnySoak* operator->() const { return soak_.get(); }

  /// The pools' memory; of malloc, by how much its heap has grown.
  std::size_t held_bytes() const {
    if (!is_heap_) return soak_->memory_bytes();
    const std::size_t now = mallinfo2().arena;
    return now > before_ ? now - before_ : 0;
  }

 private:
  bool is_heap_;
  std::unique_ptr<AnySoak> soak_;
  std::size_t before_ = 0;
};

class SoakTask final : public bench::Task {
 public:
  SoakTask(const TaskTable& tasks, std::uint64_t seed)
      : seed_(seed), soak_(tasks, soak_peaks(seed, kLevelPairs, kLevels * kLevelPairs, true)) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    SoakSteps steps(seed_, kLevelPairs);
    clock.time(0, [&] { soak_->run(steps, kLevels * kLevelPairs); });
    return soak_->digest();
  }
  std::map<std::string, double> counters() const override {
    return {{"held_bytes", static_cast<double>(soak_.held_bytes())},
            {"live_bytes", static_cast<double>(soak_->live_bytes())}};
  }

 private:
  std::uint64_t seed_;
  Soak soak_;
};

/// Bytes held and bytes of live objects, at each point of a run.
struct SoakCurve {
  std::vector<double> held, live;
};

SoakCurve curve_of(const TaskTable& tasks, const std::array<std::size_t, kSoakTypes>& capacities, std::uint64_t seed,
                   std::size_t level_pairs, std::size_t pairs) {
  SoakCurve curve;
  curve.held.reserve(kPoints);
  curve.live.reserve(kPoints);
  Soak soak(tasks, capacities);
  SoakSteps steps(seed, level_pairs);
  for (std::size_t point = 0; point < kPoints; ++point) {
    soak->run(steps, pairs / kPoints);
    curve.held.push_back(static_cast<double>(soak.held_bytes()));
    curve.live.push_back(static_cast<double>(soak->live_bytes()));
  }
  return curve;
}

std::vector<double> per_live_byte(const SoakCurve& curve) {
  std::vector<double> shares;
  for (std::size_t point = 0; point < curve.held.size(); ++point)
    shares.push_back(curve.held[point] / curve.live[point]);
  return shares;
}

}  // namespace

std::unique_ptr<bench::Task> soak_task(const TaskTable& tasks, std::uint64_t seed) {
  return std::make_unique<SoakTask>(tasks, seed);
}

SoakSeries soak_series(const TaskTable& tasks, std::uint64_t seed, std::size_t operations) {
  constexpr const char *kHeap = "new and delete", *kPools = "a pool for each size";
  const std::size_t pairs = operations / 2, level_pairs = pairs / kSoakLevels;
  const auto capacities = soak_peaks(seed, level_pairs, pairs, false);
  TaskTable heap;
  heap.is_heap = true;
  heap.soak = [](const std::array<std::size_t, kSoakTypes>& limits) -> std::unique_ptr<AnySoak> {
    return std::make_unique<SoakOf<NewDeletePool>>(limits);
  };
  const SoakCurve of_heap = curve_of(heap, capacities, seed, level_pairs, pairs);
  SoakSeries series{
      {"creations and destructions", "bytes", {}, {{"live objects", of_heap.live}, {kHeap, of_heap.held}}},
      {"creations and destructions", "bytes held per byte of live objects", {}, {{kHeap, per_live_byte(of_heap)}}}};
  for (std::size_t point = 1; point <= kPoints; ++point)
    series.memory.x.push_back(static_cast<double>(2 * (pairs / kPoints) * point));
  series.share.x = series.memory.x;
  if (!tasks.is_heap) {
    const SoakCurve of_pools = curve_of(tasks, capacities, seed, level_pairs, pairs);
    series.memory.lines.push_back({kPools, of_pools.held});
    series.share.lines.push_back({kPools, per_live_byte(of_pools)});
  }
  return series;
}

}  // namespace lab::object_pool
