#include "harness/judge/driver_claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/judge/driver_checks.h"

namespace lab::judge {

using results::DriverCheck;
using results::DriverColumn;
using results::ImageRow;
using results::ImageSweep;

namespace {

const CheckTable& all_checks() {
  static const CheckTable kAll = [] {
    CheckTable all;
    for (const CheckTable* table : {&image_checks(), &buffer_checks(), &device_checks()})
      all.insert(table->begin(), table->end());
    return all;
  }();
  return kAll;
}

}  // namespace

bool judges_times(const DriverCheck& check) {
  return check.kind == "linear sampling slower" || check.kind == "operation within";
}

CheckOutcome check_claim(const DriverCheck& check, const DriverColumn& column, const ImageSweep& sweep,
                         const results::MemoryFindings* memory) {
  CheckOutcome outcome = all_checks().at(check.kind)({check, column, sweep, memory});
  if (check.about != 0) outcome.reading += fmt::format(" (tolerance {:g} %)", 100 * check.about);
  return outcome;
}

std::optional<std::uint64_t> smallest_image_storage(const DriverColumn& column, const ImageSweep& sweep) {
  std::optional<std::uint64_t> least;
  for (const ImageRow& row : column.images)
    if (row.size != 0 && std::min(row.width, row.height) >= sweep.least_dimension)
      least = std::min(least.value_or(row.size), row.size);
  return least;
}

std::uint64_t device_heap_bytes(const DriverColumn& column) {
  std::uint64_t largest = 0;
  if (column.driver.device_type != "discrete gpu") return largest;
  for (const results::MemoryHeap& heap : column.heaps)
    if (std::ranges::find(heap.flags, "device local") != heap.flags.end()) largest = std::max(largest, heap.size);
  return largest;
}

}  // namespace lab::judge
