#include "harness/judge/driver_claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "harness/judge/driver_checks.h"

namespace lab::judge {

using results::BufferRow;
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

std::uint64_t scaled(std::uint64_t figure, double factor) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(figure) * factor));
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

std::vector<ImageRow> CheckRequest::images() const {
  std::vector<ImageRow> kept;
  for (const ImageRow& row : column.images)
    if (row.size != 0 && std::min(row.width, row.height) >= sweep.least_dimension) kept.push_back(row);
  return kept;
}

std::vector<BufferRow> CheckRequest::buffers() const {
  std::vector<BufferRow> kept;
  for (const BufferRow& row : column.buffers)
    if (row.size != 0) kept.push_back(row);
  return kept;
}

std::vector<BufferRow> CheckRequest::all_storage_buffers() const {
  std::vector<BufferRow> kept = buffers();
  for (const results::SweepAnswers& answers : column.sweeps)
    for (const results::BufferTable& table : answers.buffers)
      if (table.kind == results::BufferKind{"storage buffer", ""})
        for (const results::BufferAnswer& row : table.rows)
          if (row.needs.size != 0) kept.push_back({row.length, row.needs.size, row.needs.alignment});
  std::sort(kept.begin(), kept.end(), [](const BufferRow& a, const BufferRow& b) { return a.length < b.length; });
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

const ImageRow* CheckRequest::image(const results::ImageSize& size) const {
  for (const ImageRow& row : column.images)
    if (row.width == size[0] && row.height == size[1]) return row.size == 0 ? nullptr : &row;
  return nullptr;
}

std::uint64_t CheckRequest::at_most(std::uint64_t figure) const {
  return scaled(figure, 1 + check.about);
}

std::uint64_t CheckRequest::at_least(std::uint64_t figure) const {
  return scaled(figure, 1 - check.about);
}

std::string CheckRequest::near(std::uint64_t figure) const {
  return fmt::format("{} to {}", whole(at_least(figure)), whole(at_most(figure)));
}

std::string CheckRequest::each(std::string_view one, std::string_view many) const {
  return check.typically == 1 ? fmt::format("every {}", one)
                              : fmt::format("at least {:g} % of the {}", 100 * check.typically, many);
}

bool CheckRequest::is_typical(std::size_t count, std::size_t all) const {
  return static_cast<double>(count) >= check.typically * static_cast<double>(all);
}

CheckOutcome no_data(std::string reading, std::string why) {
  return {std::move(reading), std::move(why), std::nullopt, false};
}

CheckOutcome undecided(std::string reading, std::string why) {
  return {std::move(reading), std::move(why), std::nullopt};
}

CheckOutcome of_values(std::string reading, const std::set<std::uint64_t>& found, bool holds,
                       std::string_view between) {
  if (found.empty()) return no_data(std::move(reading));
  return {std::move(reading), listed(found, between), holds};
}

CheckOutcome in_range(std::string reading, const std::optional<std::uint64_t>& found, std::uint64_t least,
                      std::uint64_t most) {
  if (!found) return no_data(std::move(reading));
  return {std::move(reading), whole(*found), *found >= least && *found <= most};
}

CheckOutcome all_of(const CheckRequest& request, const std::set<std::uint64_t>& found, std::string_view between) {
  const std::vector<std::uint64_t>& stated = request.check.bytes;
  return of_values(listed(stated, between), found, found == std::set<std::uint64_t>(stated.begin(), stated.end()),
                   between);
}

bool are_powers(const std::set<std::uint64_t>& found, std::uint64_t low, std::uint64_t high) {
  return std::all_of(found.begin(), found.end(),
                     [&](std::uint64_t value) { return std::has_single_bit(value) && value >= low && value <= high; });
}

std::string powers_reading(const results::DriverCheck& check) {
  return fmt::format("powers of two from {} to {}", whole(check.low), whole(check.high));
}

}  // namespace lab::judge
