#include "harness/report/standing.h"

#include <fmt/format.h>

#include "harness/report/format.h"

namespace lab::report {

namespace {

bool is_apart(const stats::Interval& a, const stats::Interval& b) {
  return a.high < b.low || b.high < a.low;
}

}  // namespace

std::string doubt_of(std::span<const Contender> all) {
  const std::optional<stats::Interval>& own = all.front().value.interval;
  const auto others = all.subspan(1);
  if (!own) return "it has too few processes for an interval";
  std::vector<std::string> overlapping, without;
  for (const Contender& other : others) {
    if (other.apart) continue;
    if (!other.value.interval)
      without.push_back(other.name);
    else if (!is_apart(*own, *other.value.interval))
      overlapping.push_back(other.name);
  }
  if (overlapping.size() == 1) return fmt::format("its interval overlaps that of {}", overlapping.front());
  constexpr std::size_t kMostNamed = 3;
  if (overlapping.size() > kMostNamed)
    overlapping = {overlapping[0], overlapping[1], fmt::format("{} others", overlapping.size() - 2)};
  if (!overlapping.empty()) return "its interval overlaps those of " + enumerated(overlapping);
  if (without.empty()) return "";
  return without.size() == 1 ? fmt::format("{} has too few processes for an interval", without.front())
                             : fmt::format("{} others have too few processes for an interval", without.size());
}

bool tells_apart(const std::optional<stats::Estimate>& ratio) {
  return ratio && ratio->interval && (ratio->interval->low > 1 || ratio->interval->high < 1);
}

std::string best_sentence(std::span<const Contender> all, const std::string& what, const std::string& value) {
  std::vector<std::string> equal;
  for (const Contender& one : all)
    if (one.value.median == all.front().value.median) equal.push_back(one.name);
  if (all.size() == 1) return fmt::format("{} has {}", all.front().name, value);
  if (equal.size() == all.size() && equal.size() > 2)
    return fmt::format("all {} have the same median, {}", all.size(), value);
  if (equal.size() > 1) return fmt::format("{} share {}, {}", enumerated(equal), what, value);
  const std::string doubt = doubt_of(all);
  return fmt::format("{} has {}, {}{}{}", all.front().name, what, value, doubt.empty() ? "" : ", but ", doubt);
}

}  // namespace lab::report
