/// Makes a Variant from a class with the members of allocator.h.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/subject.h"
#include "variants/allocator/family/workloads.h"

namespace lab::allocator {

/// What the report shows of a variant's capabilities.
struct Traits {
  const char* frees;    ///< how it frees a single block
  const char* threads;  ///< how many may call it at once
  std::string version;  ///< of a third-party allocator; else ""
};

template <Allocator A>
Traits traits_of() {
  Traits traits{FreesByPointer<A> ? "by pointer"
                : FreesBySize<A>  ? "by pointer and size"
                                  : "",
                !ThreadSafe<A>      ? "one at a time"
                : NumbersThreads<A> ? "as many as announced"
                                    : "any",
                ""};
  if constexpr (ThirdParty<A>) traits.version = A::version();
  return traits;
}

/// Nobody runs the workloads of a fuzz target, and without them it compiles in a fraction of the time.
#ifdef LAB_FUZZ
inline constexpr bool kHasWorkloads = false;
#else
inline constexpr bool kHasWorkloads = true;
#endif

/// Adds to the variant's four lines what its family knows. `workloads` may be empty.
bench::Variant complete(const char* name, bench::VariantCard&& card, const Traits& traits, const Subject& subject,
                        std::vector<bench::Workload>&& workloads);

template <Allocator A>
bench::Variant make_variant(const char* name, bench::VariantCard&& card) {
  static_assert(FreesBlocks<A> || Resets<A>, "an allocator has free(block), free(block, bytes) or reset()");
  std::vector<bench::Workload> offered;
  if constexpr (kHasWorkloads) offered = workloads<A>();
  return complete(name, std::move(card), traits_of<A>(), subject_of<A>(), std::move(offered));
}

}  // namespace lab::allocator
