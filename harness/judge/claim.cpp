#include "harness/judge/claim.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "harness/judge/exact.h"
#include "harness/judge/judged_blocks.h"
#include "harness/judge/summary.h"
#include "harness/stats/sessions.h"

namespace lab::judge {

namespace {

using results::Article;
using results::RatioCase;
using results::Result;

/// What a value may be off by.
stats::Interval allowed(const results::ExactClaim& claim, double value) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const double rounding = kRounding * std::max(std::abs(value), std::abs(claim.stated.value));
  if (claim.relation == results::ExactClaim::Relation::kLeast) return {-rounding, kAny};
  if (claim.relation == results::ExactClaim::Relation::kMost) return {-kAny, rounding};
  if (claim.stated.value == 0) return {0, 0};  // none is not few
  const double unit = std::nextafter(claim.stated.accuracy, 0.0);
  return {-unit, unit};
}

/// One value of a benchmark and what it should be.
struct Off {
  double value = 0, stated = 0;
  stats::Interval allowed;  ///< for value - stated
  int session = 0;
};

/// Judges the values of one benchmark; none without any.
std::optional<ExactValue> judged_value(const std::string& benchmark, ExactValue::Source source,
                                       const std::vector<Off>& all) {
  if (all.empty()) return std::nullopt;
  ExactValue judged{benchmark};
  judged.source = source;
  judged.count = all.size();
  judged.range = {all.front().value, all.front().value};
  judged.stated = {all.front().stated, all.front().stated};
  judged.holds = true;
  std::vector<stats::Datum> offs;
  stats::Interval allowed = all.front().allowed;
  for (const Off& one : all) {
    judged.range = {std::min(judged.range.low, one.value), std::max(judged.range.high, one.value)};
    judged.stated = {std::min(judged.stated.low, one.stated), std::max(judged.stated.high, one.stated)};
    const double off = one.value - one.stated;
    offs.push_back({0, off, 0, one.session});
    judged.holds = judged.holds && off >= one.allowed.low && off <= one.allowed.high;
    allowed = {std::min(allowed.low, one.allowed.low), std::max(allowed.high, one.allowed.high)};
  }
  const auto by_value = [&] { return judged.holds ? ClaimVerdict::kReproduced : ClaimVerdict::kRefuted; };
  if (source == ExactValue::Source::kFigure) {
    judged.verdict = by_value();
  } else if (source == ExactValue::Source::kCounter) {
    const bool agree = judged.range.low == judged.range.high && judged.stated.low == judged.stated.high;
    if (judged.count >= kLeastToAgree && agree) judged.verdict = by_value();
  } else if (const std::optional<stats::Interval> interval = stats::estimate_sessions(offs).interval) {
    const bool outside = interval->low > allowed.high || interval->high < allowed.low;
    if (judged.holds || outside) judged.verdict = by_value();
  }
  return judged;
}

ClaimVerdict order_verdict(const std::vector<std::optional<MeasuredRatio>>& steps) {
  bool all_grow = true;
  for (const std::optional<MeasuredRatio>& step : steps) {
    if (does_not_grow(step)) return ClaimVerdict::kRefuted;
    all_grow = all_grow && step && step->interval && step->interval->low > 1;
  }
  return all_grow ? ClaimVerdict::kReproduced : ClaimVerdict::kUndecided;
}

/// By block: a benchmark has at most one process per block and arm. A figure of an exhibit counts as of block 0.
std::map<int, stats::Datum> values_by_block(const std::string& metric, const std::string& exhibit,
                                            const std::string& benchmark, const Result& result) {
  std::map<int, stats::Datum> values;
  if (exhibit.empty())
    for (const stats::Datum& value : metric_values(result, benchmark, metric)) values[value.block] = value;
  else
    for (const results::Exhibit& one : result.exhibits)
      if (one.benchmark == benchmark && one.info.name == exhibit)
        if (const auto figure = one.summary.find(metric); figure != one.summary.end()) values[0] = {0, figure->second};
  return values;
}

/// Keeps the values of sessions that have both.
void keep_common_sessions(std::vector<stats::Datum>& a, std::vector<stats::Datum>& b) {
  const auto keep = [](std::vector<stats::Datum>& from, const std::vector<stats::Datum>& other) {
    std::set<int> sessions;
    for (const stats::Datum& one : other) sessions.insert(one.session);
    std::erase_if(from, [&](const stats::Datum& one) { return !sessions.contains(one.session); });
  };
  keep(a, b);
  keep(b, a);
}

/// Makes the claim undecided if none of its benchmarks has what it needs.
void check_need(JudgedClaim& judged, const Result& result) {
  if (!judged.claim->need) return;
  const auto& [metric, least] = *judged.claim->need;
  std::optional<double> most;
  for (const std::string& benchmark : judged.benchmarks)
    for (const stats::Datum& value : metric_values(result, benchmark, metric))
      most = std::max(most.value_or(value.value), value.value);
  if (most && *most >= least) return;
  judged.verdict = ClaimVerdict::kUndecided;
  judged.unmet = UnmetNeed{most};
}

/// Judges one claim of an article; returns it once per case.
class ClaimJudge {
 public:
  ClaimJudge(const Article& article, const results::Claim& claim, const Result& result, const Fitness& fitness)
      : article_(article), claim_(claim), result_(result), fitness_(fitness) {}

