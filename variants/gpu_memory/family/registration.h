/// Makes a Variant from a class that models GpuMemory.
#pragma once

#include <optional>
#include <string>

#include "harness/bench/task.h"
#include "variants/gpu_memory/family/subject.h"
#include "variants/gpu_memory/family/workloads.h"

namespace lab::gpu_memory {

/// What the report shows of a variant beside its card.
struct Traits {
  std::optional<designs::Grouping> shares;  ///< A::kShares
  const char* moves = nullptr;              ///< how resources move; null if they never do
  std::string (*version)() = nullptr;       ///< of a third-party allocator; else null
};

template <GpuMemory A>
Traits traits_of() {
  Traits traits{A::kShares};
  if constexpr (Defragments<A>) traits.moves = A::kBoundsPasses ? "in bounded passes" : "all at once";
  if constexpr (requires { A::version(); }) traits.version = &A::version;
  return traits;
}

/// Nobody runs the workloads of a fuzz target, and without them it compiles in a fraction of the time.
#ifdef LAB_FUZZ
inline constexpr bool kHasWorkloads = false;
#else
inline constexpr bool kHasWorkloads = true;
#endif

/// What the family knows of a variant. No `tasks`: it has no workloads.
bench::Variant& complete(const char* name, const bench::Card& card, const Traits& traits, Subject subject,
                         const std::optional<Tasks>& tasks);

template <GpuMemory A>
bench::Variant& make_variant(const char* name, const bench::Card& card) {
  std::optional<Tasks> tasks;
  if constexpr (kHasWorkloads) tasks = tasks_of<A>();
  return complete(name, card, traits_of<A>(), subject_of<A>(), tasks);
}

}  // namespace lab::gpu_memory
