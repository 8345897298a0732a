#include <utility>

#include "variants/ambient_obscurance/family/conformance.h"
#include "variants/ambient_obscurance/family/renderer.h"
#include "variants/ambient_obscurance/family/workloads.h"

namespace lab::ambient_obscurance {

bench::Variant make_variant(bench::VariantCard card, Maker maker) {
  card.family = LAB_FAMILY;
  bench::Variant variant{std::move(card), make_workloads(maker), conformance_of(maker)};
  return variant;
}

}  // namespace lab::ambient_obscurance
