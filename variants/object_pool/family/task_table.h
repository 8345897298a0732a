/// What a variant's templates are compiled to: functions that make its tasks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "variants/object_pool/family/tasks.h"

namespace lab::object_pool {

/// Of each size that churn_bytes measures.
inline constexpr std::array<std::size_t, 4> kChurnBytes{16, 64, 256, 1024};
inline constexpr std::size_t kBytes = 64;  ///< of an object in all other workloads of one size

using MakeSoak = std::unique_ptr<AnySoak> (*)(const std::array<std::size_t, kSoakTypes>& capacities);

/// Null: the variant cannot do it.
struct TaskTable {
  bool searches = false, moves = false, unstable_refs = false, is_heap = false;
  std::array<std::unique_ptr<ChurnTask> (*)(const ChurnPlan&), kChurnBytes.size()> churn{};
  std::unique_ptr<bench::Task> (*init)(const ChurnPlan&) = nullptr;
  std::unique_ptr<bench::Task> (*iterate)(std::uint64_t seed, const IteratePlan&) = nullptr;
  std::unique_ptr<bench::Task> (*frame)(const FramePlan&, bool by_phase) = nullptr;
  std::unique_ptr<bench::Task> (*start_up)(std::size_t capacity) = nullptr;
  std::unique_ptr<bench::Task> (*overload)(const SoundPlan&, LoadRule) = nullptr;
  std::unique_ptr<bench::Task> (*references)() = nullptr;
  std::unique_ptr<bench::Task> (*holders)(std::uint64_t seed, std::size_t accesses) = nullptr;
  MakeSoak soak = nullptr, largest_slots = nullptr;  ///< a pool for each size, or one for all
};

template <template <typename> class Pool, std::size_t... kSize>
constexpr void add_churn(TaskTable& table, std::index_sequence<kSize...>) {
  ((table.churn[kSize] = [](const ChurnPlan& plan) -> std::unique_ptr<ChurnTask> {
     return std::make_unique<ChurnOf<Pool<Object<kChurnBytes[kSize]>>>>(plan);
   }),
   ...);
}

template <template <typename> class Pool>
constexpr TaskTable tasks_of() {
  using Plain = Pool<Object<kBytes>>;
  TaskTable table;
  table.searches = Searches<Plain>;
  table.moves = MovesObjects<Plain>;
  table.unstable_refs = UnstableRefs<Plain>;
  table.is_heap = IsHeap<Plain>;
  table.iterate = [](std::uint64_t seed, const IteratePlan& plan) -> std::unique_ptr<bench::Task> {
    return std::make_unique<IterateTask<Walked<Plain>>>(seed, plan);
  };
  table.frame = [](const FramePlan& plan, bool by_phase) -> std::unique_ptr<bench::Task> {
    return std::make_unique<FrameTask<Walked<Pool<Particle>>>>(plan, by_phase);
  };
  table.overload = [](const SoundPlan& plan, LoadRule rule) -> std::unique_ptr<bench::Task> {
    using Sounds = Walked<Pool<Sound>>;
    if (rule == LoadRule::kGrow) return std::make_unique<OverloadTask<designs::OverflowPool<Sounds>>>(plan, rule);
    return std::make_unique<OverloadTask<Sounds>>(plan, rule);
  };
  if constexpr (!UnstableRefs<Plain>) {
    add_churn<Pool>(table, std::make_index_sequence<kChurnBytes.size()>());
    table.init = [](const ChurnPlan& plan) -> std::unique_ptr<bench::Task> {
      return std::make_unique<InitTask<Pool<Filled>>>(plan);
    };
    table.start_up = [](std::size_t capacity) -> std::unique_ptr<bench::Task> {
      return std::make_unique<StartUpTask<Plain>>(capacity);
    };
    table.references = []() -> std::unique_ptr<bench::Task> {
      return std::make_unique<ReferencesTask<Pool<Referring>>>();
    };
    if constexpr (!MovesObjects<Plain>)
      table.holders = [](std::uint64_t seed, std::size_t accesses) -> std::unique_ptr<bench::Task> {
        return std::make_unique<HoldersTask<Pool<Watched>>>(seed, accesses);
      };
    if constexpr (!Searches<Plain>) {
      table.soak = [](const std::array<std::size_t, kSoakTypes>& capacities) -> std::unique_ptr<AnySoak> {
        return std::make_unique<SoakOf<Pool>>(capacities);
      };
      // This pool is always full but for one slot.
      if constexpr (!SearchesWhenFull<Plain>)
        table.largest_slots = [](const std::array<std::size_t, kSoakTypes>& capacities) -> std::unique_ptr<AnySoak> {
          return std::make_unique<SoakOf<Pool, LargestSlots<Pool>>>(capacities);
        };
    }
  }
  return table;
}

}  // namespace lab::object_pool
