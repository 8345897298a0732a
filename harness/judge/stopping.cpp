#include "harness/judge/stopping.h"

#include "harness/judge/summary.h"
#include "harness/stats/strata.h"

namespace lab::judge {

double relative_half_width(const results::Result& result, const std::string& benchmark, std::size_t compared) {
  const std::vector<stats::Datum> head = process_times(result, benchmark);
  if (head.empty()) return 1;
  if (compared == 0) return stats::relative_half_width(estimate(head)).value_or(1);
  const std::vector<stats::Datum> base = process_times(result, benchmark, "", results::kBase);
  const std::size_t stratum = stats::stratum_blocks(stats::common_blocks(base, head), compared, stats::kAlpha);
  const auto ratio = stats::in_strata(base, head, stratum).interval(1 - stats::kConfidence);
  return ratio ? (ratio->high - ratio->low) / (ratio->high + ratio->low) : 1;
}

}  // namespace lab::judge
