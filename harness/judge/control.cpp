#include "harness/judge/control.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <set>

#include "harness/judge/summary.h"
#include "harness/stats/layout_effect.h"
#include "harness/stats/power.h"
#include "harness/stats/strata.h"

namespace lab::judge {

namespace {

constexpr double kAlarm = 1 - stats::kConfidence;

ControlRow judge(const results::Result& result, const std::string& benchmark, std::size_t rows) {
  const auto head = metric_values(result, benchmark);
  const auto control = metric_values(result, benchmark, "", results::kControl);
  const std::size_t stratum = stats::stratum_blocks(stats::common_blocks(head, control), rows, kUnfitAlpha);
  const stats::ArmData data = stats::to_strata(head, control, stratum);
  stats::LayoutEffect layout = stats::layout_effect(data.base, data.head);
  const stats::ShiftedArms arms(stats::BlockedArms(data.base, data.head), std::move(layout.shift));
  ControlRow row;
  row.benchmark = benchmark;
  row.processes = arms.arms().size();
  row.ratio = arms.ratio();
  row.interval = arms.interval(kAlarm);
  row.p = arms.p_value();
  if (row.interval) row.detectable_change = stats::detectable_change(*row.interval);
  return row;
}

stats::Interval share_interval(std::size_t found, std::size_t of) {
  using Binomial = boost::math::binomial_distribution<>;
  const auto n = static_cast<double>(of), k = static_cast<double>(found);
  return {found == 0 ? 0 : Binomial::find_lower_bound_on_p(n, k, kAlarm / 2),
          found == of ? 1 : Binomial::find_upper_bound_on_p(n, k, kAlarm / 2)};
}

bool is_biased(const ControlRow& row) {
  return row.adjusted < kUnfitAlpha && std::abs(std::log(row.ratio)) >= kHarmlessBias;
}

}  // namespace

Control judge_control(const results::Result& result) {
  std::set<std::string> benchmarks;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kControl) benchmarks.insert(process.benchmark);
  Control control;
  std::vector<double> p;
  for (const std::string& benchmark : benchmarks) {
    ControlRow row = judge(result, benchmark, benchmarks.size());
    if (row.processes == 0) continue;
    p.push_back(row.p);
    control.false_alarms += row.p < kAlarm;
    control.rows.push_back(std::move(row));
  }
  if (std::ranges::all_of(control.rows, [](const auto& row) { return row.detectable_change.has_value(); }))
    for (const ControlRow& row : control.rows)
      control.detectable_change = std::max(control.detectable_change, row.detectable_change);
  const std::vector<double> adjusted = stats::holm(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) control.rows[i].adjusted = adjusted[i];
  if (!control.rows.empty()) {
    control.rate = static_cast<double>(control.false_alarms) / static_cast<double>(control.rows.size());
    control.rate_interval = share_interval(control.false_alarms, control.rows.size());
  }
  if (std::any_of(control.rows.begin(), control.rows.end(), is_biased))
    control.reason = kMachineReason;
  else if (!control.rows.empty() && (!control.detectable_change || control.detectable_change > kMaxDetectableChange))
    control.reason = kBlindReason;
  control.fit = control.reason.empty();
  return control;
}

const ControlRow& most_biased(const Control& control) {
  return *std::ranges::max_element(control.rows, {},
                                   [](const ControlRow& row) { return std::pair(is_biased(row), -row.adjusted); });
}

}  // namespace lab::judge
