#include "harness/judge/claim.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/judge/summary.h"

namespace lab::judge {

namespace {

using results::Article;
using results::RatioCase;
using results::Result;
using stats::Estimate;

/// Judges one claim of an article; returns it once per case.
class ClaimJudge {
 public:
  ClaimJudge(const Article& article, const results::Claim& claim, const Result& result)
      : article_(article), claim_(claim), result_(result) {}

  std::vector<JudgedClaim> operator()(const results::RatioClaim& claim) const {
    std::vector<JudgedClaim> all;
    const RatioCase& first = claim.ratio.cases.front();
    for (const RatioCase& one : claim.ratio.cases)
      if (&one == &first || measured_apart(claim.ratio, one, first)) all.push_back(judged(claim, one));
    return all;
  }

  std::vector<JudgedClaim> operator()(const results::ExactClaim& claim) const {
    JudgedExact evidence{&claim};
    std::vector<std::string> benchmarks;
    bool all_hold = true;
    for (const std::string& benchmark : benchmarks_like(claim.quantity.benchmarks, result_)) {
      const std::vector<Share> found = shares(claim.quantity, benchmark, result_);
      if (found.empty()) continue;
      evidence.values.push_back(exact_value(claim.stated, benchmark, found));
      benchmarks.push_back(benchmark);
      all_hold = all_hold && evidence.values.back().holds;
    }
    const ClaimVerdict verdict = evidence.values.empty() ? ClaimVerdict::kUndecided
                                 : all_hold              ? ClaimVerdict::kReproduced
                                                         : ClaimVerdict::kRefuted;
    return {{&claim_, verdict, std::move(benchmarks), std::move(evidence)}};
  }

  std::vector<JudgedClaim> operator()(const results::OrderClaim& claim) const {
    JudgedOrder evidence{&claim, is_time(article_.family, claim.variants, claim.metric, claim.workload, result_)};
    for (std::size_t i = 1; i < claim.variants.size(); ++i)
      evidence.steps.push_back(ratio(claim.variants[i], claim.variants[i - 1], claim.metric, claim.workload));
    JudgedClaim judged{&claim_, order_verdict(evidence.steps), {}, std::move(evidence)};
    for (const std::string& variant : claim.variants) judged.benchmarks.push_back(benchmark(variant, claim.workload));
    return {std::move(judged)};
  }

  /// About drivers: judged in driver_verdict.h.
  std::vector<JudgedClaim> operator()(const results::DriverClaim&) const { return {}; }
  std::vector<JudgedClaim> operator()(const results::TextClaim&) const { return {}; }

 private:
  std::string benchmark(const std::string& variant, const std::string& workload) const {
    return results::benchmark_name(article_.family, variant, workload);
  }

  std::optional<Estimate> ratio(const std::string& from, const std::string& to, const std::string& metric,
                                const std::string& workload) const {
    return measured_ratio(article_.family, from, to, metric, workload, result_);
  }

  /// Whether a variant that the first case does not have has numbers.
  bool measured_apart(const results::Ratio& ratio, const RatioCase& one, const RatioCase& first) const {
    const auto measured = [&](const std::string& variant) {
      return variant != first.from && variant != first.to &&
             !metric_values(result_, benchmark(variant, ratio.workload), ratio.metric).empty();
    };
    return measured(one.from) || measured(one.to);
  }

