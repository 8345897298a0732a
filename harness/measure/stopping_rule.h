/// What a session asks about the numbers that it has. The session measures; who starts it says how numbers are judged.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/results/result.h"

namespace lab::measure {

struct StoppingRule {
  /// Removes the processes of every benchmark that answered wrongly, and adds one failure for each at the end of the
  /// failures. Returns how many it added. Asked after every block.
  std::function<std::size_t(results::Result&)> reject_wrong_answers;
  /// Half the width of a benchmark's interval over its middle; 1 where there are too few processes for an interval.
  /// The interval is head's, or where `compared` benchmarks of the session have a base, that of the ratio to it.
  std::function<double(const results::Result&, const std::string& benchmark, std::size_t compared)> relative_half_width;
  /// Each "family/workload" whose answers were only compared with each other, because the reference gave none.
  std::function<std::vector<std::string>(const results::Result&)> without_reference;
};

}  // namespace lab::measure
