#include "variants/gpu_memory/family/registration.h"

#include <span>
#include <utility>

#include "variants/gpu_memory/family/conformance.h"
#include "variants/gpu_memory/family/exhibits.h"
#include "variants/gpu_memory/family/fuzz.h"

namespace lab::gpu_memory {

bench::Variant& complete(const char* name, bench::VariantCard&& card, const Subject& subject,
                         std::vector<bench::Workload>&& workloads) {
  card.family = LAB_FAMILY;
  card.name = name;
  add_exhibits(subject, workloads);
  return bench::keep({std::move(card), std::move(workloads), checks_of(subject),
                      [subject](std::span<const std::uint8_t> input) { return fuzz(subject, input); }});
}

}  // namespace lab::gpu_memory
