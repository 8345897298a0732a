/// What a history follows: results condensed to one row a benchmark, and the series that these rows make.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::results {

/// What surrounds a measurement and is not the code: "kernel", "microcode", "compiler", "pin gcc" and so on to values.
using Surroundings = std::map<std::string, std::string>;
/// Counters that a session has: the value on which all its processes agree, or none.
using Exact = std::map<std::string, std::optional<double>>;

struct CondensedRow {
  std::string benchmark;
  int version = 0;  ///< of its workload
  stats::Estimate time;
  std::string executable;  ///< hash of its content, "" where it was not recorded
  Exact exact;
};

/// The head arm of a result in one row a benchmark, and what surrounded it.
struct Condensed {
  std::string machine;
  std::string session;
  std::string started;
  std::optional<std::string> commit;
  Surroundings surroundings;
  std::string skipped;             ///< why it is in no series, or ""
  std::vector<CondensedRow> rows;  ///< by benchmark; none where it is skipped
};

/// One benchmark, in one version of its workload, on one machine.
struct Series {
  std::string machine;
  std::string benchmark;
  int version = 0;
};

/// One session's figure for one benchmark.
struct Point {
  std::string started;                ///< UTC, RFC 3339
  std::string session;                ///< its id
  std::optional<std::string> commit;  ///< none without git
  double median = 0;                  ///< over processes, ns per operation
  std::optional<stats::Interval> interval;
  std::size_t processes = 0;
  std::string executable;  ///< hash of its content, "" where it was not recorded
  // Shared by most points of a series; never null in a point of the store.
  std::shared_ptr<const Exact> exact;
  std::shared_ptr<const Surroundings> surroundings;
};

}  // namespace lab::results