  JudgedClaim judged(const results::RatioClaim& claim, const RatioCase& one) const {
    // Printed figures are truncated or rounded to two decimals.
    constexpr double kPrinted = 0.01;
    const auto& [metric, workload, cases] = claim.ratio;
    JudgedRatio evidence{&claim, &one, one.from_table ? *one.from_table : *claim.stated};
    evidence.misprinted = claim.stated && one.from_table && std::abs(*claim.stated - *one.from_table) >= kPrinted;
    evidence.time = is_time(article_.family, {one.from, one.to}, metric, workload, result_);
    evidence.benchmarks = {benchmark(one.from, workload), benchmark(one.to, workload)};
    evidence.measured = ratio(one.from, one.to, metric, workload);
    for (const std::string& other : claim.also) evidence.also.push_back(ratio(one.from, one.to, metric, other));
    JudgedClaim judged{&claim_, ClaimVerdict::kUndecided, {}, {}};
    if (evidence.measured) judged.verdict = judge_claim(evidence.claimed, evidence.measured->interval);
    for (const std::string& variant : {one.from, one.to}) {
      judged.benchmarks.push_back(benchmark(variant, workload));
      for (const std::string& other : claim.also) judged.benchmarks.push_back(benchmark(variant, other));
    }
    judged.evidence = std::move(evidence);
    return judged;
  }

  static ExactValue exact_value(const results::PrintedNumber& stated, const std::string& benchmark,
                                const std::vector<Share>& found) {
    ExactValue value{benchmark, {found.front().value(), found.front().value()}};
    for (const Share& share : found)
      value.range = {std::min(value.range.low, share.value()), std::max(value.range.high, share.value())};
    const double off = std::max(std::abs(value.range.low - stated.value), std::abs(value.range.high - stated.value));
    value.holds = off < stated.accuracy;
    return value;
  }

  static ClaimVerdict order_verdict(const std::vector<std::optional<Estimate>>& steps) {
    bool all_grow = true;
    for (const std::optional<Estimate>& step : steps) {
      if (step && step->interval && step->interval->high <= 1) return ClaimVerdict::kRefuted;
      all_grow = all_grow && step && step->interval && step->interval->low > 1;
    }
    return all_grow ? ClaimVerdict::kReproduced : ClaimVerdict::kUndecided;
  }

  const Article& article_;
  const results::Claim& claim_;
  const Result& result_;
};

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

std::vector<Share> shares(const results::Quantity& quantity, const std::string& benchmark, const Result& result) {
  std::vector<Share> found;
  const std::vector<stats::Datum> parts = metric_values(result, benchmark, quantity.metric);
  if (quantity.over.empty()) {
    for (const stats::Datum& part : parts) found.push_back({part.value});
    return found;
  }
  // A benchmark has at most one process per block and arm.
  std::map<int, double> wholes;
  for (const stats::Datum& whole : metric_values(result, benchmark, quantity.over)) wholes[whole.block] = whole.value;
  for (const stats::Datum& part : parts)
    if (const auto whole = wholes.find(part.block); whole != wholes.end() && whole->second > 0)
      found.push_back({part.value, whole->second});
  return found;
}

std::vector<std::string> benchmarks_like(const std::string& glob, const Result& result) {
  std::set<std::string> found;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && ::fnmatch(glob.c_str(), process.benchmark.c_str(), 0) == 0)
      found.insert(process.benchmark);
  return {found.begin(), found.end()};
}

std::optional<Estimate> measured_ratio(const std::string& family, const std::string& from, const std::string& to,
                                       const std::string& metric, const std::string& workload, const Result& result) {
  const auto values = [&](const std::string& variant) {
    return metric_values(result, results::benchmark_name(family, variant, workload), metric);
  };
  return stats::estimate_ratio(values(from), values(to));
}

bool is_time(const std::string& family, const std::vector<std::string>& variants, const std::string& metric,
             const std::string& workload, const Result& result) {
  return std::any_of(variants.begin(), variants.end(), [&](const std::string& variant) {
    return is_time(result, results::benchmark_name(family, variant, workload), metric);
  });
}

std::vector<JudgedClaim> judge_claims(const Article& article, const Result& result) {
  std::vector<JudgedClaim> all;
  for (const results::Claim& claim : article.claims)
    for (JudgedClaim& judged : std::visit(ClaimJudge(article, claim, result), claim.kind))
      all.push_back(std::move(judged));
  return all;
}

}  // namespace lab::judge
