/// Makes a Variant from a class that models GpuMemory.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/gpu_memory/family/workloads.h"

namespace lab::gpu_memory {

/// Nobody runs the workloads of a fuzz target, and without them it compiles in a fraction of the time.
#ifdef LAB_FUZZ
inline constexpr bool kHasWorkloads = false;
#else
inline constexpr bool kHasWorkloads = true;
#endif

/// Adds to the variant's four lines what its family knows. `workloads` may be empty.
bench::Variant& complete(const char* name, bench::VariantCard&& card, const Subject& subject,
                         std::vector<bench::Workload>&& workloads);

/// A class may have `static constexpr const char* kShares`: which resources may share an allocation.
template <GpuMemory A>
bench::Variant& make_variant(const char* name, bench::VariantCard&& card) {
  std::vector<bench::Workload> offered;
  if constexpr (kHasWorkloads) offered = workloads<A>();
  return complete(name, std::move(card), subject_of<A>(), std::move(offered));
}

}  // namespace lab::gpu_memory
