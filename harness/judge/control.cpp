#include "harness/judge/control.h"

#include <fmt/format.h>

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

std::string sentence_of(const Control& control) {
  if (control.rows.empty()) return "no A/A control: no benchmark ran as head and as control in one block";
  if (control.reason == kMachineReason) {
    const auto worst = std::max_element(control.rows.begin(), control.rows.end(), [](const auto& a, const auto& b) {
      return is_biased(a) != is_biased(b) ? is_biased(b) : a.adjusted > b.adjusted;
    });
    return fmt::format(
        "unfit: the A/A control differs by {:+.2f} % in {}, although both arms are one build (p {:.2g} after "
        "Holm)",
        100 * (worst->ratio - 1), worst->benchmark, worst->adjusted);
  }
  if (!control.detectable_change) {
    const auto few =
        std::find_if(control.rows.begin(), control.rows.end(), [](const auto& row) { return !row.detectable_change; });
    return fmt::format(
        "unfit: the A/A control has too few processes of {} ({}) to detect a change of any size: measure longer",
        few->benchmark, few->processes);
  }
  if (control.reason == kBlindReason)
    return fmt::format(
        "unfit: the A/A control's smallest detectable change is {}, required is {}: measure longer, or on a quieter "
        "machine",
        detectable_text(*control.detectable_change), detectable_text(kMaxDetectableChange));
  return fmt::format("A/A control: {} of {} pairs of one build differ at p < {:.2f}; smallest detectable change: {}",
                     control.false_alarms, control.rows.size(), kAlarm, detectable_text(*control.detectable_change));
}

}  // namespace

std::string detectable_text(double share) {
  const double percent = 100 * share;
  if (!(percent > 0)) return "0 %";
  // A tolerance of a thousandth of the second digit, so that 10.0000001 % does not become 11 %.
  const double digit = std::pow(10, std::floor(std::log10(percent)) - 1);
  const double rounded = digit * std::ceil(percent / digit - 1e-3);
  return rounded < 1e4 ? fmt::format("{:.6g} %", rounded) : fmt::format("{:.2g} %", rounded);
}

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
  const bool all_detect =
      std::all_of(control.rows.begin(), control.rows.end(), [](const auto& row) { return row.detectable_change; });
  if (all_detect)
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
  control.sentence = sentence_of(control);
  return control;
}

}  // namespace lab::judge
