#include "variants/particle_buffer/family/registration.h"

#include <utility>

#include "harness/bench/variant.h"
#include "variants/common/workloads/kept_memory.h"
#include "variants/particle_buffer/family/conformance.h"
#include "variants/particle_buffer/family/fuzz.h"
#include "variants/particle_buffer/family/simulation.h"
#include "variants/particle_buffer/family/workloads.h"

namespace lab::particle_buffer {

bench::Variant& make_variant(const char* name, const bench::Card& card, const Traits& traits,
                             const Abilities& abilities, MakeBuffer make) {
  bench::VariantCard whole = bench::variant_card(LAB_FAMILY, name, card);
  whole.traits["layout"] = traits.layout;
  whole.traits["frees"] = traits.frees;
  if (traits.version != nullptr) whole.traits["version"] = traits.version;
  whole.traits["indices"] = abilities.indices ? "kept or told" : "none that last";
  std::vector<bench::Workload> offered = workloads(make, abilities);
  for (bench::Workload& workload : offered) keep_freed_memory_in(workload);
  std::vector<bench::ConformanceCheck> checks = checks_of(make, abilities);
  return bench::keep({std::move(whole), std::move(offered), std::move(checks),
                      [make = std::move(make), abilities](std::span<const std::uint8_t> input) {
                        return fuzz(make, abilities, input);
                      }});
}

}  // namespace lab::particle_buffer
