#include "variants/particle_buffer/family/registration.h"

#include <utility>

#include "variants/particle_buffer/family/conformance.h"
#include "variants/particle_buffer/family/fuzz.h"
#include "variants/particle_buffer/family/simulation.h"
#include "variants/particle_buffer/family/workloads.h"

namespace lab::particle_buffer {

namespace {

/// Before anything is allocated for the workload.
void keep_memory_in(bench::Workload& workload) {
  if (workload.prepare)
    workload.prepare = [prepare = std::move(workload.prepare)](const bench::Case& inputs) {
      keep_freed_memory();
      return prepare(inputs);
    };
  if (workload.exhibit)
    workload.exhibit = [exhibit = std::move(workload.exhibit)](const bench::Case& inputs, bench::ExhibitFiles& files) {
      keep_freed_memory();
      exhibit(inputs, files);
    };
}

}  // namespace

bench::Variant make_variant(const char* name, bench::VariantCard card, const Abilities& abilities, MakeBuffer make) {
  card.family = LAB_FAMILY;
  card.name = name;
  card.traits["indices"] = abilities.indices ? "kept or told" : "none that last";
  std::vector<bench::Workload> offered = workloads(make, abilities);
  for (bench::Workload& workload : offered) keep_memory_in(workload);
  std::vector<bench::ConformanceCheck> checks = checks_of(make, abilities);
  return {std::move(card), std::move(offered), std::move(checks),
          [make = std::move(make), abilities](std::span<const std::uint8_t> input) {
            return fuzz(make, abilities, input);
          }};
}

}  // namespace lab::particle_buffer
