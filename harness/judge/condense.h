/// What the index keeps of a result: its head arm in one row a benchmark, and what surrounded it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/changes.h"
#include "harness/results/result.h"

namespace lab::judge {

struct CondensedRow {
  std::string benchmark;
  int version = 0;  ///< of its workload
  stats::Estimate time;
  std::string executable;
  Exact exact;
};

struct Condensed {
  std::string machine;
  std::string session;
  std::string started;
  std::optional<std::string> commit;
  Surroundings surroundings;
  std::string skipped;             ///< why it is in no series, or ""
  std::vector<CondensedRow> rows;  ///< by benchmark; none where it is skipped
};

/// A reason of `skipped`: the machine was disturbed (results/fitness.h).
inline constexpr const char* kUnfitSession = "unfit session";

Condensed condense(const results::Result& result);

/// Its rows, whether or not it is in a series.
std::vector<CondensedRow> condensed_rows(const results::Result& result);

}  // namespace lab::judge
