#include "harness/measure/target_intervals.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::measure {

namespace {

/// Most intervals wider than the target that are named.
constexpr std::size_t kNamedIntervals = 5;

}  // namespace

std::vector<std::pair<double, std::size_t>> TargetIntervals::wide() {
  std::vector<std::pair<double, std::size_t>> wide;
  for (std::size_t group = 0; group < arms_.groups(); ++group) {
    if (!arms_.is_active(group, compared_ > 0 ? results::kBase : results::kHead)) continue;
    int processes = 0;
    for (const std::size_t i : arms_.group(group)) processes += arms_[i].processes;
    Width& known = known_[group];
    if (known.processes != processes)
      known = {processes, rule_.relative_half_width(result_, spec_.selection.benchmarks[group].name, compared_)};
    if (known.half > spec_.length.target) wide.emplace_back(known.half, group);
  }
  std::sort(wide.rbegin(), wide.rend());
  return wide;
}

std::string TargetIntervals::missed_sentence() {
  std::vector<std::string> named;
  const auto wide = this->wide();
  for (std::size_t i = 0; i < std::min(wide.size(), kNamedIntervals); ++i)
    named.push_back(fmt::format("{} ({})", spec_.selection.benchmarks[wide[i].second].name,
                                wide[i].first >= 1 ? "none yet" : fmt::format("+-{:.1f} %", 100 * wide[i].first)));
  if (wide.size() > kNamedIntervals) named.push_back(fmt::format("{} more", wide.size() - kNamedIntervals));
  return fmt::format("the session ended before these intervals{} were within {:.3g} %: {}",
                     compared_ > 0 ? " of ratios" : "", 100 * spec_.length.target, fmt::join(named, ", "));
}

}  // namespace lab::measure
