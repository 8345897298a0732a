/// Makes a Variant from a class that models Allocator.
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
  std::string version;  ///< of a third-party allocator; else ""
};

template <Allocator A>
Traits traits_of() {
  Traits traits{FreesByPointer<A> ? "by pointer" : FreesBySize<A> ? "by pointer and size" : "", ""};
  if constexpr (ThirdParty<A>) traits.version = A::version();
  return traits;
}

/// Adds to the variant's four lines what its family knows.
bench::Variant complete(const char* name, bench::VariantCard&& card, const Traits& traits, const Subject& subject,
                        std::vector<bench::Workload>&& workloads);

template <Allocator A>
bench::Variant make_variant(const char* name, bench::VariantCard&& card) {
  static_assert(FreesBlocks<A> || Resets<A>, "an allocator has free(block), free(block, bytes) or reset()");
  return complete(name, std::move(card), traits_of<A>(), subject_of<A>(), workloads<A>());
}

}  // namespace lab::allocator
