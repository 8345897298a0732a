#include "variants/object_pool/family/registration.h"

#include <span>
#include <utility>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/object_pool/family/conformance.h"
#include "variants/object_pool/family/fuzz.h"
#include "variants/object_pool/family/workloads.h"

namespace lab::object_pool {

bench::Variant& complete(const char* name, const bench::Card& card, const Traits& traits, const Subject& subject,
                         Acting acting, const TaskTable* tasks) {
  bench::VariantCard full = bench::variant_card(LAB_FAMILY, name, card);
  if (traits.in_use != nullptr) full.traits["in use"] = traits.in_use;
  if (traits.finds != nullptr) full.traits["finds"] = traits.finds;
  full.traits["references"] = traits.finds_stale     ? "handles that are found to be stale"
                              : traits.unstable_refs ? "none that stay valid"
                                                     : "pointers";
  full.traits["objects"] = traits.moves || traits.unstable_refs ? "move" : "stay in place";
  full.traits["walk"] = traits.walkable ? "by the pool" : "by a list that the user adds";
  return bench::keep({std::move(full), tasks == nullptr ? std::vector<bench::Workload>() : workloads(*tasks),
                      checks_of(subject),
                      [subject, acting](std::span<const std::uint8_t> input) { return fuzz(subject, acting, input); }});
}

}  // namespace lab::object_pool