  std::vector<JudgedClaim> operator()(const results::RatioClaim& claim) const {
    std::vector<JudgedClaim> all;
    const RatioCase& first = claim.ratio.cases.front();
    for (const RatioCase& one : claim.ratio.cases)
      if (&one == &first || measured_apart(claim.ratio, one, first)) all.push_back(judged(claim, one));
    return all;
  }

  std::vector<JudgedClaim> operator()(const results::ExactClaim& claim) const { return of_values(JudgedExact{&claim}); }
  std::vector<JudgedClaim> operator()(const results::FormulaClaim& claim) const {
    return of_values(JudgedFormula{&claim});
  }

  std::vector<JudgedClaim> operator()(const results::OrderClaim& claim) const {
    JudgedOrder evidence{&claim, time(claim.variants, claim.metric, claim.workload)};
    for (const std::string& variant : claim.variants) evidence.benchmarks.push_back(benchmark(variant, claim.workload));
    for (std::size_t i = 1; i < claim.variants.size(); ++i)
      evidence.steps.push_back(ratio(claim.variants[i], claim.variants[i - 1], claim.metric, claim.workload));
    const ClaimVerdict verdict =
        unless_disturbed(order_verdict(evidence.steps), std::ranges::any_of(evidence.steps, has_noise));
    std::vector<std::string> benchmarks = evidence.benchmarks;
    bool any = false;
    for (std::size_t i = 1; i < benchmarks.size(); ++i)
      any = any || (has_numbers(benchmarks[i - 1], claim.metric) && has_numbers(benchmarks[i], claim.metric));
    return {{&claim_, verdict, std::move(benchmarks), std::move(evidence), any}};
  }

  /// About drivers: judged in driver_verdict.h.
  std::vector<JudgedClaim> operator()(const results::DriverClaim&) const { return {}; }
  std::vector<JudgedClaim> operator()(const results::TextClaim&) const { return {}; }

 private:
  static bool has_noise(const std::optional<MeasuredRatio>& ratio) { return ratio && !ratio->exact; }

  /// The verdict, unless the claim is about something with noise in an unfit session.
  ClaimVerdict unless_disturbed(ClaimVerdict verdict, bool with_noise) const {
    return fitness_.fit || !with_noise ? verdict : ClaimVerdict::kNotJudged;
  }

  /// Whether the quantity is a time that other work disturbed. What a time is divided by was disturbed alike.
  bool is_disturbed_time(const results::Quantity& quantity, const std::string& benchmark) const {
    if (!quantity.exhibit.empty())
      return !is_without_noise(result_, benchmark, quantity) && fitness_.disturbed &&
             fitness_.disturbed->leaves_no_level();
    return quantity.over.empty() && is_time(result_, benchmark, quantity.metric) &&
           !JudgedBlocks(result_, benchmark).is_level(benchmark);
  }

  bool has_numbers(const std::string& benchmark, const std::string& metric) const {
    return !metric_values(result_, benchmark, metric).empty();
  }

  std::string benchmark(const std::string& variant, const std::string& workload) const {
    return claimed_benchmark(article_.family, variant, workload);
  }

  bool time(const std::vector<std::string>& variants, const std::string& metric, const std::string& workload) const {
    return is_time(article_.family, variants, metric, workload, result_);
  }

  std::optional<MeasuredRatio> ratio(const std::string& from, const std::string& to, const std::string& metric,
                                     const std::string& workload) const {
    return measured_ratio(article_.family, from, to, metric, workload, result_);
  }

  /// Whether a variant that the first case does not have has numbers.
  bool measured_apart(const results::Ratio& ratio, const RatioCase& one, const RatioCase& first) const {
    const auto measured = [&](const std::string& variant) {
      return variant != first.from && variant != first.to &&
             has_numbers(benchmark(variant, ratio.workload), ratio.metric);
    };
    return measured(one.from) || measured(one.to);
  }

