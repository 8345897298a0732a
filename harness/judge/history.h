/// What happened in every series of a store of results.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/results/store.h"

namespace lab::judge {

/// What was found in a series.
struct Findings {
  std::size_t sessions = 0;
  std::string first, last;  ///< when the first and the last session started
  double median = 0;        ///< of the last session, ns per operation
  std::vector<Change> changes;
  std::vector<MetricChange> metric_changes;
  Judged judged;
};

/// Of `points`, which are one series in the order of time and at least one. `watch`: what the machine's other series
/// tell.
Findings find(std::span<const results::Point> points, const stats::Watch& watch = {});

/// One series with all that is known of it.
struct SeriesHistory {
  results::Series series;
  Findings findings;
  std::vector<results::Point> points;  ///< in the order of time
};

/// How a store condenses results and what it keeps as the findings of a series.
results::StoreRules store_rules();

/// Findings from the text that store_rules() made of them; none from any other text.
Findings parse_findings(std::string_view text);

}  // namespace lab::judge
