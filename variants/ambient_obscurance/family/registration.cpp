#include "harness/bench/variant.h"
#include "variants/ambient_obscurance/family/conformance.h"
#include "variants/ambient_obscurance/family/cpu_renderer.h"
#include "variants/ambient_obscurance/family/cpu_variant.h"
#include "variants/ambient_obscurance/family/renderer.h"
#include "variants/ambient_obscurance/family/workloads.h"

namespace lab::ambient_obscurance {

bench::Variant& make_variant(const char* name, const bench::Card& card, const Maker& maker) {
  return bench::keep({bench::variant_card(LAB_FAMILY, name, card), make_workloads(maker), conformance_of(maker)});
}

bench::Variant& make_cpu_variant(const char* name, const bench::Card& card, const CpuTraits& traits) {
  const Maker maker = cpu_maker(traits.steps, traits.threads);
  return make_variant(name, card, traits.exhibits ? with_exhibits(maker) : maker);
}

}  // namespace lab::ambient_obscurance
