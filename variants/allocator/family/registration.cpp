#include "variants/allocator/family/registration.h"

#include <string>
#include <utility>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/conformance.h"
#include "variants/allocator/family/exhibits.h"
#include "variants/allocator/family/fuzz.h"
#include "variants/allocator/family/offer.h"
#include "variants/allocator/family/page_workloads.h"

namespace lab::allocator {

bench::Variant& complete(const char* name, const bench::Card& card, const Traits& traits, const Subject& subject,
                         std::span<const Execution> executions, bool repeatable) {
  std::string frees = subject.can.frees_blocks ? traits.frees : "everything at once";
  if (subject.can.frees_blocks && subject.can.resets) frees += ", or everything at once";
  bench::VariantCard whole = bench::variant_card(LAB_FAMILY, name, card);
  whole.traits["frees"] = frees;
  whole.traits["threads"] = traits.threads;
  whole.traits["capacity"] = subject.can.fixed_capacity ? "one buffer" : "grows";
  const std::string version = traits.version == nullptr ? "" : traits.version();
  if (!version.empty()) whole.traits["version"] = version;
  std::vector<bench::Workload> workloads = offer(executions, subject, repeatable);
  if (!workloads.empty()) {
    add_exhibits(subject, workloads);
    add_page_workloads(subject, repeatable, workloads);
  }
  return bench::keep({std::move(whole), std::move(workloads), checks_of(subject),
                      [subject](std::span<const std::uint8_t> input) { return fuzz(subject, input); }});
}

}  // namespace lab::allocator
