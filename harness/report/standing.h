/// How sure it is that the best of several medians is the best: what a title may say of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/claim.h"
#include "harness/stats/interval.h"

namespace lab::report {

/// A value with its name.
struct Contender {
  std::string name;
  stats::Estimate value;
  bool apart = false;  ///< from the best one, by the ratio of their blocks: it leaves no doubt, whatever the intervals
};

/// Why the first contender, the best one, may not be the best: "its interval overlaps that of tcmalloc", or that too
/// few processes have been measured for an interval. "" if it is apart from all others. `all` must not be empty.
std::string doubt_of(std::span<const Contender> all);

/// Whether a ratio by blocks says that its two times differ. It may, where the intervals of the two overlap.
bool tells_apart(const std::optional<stats::Estimate>& ratio);

/// "buddy has the lowest median, 27.9 ns per pair", where `what` is "the lowest median" and `value` "27.9 ns per pair"
/// of the first contender, the best one. Where its interval is not apart from all others', the sentence says so; where
/// the next ones have the same median, it names them all. `all` must not be empty.
std::string best_sentence(std::span<const Contender> all, const std::string& what, const std::string& value);

}  // namespace lab::report