  JudgedClaim judged(const results::RatioClaim& claim, const RatioCase& one) const {
    // Printed figures are truncated or rounded to two decimals.
    constexpr double kPrinted = 0.01;
    const auto& [metric, workload, cases] = claim.ratio;
    JudgedRatio evidence{&claim, &one, one.from_table ? *one.from_table : *claim.stated};
    evidence.misprinted = claim.stated && one.from_table && std::abs(*claim.stated - *one.from_table) >= kPrinted;
    evidence.time = time({one.from, one.to}, metric, workload);
    evidence.benchmarks = {benchmark(one.from, workload), benchmark(one.to, workload)};
    evidence.measured = ratio(one.from, one.to, metric, workload);
    for (const std::string& other : claim.also) evidence.also.push_back(ratio(one.from, one.to, metric, other));
    JudgedClaim judged{&claim_, ClaimVerdict::kUndecided, {}, {}};
    if (evidence.measured)
      judged.verdict =
          unless_disturbed(judge_claim(evidence.claimed, evidence.measured->interval), has_noise(evidence.measured));
    for (const std::string& variant : {one.from, one.to}) {
      judged.benchmarks.push_back(benchmark(variant, workload));
      for (const std::string& other : claim.also) judged.benchmarks.push_back(benchmark(variant, other));
    }
    judged.has_numbers = has_numbers(evidence.benchmarks[0], metric) && has_numbers(evidence.benchmarks[1], metric);
    judged.evidence = std::move(evidence);
    return judged;
  }

  /// Judges the values of every benchmark that the claim is about.
  template <typename Evidence>
  std::vector<JudgedClaim> of_values(Evidence evidence) const {
    std::vector<std::string> benchmarks;
    for (const std::string& benchmark : benchmarks_like(evidence.claim->quantity.benchmarks, result_)) {
      std::optional<ExactValue> value = value_of(*evidence.claim, benchmark);
      if (!value) continue;
      benchmarks.push_back(benchmark);
      evidence.values.push_back(std::move(*value));
    }
    const auto any = [&](ClaimVerdict verdict) {
      return std::ranges::find(evidence.values, verdict, &ExactValue::verdict) != evidence.values.end();
    };
    const bool with_noise = std::ranges::any_of(evidence.values, [&](const ExactValue& value) {
      return value.source == ExactValue::Source::kNoisy ||
             !is_without_noise(result_, value.benchmark, evidence.claim->quantity);
    });
    const ClaimVerdict verdict = any(ClaimVerdict::kRefuted)                                ? ClaimVerdict::kRefuted
                                 : evidence.values.empty() || any(ClaimVerdict::kUndecided) ? ClaimVerdict::kUndecided
                                                                                            : ClaimVerdict::kReproduced;
    const bool disturbed = std::ranges::any_of(benchmarks, [&](const std::string& benchmark) {
      return is_disturbed_time(evidence.claim->quantity, benchmark);
    });
    const bool has_numbers = !benchmarks.empty();
    return {{&claim_, disturbed ? ClaimVerdict::kNotJudged : unless_disturbed(verdict, with_noise),
             std::move(benchmarks), std::move(evidence), has_numbers}};
  }

  ExactValue::Source source_of(const results::Quantity& quantity, const std::string& benchmark) const {
    if (!quantity.exhibit.empty()) return ExactValue::Source::kFigure;
    return is_without_noise(result_, benchmark, quantity) ? ExactValue::Source::kCounter : ExactValue::Source::kNoisy;
  }

  std::optional<ExactValue> value_of(const results::ExactClaim& claim, const std::string& benchmark) const {
    std::vector<Off> all;
    for (const Share& share : shares(claim.quantity, benchmark, result_))
      all.push_back({share.value(), claim.stated.value, allowed(claim, share.value()), share.session});
    return judged_value(benchmark, source_of(claim.quantity, benchmark), all);
  }

  /// The formula is evaluated with the metrics of the same process.
  std::optional<ExactValue> value_of(const results::FormulaClaim& claim, const std::string& benchmark) const {
    ExactValue::Source source = source_of(claim.quantity, benchmark);
    std::map<std::string, std::map<int, double>> metrics;
    for (const std::string& name : claim.stated.names()) {
      const results::Quantity operand{.benchmarks = "", .metric = name, .exhibit = claim.quantity.exhibit};
      for (const Share& share : shares(operand, benchmark, result_)) metrics[name][share.block] = share.part;
      if (source_of(operand, benchmark) == ExactValue::Source::kNoisy) source = ExactValue::Source::kNoisy;
    }
    std::vector<Off> all;
    std::vector<std::vector<double>> operands;
    for (const Share& share : shares(claim.quantity, benchmark, result_)) {
      const std::optional<double> stated = claim.stated.evaluate([&](const std::string& name) {
        const auto value = metrics[name].find(share.block);
        return value == metrics[name].end() ? std::nullopt : std::optional(value->second);
      });
      if (!stated) continue;
      const double tolerance = kFormulaTolerance * std::abs(*stated);
      all.push_back({share.value(), *stated, {-tolerance, tolerance}, share.session});
      std::vector<double>& own = operands.emplace_back();
      for (const std::string& name : claim.stated.names()) own.push_back(metrics[name].at(share.block));
    }
    std::optional<ExactValue> judged = judged_value(benchmark, source, all);
    if (judged && std::ranges::adjacent_find(operands, std::not_equal_to()) == operands.end())
      judged->operands = operands.front();
    return judged;
  }

