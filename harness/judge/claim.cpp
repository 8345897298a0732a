#include "harness/judge/claim.h"

#include <algorithm>
#include <cmath>

#include "harness/judge/summary.h"

namespace lab::judge {

namespace {

using results::CommandBuckets;
using results::PublishedVersion;
using results::Result;
using results::SpeedClaim;
using stats::Estimate;

std::vector<stats::Datum> times_of(const CommandBuckets& published, const PublishedVersion& version,
                                   const std::string& phase, const std::string& workload, const Result& result) {
  return process_times(result, published.benchmark(version, workload), phase);
}

std::optional<Estimate> measured_ratio(const CommandBuckets& published, const SpeedClaim& claim,
                                       const std::string& workload, const Result& result) {
  return judge::measured_ratio(published, published.version(claim.from, claim.freed),
                               published.version(claim.to, claim.freed), claim.phase, workload, result);
}

JudgedClaim judged(const CommandBuckets& published, const SpeedClaim& claim, const Result& result) {
  // Printed figures are truncated or rounded to two decimals.
  constexpr double kPrinted = 0.01;
  JudgedClaim one{&claim, published.from_table(claim), false, {}, {}, ClaimVerdict::kUndecided};
  one.misprinted = claim.stated && std::abs(*claim.stated - one.from_table) >= kPrinted;
  one.measured = measured_ratio(published, claim, published.workload, result);
  for (const std::string& workload : published.also)
    one.also.push_back(measured_ratio(published, claim, workload, result));
  if (one.measured) one.verdict = judge_claim(one.from_table, one.measured->interval);
  return one;
}

/// Whether any variant with the claim's order of freeing has numbers.
bool order_was_measured(const CommandBuckets& published, const SpeedClaim& claim, const Result& result) {
  return std::any_of(published.versions.begin(), published.versions.end(), [&](const PublishedVersion& version) {
    return version.freed == claim.freed &&
           !times_of(published, version, claim.phase, published.workload, result).empty();
  });
}

}  // namespace

std::string_view to_string(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kReproduced:
      return "reproduced";
    case ClaimVerdict::kWeaker:
      return "weaker";
    case ClaimVerdict::kRefuted:
      return "refuted";
    case ClaimVerdict::kUndecided:
      break;
  }
  return "undecided";
}

ClaimVerdict judge_claim(double claimed, const std::optional<stats::Interval>& measured) {
  if (!measured || !(claimed > 0) || !std::isfinite(claimed) || claimed == 1) return ClaimVerdict::kUndecided;
  if (!(measured->low > 0) || !(measured->high >= measured->low)) return ClaimVerdict::kUndecided;
  // A slow-down is the same claim about the inverse ratio: the opposite sign of the logarithm.
  const double sign = claimed > 1 ? 1 : -1;
  const double effect = std::abs(std::log(claimed));
  const double low = sign * std::log(sign > 0 ? measured->low : measured->high);
  const double high = sign * std::log(sign > 0 ? measured->high : measured->low);
  if (low > 0) return high >= effect * (1 - kClaimTolerance) ? ClaimVerdict::kReproduced : ClaimVerdict::kWeaker;
  return high <= 0 || high < effect * kClaimTolerance ? ClaimVerdict::kRefuted : ClaimVerdict::kUndecided;
}

std::optional<Estimate> measured_ratio(const CommandBuckets& published, const PublishedVersion& from,
                                       const PublishedVersion& to, const std::string& phase,
                                       const std::string& workload, const Result& result) {
  return stats::estimate_ratio(times_of(published, from, phase, workload, result),
                               times_of(published, to, phase, workload, result));
}

std::vector<JudgedClaim> judge_claims(const CommandBuckets& published, const Result& result) {
  std::vector<JudgedClaim> all;
  for (const SpeedClaim& claim : published.claims)
    if (claim.freed == published.orders(claim.from, claim.to).front() || order_was_measured(published, claim, result))
      all.push_back(judged(published, claim, result));
  return all;
}

}  // namespace lab::judge
