#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/judge/driver_checks.h"

namespace lab::judge {

namespace {

using results::DriverCheck;
using results::DriverColumn;
using results::HeapCheck;
using results::ImageRow;

// --- heaps, memory types ---

std::string heap_text(const std::string& size, bool device_local, bool host_visible) {
  const std::string_view what = device_local && host_visible ? "device local and host visible"
                                : device_local               ? "device local"
                                : host_visible               ? "host visible"
                                                             : "neither device local nor host visible";
  return size.empty() ? std::string(what) : fmt::format("{} {}", size, what);
}

bool has_flag(const std::vector<std::string>& flags, std::string_view flag) {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

CheckOutcome heaps(const CheckRequest& request) {
  std::vector<std::string> stated, found;
  for (const HeapCheck& heap : request.check.heaps)
    stated.push_back(heap_text(heap.bytes == 0 ? "" : request.near(heap.bytes), heap.device_local, heap.host_visible));
  const std::string reading = fmt::format("{}", fmt::join(stated, ", "));
  const DriverColumn& column = request.column;
  if (column.heaps.empty())
    return column.driver.simulated ? no_data(reading, "a simulated device has no heaps") : no_data(reading);
  std::vector<HeapCheck> unmatched = request.check.heaps;
  for (std::size_t i = 0; i < column.heaps.size(); ++i) {
    const std::uint64_t size = column.heaps[i].size;
    const bool device_local = has_flag(column.heaps[i].flags, "device local");
    const bool host_visible = std::any_of(
        column.memory_types.begin(), column.memory_types.end(),
        [&](const results::MemoryType& type) { return type.heap == i && has_flag(type.flags, "host visible"); });
    found.push_back(heap_text(whole(size), device_local, host_visible));
    const auto match = std::find_if(unmatched.begin(), unmatched.end(), [&](const HeapCheck& heap) {
      return heap.device_local == device_local && heap.host_visible == host_visible &&
             (heap.bytes == 0 || (size >= request.at_least(heap.bytes) && size <= request.at_most(heap.bytes)));
    });
    if (match != unmatched.end()) unmatched.erase(match);
  }
  return {reading, fmt::format("{}", fmt::join(found, ", ")),
          unmatched.empty() && column.heaps.size() == request.check.heaps.size()};
}

CheckOutcome separate_memory_types(const CheckRequest& request) {
  const std::string reading = "no memory type for both";
  std::uint32_t of_images = 0, of_buffers = 0;
  for (const ImageRow& row : request.images()) of_images |= row.memory_type_bits;
  for (const std::uint32_t bits : request.column.buffer_memory_type_bits) of_buffers |= bits;
  if (of_images == 0 || of_buffers == 0) return no_data(reading);
  const auto both = static_cast<std::size_t>(std::popcount(of_images & of_buffers));
  return {reading, fmt::format("{} for both", both == 0 ? "none" : counted(both, "type")), both == 0};
}

// --- real allocations ---

constexpr std::string_view kNoAllocations = "no allocations were made";

CheckOutcome allocations_at_once(const CheckRequest& request) {
  const std::string reading = fmt::format("at least {} exist at once", whole(request.check.low));
  if (request.memory == nullptr || !request.memory->limit) return no_data(reading, std::string(kNoAllocations));
  const results::AllocationCount& count = *request.memory->limit;
  const bool enough = count.succeeded >= request.check.low;
  if (!enough && count.result.empty())
    return undecided(reading, fmt::format("{} succeeded, then {}", whole(count.succeeded), count.stopped));
  return {reading,
          enough ? fmt::format("{} succeeded", whole(count.succeeded))
                 : fmt::format("{} succeeded, then {}", whole(count.succeeded), count.result),
          enough};
}

/// By order of access, in the memory type that serves both tilings.
CheckOutcome linear_sampling_slower(const CheckRequest& request) {
  const double factor = request.check.factor;
  const std::string reading = fmt::format("in some order of access, {:g} times the time of optimal tiling", factor);
  if (request.memory == nullptr) return no_data(reading, std::string(kNoAllocations));
  std::vector<std::string> texts;
  double most = 0;
  for (const std::string_view order : {"tiles", "columns"})
    for (const results::MemoryTiming& linear : request.memory->timings)
      for (const results::MemoryTiming& optimal : request.memory->timings) {
        if (linear.what != fmt::format("sample linear tiling by {}", order) ||
            optimal.what != fmt::format("sample optimal tiling by {}", order) ||
            linear.memory_type != optimal.memory_type || optimal.samples_ns.empty() || linear.samples_ns.empty())
          continue;
        const double ratio = summary(linear).median_ns / summary(optimal).median_ns;
        texts.push_back(fmt::format("{:.2f} by {}", ratio, order));
        most = std::max(most, ratio);
      }
  if (texts.empty()) return no_data(reading, "no texture was sampled in both tilings");
  const std::string found = fmt::format("{} times", fmt::join(texts, ", "));
  const std::string label = timing_label(*request.memory);
  if (!label.empty()) return undecided(reading, fmt::format("{}, {}", found, label));
  return {reading, found, most >= factor};
}

CheckOutcome operation_within(const CheckRequest& request) {
  const DriverCheck& check = request.check;
  const std::string reading = fmt::format("{}: at most {} ns", check.operation, whole(check.most));
  if (request.memory == nullptr) return no_data(reading, std::string(kNoAllocations));
  double most = -1;
  for (const results::MemoryTiming& timing : request.memory->timings)
    if (timing.what == check.operation && !timing.samples_ns.empty()) most = std::max(most, summary(timing).median_ns);
  if (most < 0) return no_data(reading, "it was not timed");
  return {reading, fmt::format("{} ns", whole(static_cast<std::uint64_t>(std::llround(most)))),
          most <= static_cast<double>(check.most)};
}

}  // namespace

const CheckTable& device_checks() {
  static const CheckTable kTable{
      {"limit at least",
       [](const CheckRequest& r) {
         const std::uint64_t least = r.at_least(r.check.low);
         return in_range(fmt::format("at least {}", whole(least)), r.column.limit(r.check.limit), least, UINT64_MAX);
       }},
      {"limit at most",
       [](const CheckRequest& r) {
         const std::uint64_t most = r.at_most(r.check.most);
         return in_range(fmt::format("at most {}", whole(most)), r.column.limit(r.check.limit), 0, most);
       }},
      {"heaps", heaps},
      {"separate memory types", separate_memory_types},
      {"allocations at once", allocations_at_once},
      {"linear sampling slower", linear_sampling_slower},
      {"operation within", operation_within},
  };
  return kTable;
}

}  // namespace lab::judge
