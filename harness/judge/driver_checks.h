/// The checks of claims about drivers: what a check gets, what all of them share, and the tables that name them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fit.h"
#include "harness/judge/driver_claim.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/memory_findings.h"

namespace lab::judge {

/// One check, and the column to test it on.
struct CheckRequest {
  const results::DriverCheck& check;
  const results::DriverColumn& column;
  const results::ImageSweep& sweep;
  const results::MemoryFindings* memory = nullptr;  ///< null: no real allocations were made

  /// Images and buffers of the article's sweep that the driver did not refuse.
  std::vector<results::ImageRow> images() const;
  std::vector<results::BufferRow> buffers() const;
  /// These buffers, and the storage buffers of other sweeps.
  std::vector<results::BufferRow> all_storage_buffers() const;
  /// Null if it was not queried or the driver refused it.
  const results::ImageRow* image(const results::ImageSize& size) const;

  /// A figure of the article after "about", in favour of the claim.
  std::uint64_t at_most(std::uint64_t figure) const;
  std::uint64_t at_least(std::uint64_t figure) const;
  std::string near(std::uint64_t figure) const;
  /// "every", or what "typically" is read as: "at least 90 % of".
  std::string each(std::string_view one, std::string_view many) const;
  bool is_typical(std::size_t count, std::size_t all) const;
};

/// Checks by the name that an article's file gives them.
using CheckTable = std::map<std::string_view, CheckOutcome (*)(const CheckRequest&)>;

const CheckTable& image_checks();
const CheckTable& buffer_checks();
/// Limits, heaps, memory types and real allocations.
const CheckTable& device_checks();

// --- what checks share ---

template <typename Values>
std::string listed(const Values& values, std::string_view between) {
  std::vector<std::string> texts;
  for (const std::uint64_t value : values) texts.push_back(whole(value));
  return fmt::format("{}", fmt::join(texts, between));
}

/// Those of images or buffers.
template <typename Rows>
std::set<std::uint64_t> alignments(const Rows& rows) {
  std::set<std::uint64_t> different;
  for (const auto& row : rows) different.insert(row.alignment);
  return different;
}

/// For a column that lacks the data.
CheckOutcome no_data(std::string reading, std::string why = "the driver did not answer");

/// For data that could not show the opposite.
CheckOutcome undecided(std::string reading, std::string why);

/// The values found; whether they hold is the caller's to say. No data if there are none.
CheckOutcome of_values(std::string reading, const std::set<std::uint64_t>& found, bool holds,
                       std::string_view between = " and ");

/// Whether a figure is from `least` to `most`. No data if there is none.
CheckOutcome in_range(std::string reading, const std::optional<std::uint64_t>& found, std::uint64_t least,
                      std::uint64_t most);

/// Whether the values found are exactly the stated figures.
CheckOutcome all_of(const CheckRequest& request, const std::set<std::uint64_t>& found, std::string_view between);

/// Whether all values found are powers of two from `low` to `high`, and what that reads.
bool are_powers(const std::set<std::uint64_t>& found, std::uint64_t low, std::uint64_t high);
std::string powers_reading(const results::DriverCheck& check);

}  // namespace lab::judge
