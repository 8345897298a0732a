#include "harness/judge/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/base/error.h"
#include "harness/stats/normal.h"
#include "harness/stats/power.h"
#include "harness/stats/quantile.h"

namespace lab::judge {

namespace {

std::size_t most_processes(const Comparison& comparison) {
  std::size_t processes = 0;
  for (const ComparisonRow& row : comparison.rows)
    if (row.p) processes = std::max(processes, std::min(row.base_processes, row.head_processes));
  return processes;
}

/// The median row's smallest detectable change; that of the plan if no row has one.
std::optional<double> detectable_of(const Comparison& comparison, const stats::ComparisonPlan& plan) {
  std::vector<double> rows;
  for (const ComparisonRow& row : comparison.rows)
    if (row.p && row.detectable) rows.push_back(*row.detectable);
  return rows.empty() ? stats::detectable_change(plan) : std::optional(stats::median(rows));
}

/// What layouts take from the verdict same, a logarithm: they widen the interval, and move its middle as far as the
/// power's quantile, which may be on either side.
double layouts_against_same(const Comparison& comparison) {
  const double z = stats::upper_normal_quantile(comparison.alpha / 2);
  return std::log1p(comparison.layout_shift) * (1 + stats::upper_normal_quantile((1 - stats::kPower) / 2) / z);
}

/// Sets what the verdict same needs. `edge` and `shift` are logarithms: of the threshold, and of what two sessions and
/// layouts differ by.
void set_same(const Comparison& comparison, double edge, double shift, stats::ComparisonPlan plan, Outlook& into) {
  using enum Outlook::Same;
  if (comparison.threshold <= 0) {
    into.same = kNoThreshold;
  } else if (edge <= shift) {
    into.same = comparison.session_shift > comparison.layout_shift ? kOneSession : kOtherLayouts;
  } else {
    plan.threshold = std::expm1(edge - shift);
    const std::optional<std::size_t> processes = stats::processes_to_decide(1, plan);
    into.same = processes ? kProcesses : kTooMany;
    into.processes_for_same = processes.value_or(0);
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"regressed", "improved", "unknown", "same"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(Reason reason) {
  constexpr std::array<std::string_view, 10> kNames{"",      "identical", "too_young", "too_young", "blind",
                                                    "blind", "blind",     "seeds",     "machine",   "machine"};
  return kNames[static_cast<std::size_t>(reason)];
}

bool is_measured(const ComparisonRow& row) {
  return row.base_processes > 0 && row.head_processes > 0;
}

Verdict judge(const ComparisonRow& row, double alpha, double threshold) {
  if (!row.interval || !row.p) return Verdict::kUnknown;
  const double most = 1 + threshold;
  if (*row.p < alpha && row.interval->low > most) return row.more_is_better ? Verdict::kImproved : Verdict::kRegressed;
  if (*row.p < alpha && row.interval->high < 1 / most)
    return row.more_is_better ? Verdict::kRegressed : Verdict::kImproved;
  return row.interval->low > 1 / most && row.interval->high < most ? Verdict::kSame : Verdict::kUnknown;
}

std::size_t count(const Comparison& comparison, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count_if(
      comparison.rows, [&](const ComparisonRow& row) { return row.verdict == verdict && row.p.has_value(); }));
}

std::string_view unfit_reason(const Comparison& comparison) {
  const auto unfit = std::ranges::find(comparison.fitness, false, &Fitness::fit);
  if (unfit != comparison.fitness.end()) return unfit->reason;
  return comparison.judged ? "" : kBlindReason;
}

ExitStatus exit_status(const Comparison& comparison) {
  // Exact metrics have no noise that could spoil them.
  const bool worse = std::ranges::any_of(comparison.exact, &ExactChange::worse);
  if (!comparison.judged && !worse) return ExitStatus::kUnfit;
  return worse || count(comparison, Verdict::kRegressed) > 0 ? ExitStatus::kRegression : ExitStatus::kOk;
}

std::optional<Outlook> outlook(const Comparison& comparison) {
  if (!comparison.noise || !comparison.judged || count(comparison, Verdict::kUnknown) == 0) return std::nullopt;
  Outlook found;
  found.processes = most_processes(comparison);
  found.noise = *comparison.noise;
  const double edge = std::log1p(comparison.threshold),
               shift = std::log1p(comparison.session_shift) + std::log1p(comparison.layout_shift);
  const stats::ComparisonPlan plan{found.processes, found.noise, family_size(comparison.tested), comparison.alpha,
                                   std::expm1(edge + shift)};
  found.detectable = detectable_of(comparison, plan);
  const double against_same = std::log1p(comparison.session_shift) + layouts_against_same(comparison);
  if (const std::optional<double> threshold = stats::threshold_for_same(plan))
    found.threshold_for_same = std::expm1(std::log1p(*threshold) + against_same);
  set_same(comparison, edge, against_same, plan, found);
  return found;
}

}  // namespace lab::judge
