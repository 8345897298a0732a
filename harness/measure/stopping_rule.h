/// How a session judges its numbers. The session only measures; its caller supplies this rule.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::measure {

struct StoppingRule {
  /// Removes the processes of every benchmark with a wrong answer, and appends one failure for each. Returns how many
  /// it appended. Called after every block.
  std::function<std::size_t(results::Result&)> reject_wrong_answers;
  /// Half the width of a benchmark's interval divided by its middle; 1 if there are too few processes for an interval.
  /// The interval is head's, or, if `compared` benchmarks of the session (more than 0) have a base, that of the ratio
  /// to it.
  std::function<double(const results::Result&, const std::string& benchmark, std::size_t compared)> relative_half_width;
  /// Each "family/workload" whose answers were only compared with each other, because the reference gave none.
  std::function<std::vector<std::string>(const results::Result&)> without_reference;
};

}  // namespace lab::measure
