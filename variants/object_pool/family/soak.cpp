// What days of use do to memory: one pool for each size beside new and delete.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
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
  Soak(bool is_heap, MakeSoak make, const std::array<std::size_t, kSoakTypes>& capacities, SizeMix mix)
      : is_heap_(is_heap) {
    // What malloc holds free belongs to nobody: the heap must start without it.
    if (is_heap_) malloc_trim(0);
    soak_ = make(capacities);
    before_ = mallinfo2().arena;
    soak_->fill(mix);
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
  SoakTask(bool is_heap, MakeSoak make, std::uint64_t seed, SizeMix mix)
      : seed_(seed),
        mix_(mix),
        is_heap_(is_heap),
        soak_(is_heap, make, soak_peaks(seed, kLevelPairs, kLevels * kLevelPairs, true, mix), mix) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    SoakSteps steps(seed_, kLevelPairs, mix_);
    clock.time(0, [&] { soak_->run(steps, kLevels * kLevelPairs); });
    return soak_->digest();
  }
  std::map<std::string, double> counters() const override {
    std::map<std::string, double> counted{{"held_bytes", static_cast<double>(soak_.held_bytes())},
                                          {"live_bytes", static_cast<double>(soak_->live_bytes())}};
    if (is_heap_) {
      const FreeMemory free = free_memory();
      counted["free_bytes"] = static_cast<double>(free.bytes);
      counted["largest_free_bytes"] = static_cast<double>(free.largest);
    }
    return counted;
  }

 private:
  std::uint64_t seed_;
  SizeMix mix_;
  bool is_heap_;
  Soak soak_;
};

/// Bytes held and bytes of live objects, at each point of a run.
struct SoakCurve {
  std::vector<double> held, live;
};

SoakCurve curve_of(bool is_heap, MakeSoak make, const std::array<std::size_t, kSoakTypes>& capacities,
                   std::uint64_t seed, std::size_t level_pairs, std::size_t pairs) {
  SoakCurve curve;
  curve.held.reserve(kPoints);
  curve.live.reserve(kPoints);
  Soak soak(is_heap, make, capacities, SizeMix::kLevels);
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

FreeMemory free_memory() {
  FreeMemory free;
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* const out = ::open_memstream(&text, &length);
  if (out == nullptr) return free;
  const bool written = ::malloc_info(0, out) == 0;
  std::fclose(out);
  if (written) free = free_memory_of(std::string(text, length));
  std::free(text);
  const struct mallinfo2 info = mallinfo2();
  // The end of the heap is in no list.
  free.bytes = info.fordblks;
  free.largest = std::max(free.largest, info.keepcost);
  return free;
}

FreeMemory free_memory_of(const std::string& malloc_info) {
  FreeMemory free;
  constexpr std::string_view kTo = "to=\"";
  for (std::size_t at = malloc_info.find(kTo); at != std::string::npos; at = malloc_info.find(kTo, at + 1))
    free.largest =
        std::max<std::size_t>(free.largest, std::strtoull(malloc_info.c_str() + at + kTo.size(), nullptr, 10));
  return free;
}

std::unique_ptr<bench::Task> soak_task(bool is_heap, MakeSoak make, std::uint64_t seed, SizeMix mix) {
  return std::make_unique<SoakTask>(is_heap, make, seed, mix);
}

SoakSeries soak_series(const TaskTable& tasks, std::uint64_t seed, std::size_t operations) {
  constexpr const char *kHeap = "new and delete", *kPools = "a pool for each size";
  const std::size_t pairs = operations / 2, level_pairs = pairs / kSoakLevels;
  const auto capacities = soak_peaks(seed, level_pairs, pairs, false);
  const MakeSoak heap = [](const std::array<std::size_t, kSoakTypes>& limits) -> std::unique_ptr<AnySoak> {
    return std::make_unique<SoakOf<NewDeletePool>>(limits);
  };
  const SoakCurve of_heap = curve_of(true, heap, capacities, seed, level_pairs, pairs);
  SoakSeries series{
      {"creations and destructions", "bytes", {}, {{"live objects", of_heap.live}, {kHeap, of_heap.held}}},
      {"creations and destructions", "bytes held per byte of live objects", {}, {{kHeap, per_live_byte(of_heap)}}}};
  for (std::size_t point = 1; point <= kPoints; ++point)
    series.memory.x.push_back(static_cast<double>(2 * (pairs / kPoints) * point));
  series.share.x = series.memory.x;
  if (!tasks.is_heap) {
    const SoakCurve of_pools = curve_of(false, tasks.soak, capacities, seed, level_pairs, pairs);
    series.memory.lines.push_back({kPools, of_pools.held});
    series.share.lines.push_back({kPools, per_live_byte(of_pools)});
  }
  return series;
}

}  // namespace lab::object_pool
