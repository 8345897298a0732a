#include "variants/allocator/family/registration.h"

#include <utility>

#include "variants/allocator/family/conformance.h"

namespace lab::allocator {

bench::Variant complete(const char* name, bench::Variant&& variant, const Traits& traits, const Subject& subject,
                        std::vector<bench::Workload>&& workloads) {
  std::string frees = subject.can.frees_blocks ? traits.frees : "everything at once";
  if (subject.can.frees_blocks && subject.can.resets) frees += ", or everything at once";
  variant.family = LAB_FAMILY;
  variant.name = name;
  variant.traits["frees"] = frees;
  variant.traits["capacity"] = subject.can.fixed_capacity ? "one buffer" : "grows";
  if (!traits.version.empty()) variant.traits["version"] = traits.version;
  variant.workloads = std::move(workloads);
  variant.conformance = checks_of(subject);
  return std::move(variant);
}

}  // namespace lab::allocator
