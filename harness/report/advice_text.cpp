#include "harness/report/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <variant>

#include "harness/base/fit.h"

namespace lab::report {

namespace {

using results::Advice;
using results::AdviceBucket;
using results::AdviceUse;

using Rows = std::vector<std::vector<std::string>>;

std::string share(std::uint64_t part, std::uint64_t all) {
  if (part == 0 || all == 0) return "0 %";
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(all);
  return percent < 0.1 ? "< 0.1 %" : fmt::format("{:.1f} %", percent);
}

std::string line(std::string_view text, std::size_t width) {
  return wrapped_after(text, width, 2) + "\n";
}

std::string limit_text(const Advice& advice) {
  if (!advice.max_allocations) return "maxMemoryAllocationCount is not known";
  return fmt::format("{} of maxMemoryAllocationCount, {}", share(advice.allocations, *advice.max_allocations),
                     whole(*advice.max_allocations));
}

std::uint64_t dedicated_count(const Advice& advice) {
  std::uint64_t count = 0;
  for (const results::AdviceDedicated& dedicated : advice.dedicated) count += dedicated.use.count;
  return count;
}

// The formula once for each heap, with its numbers.
std::string formulas(const Advice& advice, std::size_t width) {
  std::string text;
  for (const results::AdviceHeap& heap : advice.heaps) {
    const auto bucket = std::ranges::find(advice.buckets, heap.heap, &AdviceBucket::heap);
    text += line(fmt::format("heap {}: {} bytes{}, {} of them in allocations ({})", heap.heap, whole(heap.bytes),
                             heap.replaced ? ", as the file says" : "", whole(heap.allocated),
                             share(heap.allocated, heap.bytes)),
                 width);
    if (bucket == advice.buckets.end()) continue;
    const std::uint64_t part = heap.bytes / advice.heap_parts;
    const std::uint64_t wanted = std::max(advice.largest_resource, part);
    const std::string limited =
        bucket->allocation_bytes == wanted ? ""
        : bucket->allocation_bytes == advice.max_allocation_bytes
            ? fmt::format(", limited by maxMemoryAllocationSize to {}", whole(bucket->allocation_bytes))
            : fmt::format(", limited by the heap to {}", whole(bucket->allocation_bytes));
    text += line(fmt::format("  an allocation: max(M, H / K) = max({}, {} / {} = {}) = {} bytes{}",
                             whole(advice.largest_resource), whole(heap.bytes), advice.heap_parts, whole(part),
                             whole(wanted), limited),
                 width);
  }
  return text;
}

std::string bucket_name(const AdviceBucket& bucket) {
  return fmt::format("{}, S {}, T {}", bucket.kind, whole(bucket.alignment), bucket.memory_type);
}

std::string bucket_table(const Advice& advice, std::size_t width) {
  const std::vector<Column> columns{
      {"resources", false, true}, {"S", true},     {"T", false, true}, {"bytes each", true},
      {"needed", true},           {"waste", true}, {"free", true}};
  Rows rows;
  for (const AdviceBucket& bucket : advice.buckets)
    rows.push_back({bucket.kind, whole(bucket.alignment),
                    fmt::format("{} ({})", bucket.memory_type,
                                bucket.flags.empty() ? "no flags" : fmt::format("{}", fmt::join(bucket.flags, ", "))),
                    whole(bucket.allocation_bytes), whole(bucket.allocations),
                    share(bucket.rounding + bucket.tails, bucket.allocated), share(bucket.free, bucket.allocated)});
  return table_text(columns, rows, width);
}

std::vector<std::string> use_row(const AdviceUse& use, std::string place) {
  return {use.name, whole(use.count), use.size == 0 ? "" : whole(use.size), std::move(place), use.what};
}

std::string use_table(const Advice& advice, std::size_t width) {
  const std::vector<Column> columns{
      {"name", false, true}, {"count", true}, {"bytes", true}, {"place", false, true}, {"what", false, true}};
  Rows rows;
  for (const AdviceBucket& bucket : advice.buckets)
    for (const AdviceUse& use : bucket.uses) rows.push_back(use_row(use, bucket_name(bucket)));
  for (const results::AdviceDedicated& dedicated : advice.dedicated)
    rows.push_back(use_row(dedicated.use, fmt::format("dedicated, T {}: {}", dedicated.memory_type, dedicated.why)));
  return rows.empty() ? "" : table_text(columns, rows, width);
}

std::string waste_text(const Advice& advice, std::size_t width) {
  std::uint64_t allocated = 0, rounding = 0, tails = 0, free = 0;
  for (const AdviceBucket& bucket : advice.buckets) {
    allocated += bucket.allocated;
    rounding += bucket.rounding;
    tails += bucket.tails;
    free += bucket.free;
  }
  if (allocated == 0) return "";
  return line(
      fmt::format("waste: {} bytes by rounding to blocks of S, {} at ends of allocations that are shorter than "
                  "a block ({} of {}); {} stay free for later resources",
                  whole(rounding), whole(tails), share(rounding + tails, allocated), whole(allocated), whole(free)),
      width);
}

// Whether a bucket says of its heap that it is the device's. Without a bucket, nothing is known of it.
bool is_device_local(const Advice& advice, const results::AdviceHeap& heap) {
  return std::ranges::any_of(advice.buckets, [&](const AdviceBucket& bucket) {
    return bucket.heap == heap.heap && std::ranges::find(bucket.flags, "device local") != bucket.flags.end();
  });
}

// Whether `number` stands in `text`, and not as the end of a longer one: 29,032,258 in 129,032,258.
bool states(std::string_view text, std::string_view number) {
  constexpr std::string_view kWithinNumbers = "0123456789,";
  for (std::size_t at = 0; (at = text.find(number, at)) != std::string_view::npos; ++at)
    if (at == 0 || kWithinNumbers.find(text[at - 1]) == std::string_view::npos) return true;
  return false;
}

}  // namespace

std::vector<results::AdviceErratum> advice_errata(const Advice& advice, const std::vector<results::Article>& articles) {
  std::vector<results::AdviceErratum> errata;
  for (const results::Article& article : articles)
    for (const results::Erratum& erratum : article.errata) {
      const auto* const share_of = std::get_if<results::HeapShare>(&erratum.measured);
      if (share_of == nullptr || share_of->parts != advice.heap_parts) continue;
      // The arithmetic states the right figure. So the erratum is about a heap of this size if it states ours.
      if (std::ranges::any_of(advice.heaps, [&](const results::AdviceHeap& heap) {
            return is_device_local(advice, heap) && states(erratum.arithmetic, whole(heap.bytes / share_of->parts));
          }))
        errata.push_back({erratum.claim, erratum.printed, erratum.arithmetic});
    }
  return errata;
}

std::string to_text(const Advice& advice, std::size_t width) {
  std::string text =
      line(fmt::format("{}{}: {}, {} of them dedicated: {}", advice.column,
                       advice.origin.empty() ? "" : fmt::format(" ({})", advice.origin),
                       counted(advice.allocations, "allocation"), whole(dedicated_count(advice)), limit_text(advice)),
           width);
  for (const results::AdviceRefusal& refused : advice.refused)
    text += line(
        fmt::format("NOT PLACED: {} of '{}' ({}{}): {}", counted(refused.use.count, "resource"), refused.use.name,
                    refused.use.what,
                    refused.use.size == 0 ? "" : fmt::format(", {} bytes each", whole(refused.use.size)), refused.why),
        width);
  text += formulas(advice, width);
  for (const results::AdviceErratum& erratum : advice.errata)
    text += line(fmt::format("an erratum of the article: {}: it prints {}, but {}", erratum.claim, erratum.article,
                             erratum.arithmetic),
                 width);
  if (!advice.buckets.empty()) text += "\n" + bucket_table(advice, width) + waste_text(advice, width);
  if (const std::string uses = use_table(advice, width); !uses.empty()) text += "\n" + uses;
  return text;
}

std::string to_json(const Advice& advice) {
  return boost::json::serialize(lab::to_json(advice)) + "\n";
}

}  // namespace lab::report