  const Article& article_;
  const results::Claim& claim_;
  const Result& result_;
  const Fitness& fitness_;
};

}  // namespace

bool does_not_grow(const std::optional<MeasuredRatio>& step) {
  return step && step->interval && step->interval->high <= 1;
}

std::string_view to_string(ClaimVerdict verdict) {
  constexpr std::array<std::string_view, 5> kNames{"reproduced", "weaker", "refuted", "undecided", "not judged"};
  return kNames[static_cast<std::size_t>(verdict)];
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
  std::map<int, stats::Datum> wholes;
  if (!quantity.over.empty()) wholes = values_by_block(quantity.over, quantity.exhibit, benchmark, result);
  for (const auto& [block, part] : values_by_block(quantity.metric, quantity.exhibit, benchmark, result)) {
    if (quantity.over.empty())
      found.push_back({part.value, 1, block, part.session});
    else if (const auto whole = wholes.find(block); whole != wholes.end() && whole->second.value > 0)
      found.push_back({part.value, whole->second.value, block, part.session});
  }
  return found;
}

std::string claimed_benchmark(const std::string& family, const std::string& variant, const std::string& workload) {
  return variant.find('/') == std::string::npos ? results::benchmark_name(family, variant, workload)
                                                : fmt::format("{}/{}", family, variant);
}

std::vector<std::string> benchmarks_like(const std::string& glob, const Result& result) {
  std::set<std::string> found;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && ::fnmatch(glob.c_str(), process.benchmark.c_str(), 0) == 0)
      found.insert(process.benchmark);
  return {found.begin(), found.end()};
}

std::optional<MeasuredRatio> measured_ratio(const std::string& family, const std::string& from, const std::string& to,
                                            const std::string& metric, const std::string& workload,
                                            const Result& result) {
  const std::string over = claimed_benchmark(family, from, workload), under = claimed_benchmark(family, to, workload);
  std::vector<stats::Datum> overs = metric_values(result, over, metric), unders = metric_values(result, under, metric);
  if (!is_exact(result, over, metric) || !is_exact(result, under, metric)) {
    const std::optional<stats::Estimate> ratio = stats::estimate_ratio(overs, unders);
    return ratio ? std::optional(MeasuredRatio{*ratio, false}) : std::nullopt;
  }
  keep_common_sessions(overs, unders);
  const auto all_positive = [](const std::vector<stats::Datum>& values) {
    return std::ranges::all_of(values, [](const stats::Datum& one) { return one.value > 0; });
  };
  if (overs.empty() || unders.empty() || !all_positive(overs) || !all_positive(unders)) return std::nullopt;
  const double median = median_of(overs) / median_of(unders);
  MeasuredRatio ratio{{std::min(overs.size(), unders.size()), median, {}}, true};
  if (only_exact(overs, metric) && only_exact(unders, metric)) ratio.interval = stats::Interval{median, median};
  return ratio;
}

bool is_time(const std::string& family, const std::vector<std::string>& variants, const std::string& metric,
             const std::string& workload, const Result& result) {
  return std::any_of(variants.begin(), variants.end(), [&](const std::string& variant) {
    return is_time(result, claimed_benchmark(family, variant, workload), metric);
  });
}

bool is_without_noise(const Result& result, const std::string& benchmark, const results::Quantity& quantity) {
  if (quantity.exhibit.empty())
    return is_exact(result, benchmark, quantity.metric) &&
           (quantity.over.empty() || is_exact(result, benchmark, quantity.over));
  return std::ranges::none_of(result.exhibits, [&](const results::Exhibit& one) {
    return one.benchmark == benchmark && one.info.name == quantity.exhibit &&
           one.info.kind == results::ExhibitKind::kLatency;
  });
}

std::vector<JudgedClaim> judge_claims(const Article& article, const Result& result, const Fitness& fitness) {
  std::vector<JudgedClaim> all;
  for (const results::Claim& claim : article.claims)
    for (JudgedClaim& judged : std::visit(ClaimJudge(article, claim, result, fitness), claim.kind)) {
      check_need(judged, result);
      all.push_back(std::move(judged));
    }
  return all;
}

}  // namespace lab::judge
