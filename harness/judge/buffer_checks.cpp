#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/judge/driver_checks.h"

namespace lab::judge {

namespace {

using results::BufferRow;

CheckOutcome buffer_alignment_by_limit(const CheckRequest& request) {
  const std::string reading = fmt::format("multiples of {}", request.check.limit);
  const std::set<std::uint64_t> found = alignments(request.buffers());
  const std::optional<std::uint64_t> limit = request.column.limit(request.check.limit);
  if (found.empty() || limit.value_or(0) == 0) return no_data(reading);
  return {reading, fmt::format("{}, the limit is {}", listed(found, " and "), whole(*limit)),
          std::all_of(found.begin(), found.end(), [&](std::uint64_t one) { return one % *limit == 0; })};
}

CheckOutcome small_buffer_storage(const CheckRequest& request) {
  std::set<std::uint64_t> found;
  for (const BufferRow& row : request.buffers())
    if (row.length < request.check.below) found.insert(row.size);
  return all_of(request, found, " or ");
}

/// The largest power of two to which the driver may round every length up; 1 if it rounds none.
std::uint64_t rounding(const std::vector<BufferRow>& buffers) {
  constexpr std::uint64_t kMost = 65536;
  for (std::uint64_t unit = kMost; unit > 1; unit /= 2)
    if (std::all_of(buffers.begin(), buffers.end(),
                    [&](const BufferRow& row) { return row.size % unit == 0 && row.size - row.length < unit; }))
      return unit;
  return 1;
}

CheckOutcome buffer_extra(const CheckRequest& request) {
  const std::uint64_t above = request.at_most(request.check.above), most = request.at_most(request.check.most);
  const std::string reading = fmt::format("{} above {}: {}", request.each("length", "lengths"), whole(above),
                                          most == 0 ? "nothing more" : fmt::format("up to {} more", whole(most)));
  // A share depends on which lengths are asked, so it is that of the article's.
  const std::vector<BufferRow> buffers =
      request.check.typically == 1 ? request.all_storage_buffers() : request.buffers();
  std::vector<BufferRow> judged;
  for (const BufferRow& row : buffers)
    if (row.length > above) judged.push_back(row);
  if (judged.empty()) return no_data(reading);
  const auto extra = [](const BufferRow& row) { return row.size - row.length; };
  const auto count = static_cast<std::size_t>(
      std::count_if(judged.begin(), judged.end(), [&](const BufferRow& row) { return extra(row) <= most; }));
  const BufferRow& worst = *std::max_element(
      judged.begin(), judged.end(), [&](const BufferRow& a, const BufferRow& b) { return extra(a) < extra(b); });
  // Multiples of the unit to which a driver rounds need nothing more, whatever other lengths would need.
  const std::uint64_t unit = rounding(buffers);
  if (extra(worst) == 0 && most + 1 < unit)
    return undecided(reading,
                     fmt::format("{} lengths, all multiples of {}, to which this driver rounds: other lengths would "
                                 "need more",
                                 judged.size(), whole(unit)));
  std::string found = fmt::format("{} of {} lengths", count, judged.size());
  if (extra(worst) != 0) found += fmt::format(", {} more at {}", whole(extra(worst)), whole(worst.length));
  return {reading, std::move(found), request.is_typical(count, judged.size())};
}

/// Buffers of other sweeps that were asked with several usages.
CheckOutcome same_for_buffer_usages(const CheckRequest& request) {
  const std::string reading = "the same storage and alignment for every usage";
  using Requirement = std::pair<std::uint64_t, std::uint64_t>;  // storage and alignment
  std::map<std::uint64_t, std::map<Requirement, std::string_view>> usage_by_length;
  std::set<std::string_view> usages;
  for (const results::SweepAnswers& answers : request.column.sweeps)
    for (const results::BufferTable& table : answers.buffers)
      for (const results::BufferAnswer& row : table.rows)
        if (table.kind.flags.empty() && row.needs.size != 0) {
          usage_by_length[row.length].try_emplace({row.needs.size, row.needs.alignment}, table.kind.usage);
          usages.insert(table.kind.usage);
        }
  if (usages.size() < 2) return no_data(reading, "one usage was asked");
  const auto differs = [](const auto& length) { return length.second.size() > 1; };
  const auto first = std::find_if(usage_by_length.begin(), usage_by_length.end(), differs);
  if (first == usage_by_length.end()) return {reading, fmt::format("the same for {} usages", usages.size()), true};
  std::vector<std::string> texts;
  for (const auto& [requirement, usage] : first->second)
    texts.push_back(fmt::format("{} aligned to {} for {}", whole(requirement.first), whole(requirement.second), usage));
  return {reading,
          fmt::format("different for {} of {} lengths; of {}, {}",
                      std::count_if(usage_by_length.begin(), usage_by_length.end(), differs), usage_by_length.size(),
                      counted(first->first, "byte"), fmt::join(texts, ", ")),
          false};
}

}  // namespace

const CheckTable& buffer_checks() {
  static const CheckTable kTable{
      {"one buffer alignment",
       [](const CheckRequest& r) {
         const std::set<std::uint64_t> found = alignments(r.buffers());
         return of_values("one", found, found.size() == 1);
       }},
      {"buffer alignments",
       [](const CheckRequest& r) {
         const std::set<std::uint64_t> found = alignments(r.buffers());
         return of_values(powers_reading(r.check), found, are_powers(found, r.check.low, r.check.high));
       }},
      {"buffer alignment by limit", buffer_alignment_by_limit},
      {"small buffer storage", small_buffer_storage},
      {"buffer extra", buffer_extra},
      {"same for buffer usages", same_for_buffer_usages},
  };
  return kTable;
}

}  // namespace lab::judge
