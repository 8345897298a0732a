#include "harness/judge/outlook.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/power.h"

namespace lab::judge {

namespace {

std::size_t most_processes(const Comparison& comparison) {
  std::size_t processes = 0;
  for (const ComparisonRow& row : comparison.rows)
    if (row.p) processes = std::max(processes, std::min(row.base_processes, row.head_processes));
  return processes;
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

std::optional<Outlook> outlook(const Comparison& comparison) {
  if (!comparison.noise || !comparison.judged || count(comparison, Verdict::kUnknown) == 0) return std::nullopt;
  Outlook found;
  found.processes = most_processes(comparison);
  found.noise = *comparison.noise;
  const double edge = std::log1p(comparison.threshold),
               shift = std::log1p(comparison.session_shift) + std::log1p(comparison.layout_shift);
  const stats::ComparisonPlan plan{
      found.processes,          found.noise,   family_size(comparison.tested), comparison.alpha,
      std::expm1(edge + shift), kPowerOfAdvice};
  found.detectable = stats::detectable_change(plan);
  set_same(comparison, edge, shift, plan, found);
  return found;
}

}  // namespace lab::judge
