/// The command bucket article's claims, judged by a result.
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
  double from_table = 0;                             ///< the ratio that the article's table gives: what is judged
  std::optional<stats::Estimate> measured;           ///< with the article's amount of work
  std::vector<std::optional<stats::Estimate>> also;  ///< with the other amounts, in CommandBuckets::also's order
  judge::ClaimVerdict verdict = judge::ClaimVerdict::kUndecided;
  std::string why;  ///< one sentence
};

/// The claim in words, with the order in which packets are freed where it depends on one.
std::string wording(const SpeedClaim& claim);

/// The ratio of times of one claim's two versions on one workload; none where either has no numbers.
std::optional<stats::Estimate> measured_ratio(const SpeedClaim& claim, const std::string& workload,
                                              const CommandBuckets& published, const results::Result& result);

/// Leaves out an order of freeing in which nobody freed here, unless it is the first one.
std::vector<JudgedClaim> judge_claims(const CommandBuckets& published, const results::Result& result);

/// The printed ratio where it is a slip: "3.59, not 3.54"; "" where the article's table agrees.
std::string erratum_of(const SpeedClaim& claim, double from_table);

Tone tone_of(judge::ClaimVerdict verdict);

/// "5 reproduced, 1 weaker, 0 refuted and 2 undecided"
std::string verdict_counts(const std::vector<JudgedClaim>& claims);

/// The chart of adding first, then each claim with its verdict.
Section claims_section(const std::vector<JudgedClaim>& claims, const CommandBuckets& published,
                       const results::Result& result);

/// Adding of every version against the first, here and in the article; none where nothing was measured here.
std::optional<Chart> speedup_chart(const CommandBuckets& published, const results::Result& result);

}  // namespace lab::report
