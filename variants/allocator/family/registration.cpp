#include "variants/allocator/family/registration.h"

#include <utility>

#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/exhibits.h"
#include "variants/allocator/family/fuzz.h"
#include "variants/allocator/family/page_workloads.h"

namespace lab::allocator {

bench::Variant complete(const char* name, bench::VariantCard&& card, const Traits& traits, const Subject& subject,
                        std::vector<bench::Workload>&& workloads) {
  std::string frees = subject.can.frees_blocks ? traits.frees : "everything at once";
  if (subject.can.frees_blocks && subject.can.resets) frees += ", or everything at once";
  card.family = LAB_FAMILY;
  card.name = name;
  card.traits["frees"] = frees;
  card.traits["threads"] = traits.threads;
  card.traits["capacity"] = subject.can.fixed_capacity ? "one buffer" : "grows";
  if (!traits.version.empty()) card.traits["version"] = traits.version;
  if (!workloads.empty()) {
    add_exhibits(subject, workloads);
    add_page_workloads(subject, workloads.front().repeatable, workloads);
  }
  return {std::move(card), std::move(workloads), checks_of(subject),
          [subject](std::span<const std::uint8_t> input) { return fuzz(subject, input); }};
}

}  // namespace lab::allocator
