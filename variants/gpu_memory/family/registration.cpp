#include "variants/gpu_memory/family/registration.h"

#include <span>
#include <utility>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/common/workloads/kept_memory.h"
#include "variants/gpu_memory/family/conformance.h"
#include "variants/gpu_memory/family/exhibits.h"
#include "variants/gpu_memory/family/fuzz.h"

namespace lab::gpu_memory {

namespace {

std::string in_common(const designs::Grouping& grouping) {
  std::string names = grouping.by_kind ? "kind, " : "";
  if (grouping.by_alignment) names += "alignment, ";
  names += "memory type";
  if (grouping.by_size) names += ", size";
  return names;
}

}  // namespace

bench::Variant& complete(const char* name, const bench::Card& card, const Traits& traits, Subject subject,
                         const std::optional<Tasks>& tasks) {
  bench::VariantCard whole = bench::variant_card(LAB_FAMILY, name, card);
  whole.traits["shares"] = traits.shares ? in_common(*traits.shares) : "nothing";
  if (traits.moves != nullptr) whole.traits["moves"] = traits.moves;
  if (traits.version != nullptr) whole.traits["version"] = traits.version();
  std::vector<bench::Workload> workloads;
  if (tasks) {
    workloads = offer(*tasks);
    add_exhibits(subject, workloads);
    for (bench::Workload& workload : workloads) keep_freed_memory_in(workload);
  }
  return bench::keep({std::move(whole), std::move(workloads), checks_of(subject),
                      [subject](std::span<const std::uint8_t> input) { return fuzz(subject, input); }});
}

}  // namespace lab::gpu_memory
