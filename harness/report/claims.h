/// The command bucket article's claims with their verdicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/claim.h"
#include "harness/report/document.h"

namespace lab::report {

/// The claim as text, with the order of freeing packets if the claim depends on one.
std::string wording(const results::SpeedClaim& claim);

/// Why the claim has its verdict, one sentence.
std::string reason(const judge::JudgedClaim& claim, const results::CommandBuckets& published,
                   const results::Result& result);

/// "5 reproduced, 1 weaker, 0 refuted and 2 undecided"
std::string verdict_counts(const std::vector<judge::JudgedClaim>& claims);

/// The chart of the add phase, then each claim with its verdict.
Section claims_section(const std::vector<judge::JudgedClaim>& claims, const results::CommandBuckets& published,
                       const results::Result& result);

/// The add phase of every version against the first, here and in the article; none without measurements.
std::optional<Chart> speedup_chart(const results::CommandBuckets& published, const results::Result& result);

}  // namespace lab::report
