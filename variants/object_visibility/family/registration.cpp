#include "variants/object_visibility/family/registration.h"

#include <utility>

#include "harness/bench/variant.h"
#include "variants/object_visibility/family/conformance.h"
#include "variants/object_visibility/family/workloads.h"

namespace lab::object_visibility {

std::string why_unsupported(const Ability& ability) {
  return ability.unsupported == nullptr ? "" : ability.unsupported();
}

bench::Variant& make_variant(const char* name, const bench::Card& card, MakeCounter make, const Ability& ability) {
  bench::VariantCard whole = bench::variant_card(LAB_FAMILY, name, card);
  whole.traits["threads"] = ability.parallel ? "all" : "one";
  return bench::keep({std::move(whole), make_workloads(make, ability), make_checks(make, ability)});
}

}  // namespace lab::object_visibility
