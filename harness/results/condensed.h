/// The data of a history: results condensed to one row per benchmark, and the series of these rows.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/json_struct.h"
#include "harness/bench/description.h"
#include "harness/stats/interval.h"

namespace lab::results {

/// The environment of a measurement, code excluded: "kernel", "microcode", "compiler", "pin gcc" and so on, to values.
using MeasurementEnvironment = std::map<std::string, std::string>;
/// A session's counters: the value, or none if its processes disagree.
using ExactCounters = std::map<std::string, std::optional<double>>;

struct CondensedRow {
  std::string benchmark;  ///< ends in ":metric" if that is not the primary one of its workload
  int version = 0;        ///< of its workload
  bench::Metric metric;
  stats::Estimate value;   ///< above 0: a level is compared by its ratio
  std::string executable;  ///< hash of its content, "" if not recorded
  ExactCounters exact;
};

/// The head arm of a result, one row per benchmark, and its environment.
struct CondensedResult {
  std::string machine;
  std::string session;
  std::string started;
  std::optional<std::string> commit;
  MeasurementEnvironment environment;
  bool medians_only = false;       ///< its samples were removed
  std::string skipped;             ///< why it is in no series; "" if it is in one
  std::vector<CondensedRow> rows;  ///< sorted by benchmark; empty if skipped
};

/// One benchmark, in one version of its workload, on one machine.
struct SeriesKey {
  std::string machine;
  std::string benchmark;  ///< as in CondensedRow
  int version = 0;
};

/// A change lies between these commits: `from` is of the last session surely before it, `to` of the first session
/// surely after it. None for a build outside git.
struct CommitRange {
  std::optional<std::string> from, to;
};
LAB_JSON_STRUCT(CommitRange, from, to)

/// One benchmark's value in one session.
struct SeriesPoint {
  std::string started;                ///< UTC, RFC 3339
  std::string session;                ///< its id
  std::optional<std::string> commit;  ///< none without git
  double median = 0;                  ///< over processes; ns per operation, or the metric's unit
  std::optional<stats::Interval> interval;
  std::size_t processes = 0;
  std::string executable;  ///< hash of its content, "" if not recorded
  // Most points of a series share these. Never null in a point of the store.
  std::shared_ptr<const ExactCounters> exact;
  std::shared_ptr<const MeasurementEnvironment> environment;
  std::shared_ptr<const bench::Metric> metric;
};

}  // namespace lab::results
