/// Makes a Variant from a class with the members of allocator.h.
#pragma once

#include <span>
#include <string>

#include "harness/bench/task.h"
#include "variants/allocator/family/subject.h"
#include "variants/allocator/family/workloads.h"

namespace lab::allocator {

/// What the report shows of a variant's capabilities.
struct Traits {
  const char* frees;                   ///< how it frees a single block
  const char* threads;                 ///< how many may call it at once
  std::string (*version)() = nullptr;  ///< of a third-party allocator; else null
};

template <Allocator A>
Traits traits_of() {
  Traits traits{FreesByPointer<A> ? "by pointer"
                : FreesBySize<A>  ? "by pointer and size"
                                  : "",
                !ThreadSafe<A>      ? "one at a time"
                : NumbersThreads<A> ? "as many as announced"
                                    : "any"};
  if constexpr (ThirdParty<A>) traits.version = &A::version;
  return traits;
}

/// Nobody runs the workloads of a fuzz target, and without them it compiles in a fraction of the time.
#ifdef LAB_FUZZ
inline constexpr bool kHasWorkloads = false;
#else
inline constexpr bool kHasWorkloads = true;
#endif

/// What the family knows of a variant. `executions` may be empty. `repeatable` as in bench::Workload.
bench::Variant& complete(const char* name, const bench::Card& card, const Traits& traits, const Subject& subject,
                         std::span<const Execution> executions, bool repeatable);

template <Allocator A>
bench::Variant& make_variant(const char* name, const bench::Card& card) {
  static_assert(FreesBlocks<A> || Resets<A>, "an allocator has free(block), free(block, bytes) or reset()");
  // jemalloc seeds its random choices from addresses, mimalloc reads the clock, and each machine has its own C library.
  constexpr bool kRepeatable = !ThirdParty<A>;
  std::span<const Execution> executions;
  if constexpr (kHasWorkloads) executions = kExecutions<A>;
  return complete(name, card, traits_of<A>(), subject_of<A>(), executions, kRepeatable);
}

}  // namespace lab::allocator
