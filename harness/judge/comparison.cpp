#include "harness/judge/comparison.h"

#include <algorithm>
#include <array>

namespace lab::judge {

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
  return unfit == comparison.fitness.end() ? "" : unfit->reason;
}

ExitStatus exit_status(const Comparison& comparison) {
  // Exact metrics have no noise that could spoil them.
  const bool worse = std::ranges::any_of(comparison.exact, &ExactChange::worse);
  if (!comparison.judged && !worse) return ExitStatus::kUnfit;
  return worse || count(comparison, Verdict::kRegressed) > 0 ? ExitStatus::kRegression : ExitStatus::kOk;
}

}  // namespace lab::judge
