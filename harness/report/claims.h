/// The command bucket article's claims, judged against a result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/claim.h"
#include "harness/report/document.h"
#include "harness/report/published.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::report {

struct JudgedClaim {
  const SpeedClaim* claim = nullptr;
  double from_table = 0;                             ///< the ratio from the article's table: this one is judged
  std::optional<stats::Estimate> measured;           ///< on the workload of the article's size
  std::vector<std::optional<stats::Estimate>> also;  ///< on the other sizes, in the order of CommandBuckets::also
  judge::ClaimVerdict verdict = judge::ClaimVerdict::kUndecided;
  std::string why;  ///< one sentence
};

/// The claim as text, with the order of freeing packets if the claim depends on one.
std::string wording(const SpeedClaim& claim);

/// The time ratio of the claim's two versions on one workload; none if either has no numbers.
std::optional<stats::Estimate> measured_ratio(const SpeedClaim& claim, const std::string& workload,
                                              const CommandBuckets& published, const results::Result& result);

/// Omits an order of freeing without measurements, unless it is the first one.
std::vector<JudgedClaim> judge_claims(const CommandBuckets& published, const results::Result& result);

/// The correction of a misprinted ratio: "3.59, not 3.54"; "" if the printed ratio agrees with the article's table.
std::string erratum_of(const SpeedClaim& claim, double from_table);

Emphasis emphasis_of(judge::ClaimVerdict verdict);

/// "5 reproduced, 1 weaker, 0 refuted and 2 undecided"
std::string verdict_counts(const std::vector<JudgedClaim>& claims);

/// The chart of the add phase, then each claim with its verdict.
Section claims_section(const std::vector<JudgedClaim>& claims, const CommandBuckets& published,
                       const results::Result& result);

/// The add phase of every version against the first, here and in the article; none without measurements.
std::optional<Chart> speedup_chart(const CommandBuckets& published, const results::Result& result);

}  // namespace lab::report
