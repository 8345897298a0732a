/// The changes in every series of a results store, and what a store keeps of a result: its head arm as one row per
/// benchmark, and its environment.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/results/condensed.h"
#include "harness/results/result.h"
#include "harness/results/store.h"

namespace lab::judge {

/// A value of CondensedResult::skipped: the control is biased, or other work disturbed all times (level_fitness).
inline constexpr const char* kUnfitSession = "unfit session";

/// Condenses a result. A change of this function must increment kFindingsVersion (judge/changes.h).
results::CondensedResult condense(const results::Result& result);

/// The rows of a result, even if it is in no series. Times that other work disturbed are no level, so they have none.
std::vector<results::CondensedRow> condensed_rows(const results::Result& result);

/// The findings in one series.
struct SeriesFindings {
  std::size_t sessions = 0;
  std::string first, last;  ///< start times of the first and the last session
  double median = 0;        ///< of the last session, ns per operation
  std::vector<LevelChange> changes;
  std::vector<MetricChange> metric_changes;
  JudgedRange judged;
  SeriesPattern pattern;
  std::vector<std::string> hosts;  ///< hosts_of()
  /// smallest_detectable(), where somebody asked for it: it takes longer than all other findings. Not kept in a store.
  std::optional<double> seen = {};
};

/// The findings in `points`: one series in order of time, not empty. `contexts`: known from the machine's other series.
SeriesFindings find(std::span<const results::SeriesPoint> points, std::span<const WatchedSince> contexts = {});
/// The same, faster with the memories that the last call left for this series.
SeriesFindings find(std::span<const results::SeriesPoint> points, std::span<const WatchedSince> contexts,
                    Memories& memories);

/// One series with its findings and points.
struct SeriesHistory {
  results::SeriesKey series;
  SeriesFindings findings;
  std::vector<results::SeriesPoint> points;  ///< in order of time
};

/// A change as JSON: in `history --json` and in a store's findings.
boost::json::value change_json(const LevelChange& change);
boost::json::value change_json(const MetricChange& change);

/// The rules by which a store condenses results and computes the findings of a series.
results::StoreRules store_rules();

/// Parses findings written by store_rules(). Any other text gives empty findings.
SeriesFindings parse_findings(std::string_view text);

}  // namespace lab::judge
