/// Makes a Variant from a class that models Allocator.
#pragma once

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/workloads.h"

namespace lab::allocator {

/// The capabilities of A, as shown in the report.
template <Allocator A>
std::map<std::string, std::string> traits() {
  std::map<std::string, std::string> traits;
  traits["frees"] = FreesByPointer<A> ? "by pointer" : FreesBySize<A> ? "by pointer and size" : "everything at once";
  if (FreesBlocks<A> && Resets<A>) traits["frees"] += ", or everything at once";
  traits["capacity"] = FixedCapacity<A> ? "one buffer" : "grows";
  if constexpr (ThirdParty<A>) traits["version"] = A::version();
  return traits;
}

template <Allocator A>
bench::Variant make_variant(std::string name, bench::VariantCard card) {
  static_assert(FreesBlocks<A> || Resets<A>, "an allocator has free(block), free(block, bytes) or reset()");
  card.family = "allocator";
  card.name = std::move(name);
  card.traits = traits<A>();
  return {std::move(card), workloads<A>(), checks_of(subject_of<A>())};
}

}  // namespace lab::allocator
