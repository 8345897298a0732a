/// A farm as text of OpenMetrics 1.0, for Prometheus and its relatives: the last session of each series, its last
/// change, alarms, and machines. It also is text of Prometheus's older format. The metrics: harness/docs/formats.md.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/farm.h"
#include "harness/results/farm_alarms.h"
#include "harness/results/store.h"

namespace lab::report {

/// A series with its last point.
struct LatestPoint {
  results::SeriesKey series;
  judge::SeriesFindings findings;
  results::SeriesPoint point;
};

struct FarmMetrics {
  judge::Farm farm;
  std::vector<results::FarmAlarm> alarms;        ///< as a check would leave them
  std::vector<results::SessionRecord> sessions;  ///< as results::Store::sessions()
  std::vector<LatestPoint> latest;               ///< sorted by machine, benchmark and version
};

/// A series that its machine has not measured for so many days before its last session is left out, and so are retired
/// machines and all but the newest version of a benchmark: what is no longer measured must not stay in every scrape.
inline constexpr int kStaleDays = 90;

/// The whole text, with its end.
std::string to_openmetrics(const FarmMetrics& metrics);

}  // namespace lab::report
