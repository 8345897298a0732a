#include "harness/judge/fitness.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <map>
#include <set>

#include "harness/base/error.h"
#include "harness/judge/summary.h"
#include "harness/stats/layout_effect.h"
#include "harness/stats/power.h"
#include "harness/stats/strata.h"

namespace lab::judge {

namespace {

constexpr double kAlarm = 1 - stats::kCoverage;

ControlRow judge(const results::Result& result, const std::string& benchmark, std::size_t rows) {
  // In a picture, the control is that of its main session.
  // Always of the time: what a workload's own metric counts may be the same in every process.
  auto head = metric_values(result, benchmark, bench::kTimeMetric);
  std::erase_if(head, [](const stats::Datum& one) { return one.session != 0; });
  const auto control = metric_values(result, benchmark, bench::kTimeMetric, results::kControl);
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
  if (row.interval) row.detectable_change = stats::detectable_change(*row.interval, row.ratio, kAlarm);
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

bool sees(const ControlRow& row) {
  return row.detectable_change && *row.detectable_change <= kMaxDetectableChange;
}

/// Finds the families in which no row sees, or which have none, and what the others could detect.
void find_blind(const results::Result& result, Control& control) {
  if (control.rows.empty()) return;
  std::set<std::string, std::less<>> seeing;
  for (const ControlRow& row : control.rows)
    if (sees(row)) {
      seeing.emplace(results::benchmark_parts(row.benchmark).family);
      control.detectable_change = std::max(control.detectable_change, row.detectable_change);
    }
  for (const results::Process& process : result.processes)
    if (const std::string_view family = results::benchmark_parts(process.benchmark).family;
        process.arm == results::kHead && !seeing.contains(family))
      control.blind.emplace(family);
  for (const ControlRow& row : control.rows) {
    if (const std::string family(results::benchmark_parts(row.benchmark).family); !seeing.contains(family))
      control.blind.insert(family);
    if (const std::optional<double> own = row.detectable_change; own && seeing.empty())
      control.detectable_change = std::min(control.detectable_change.value_or(*own), *own);
  }
}

/// The machine's logical CPUs; 0 if unknown.
double cpus_of(const results::Result& result) {
  return std::max(result.context.num_cpus, result.machine.logical_cores);
}

/// Counts what is judged of head's benchmarks.
void count_benchmarks(const results::Result& result, double alpha, DisturbedBlocks& found) {
  std::set<std::string> benchmarks;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead) benchmarks.insert(process.benchmark);
  std::map<std::string, JudgedBlocks> workloads;
  for (const std::string& benchmark : benchmarks) {
    const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
    const JudgedBlocks& blocks =
        workloads.try_emplace(fmt::format("{}/{}", parts.family, parts.workload), result, benchmark, alpha)
            .first->second;
    ++found.benchmarks;
    found.affected += blocks.is_affected(benchmark);
    found.all_judged += blocks.is_affected(benchmark) && !blocks.sets_aside(benchmark);
    found.without_level += !blocks.is_level(benchmark);
  }
}

/// None if there are none.
std::optional<DisturbedBlocks> find_disturbed(const results::Result& result, double alpha) {
  const std::vector<results::Disturbance>& blocks = result.session.disturbances;
  DisturbedBlocks found{.all = blocks.size()};
  double all_seconds = 0;
  for (const results::Disturbance& block : blocks) {
    all_seconds += block.seconds;
    if (!is_disturbed(block)) continue;
    ++found.count;
    found.seconds += block.seconds;
    found.foreign += block.foreign;
    found.stolen += block.stolen;
  }
  if (found.count == 0) return std::nullopt;
  found.share_of_time = all_seconds > 0 ? found.seconds / all_seconds : 1;
  found.seconds = std::max(found.seconds, kTicks);
  // In a container the kernel may count the CPUs of the whole host.
  const double cpus = cpus_of(result);
  if (cpus > 0 && found.foreign + found.stolen > cpus * (found.seconds + kTicks * static_cast<double>(found.count)))
    found.too_few_cpus = cpus;
  count_benchmarks(result, alpha, found);
  return found;
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
  const std::vector<double> adjusted = stats::holm(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) control.rows[i].adjusted = adjusted[i];
  if (!control.rows.empty()) {
    control.rate = static_cast<double>(control.false_alarms) / static_cast<double>(control.rows.size());
    control.rate_interval = share_interval(control.false_alarms, control.rows.size());
  }
  find_blind(result, control);
  if (std::any_of(control.rows.begin(), control.rows.end(), is_biased))
    control.reason = kMachineReason;
  else if (!control.rows.empty() && std::ranges::none_of(control.rows, sees))
    control.reason = kBlindReason;
  control.fit = control.reason.empty();
  return control;
}

Fitness Fitness::of(std::string_view family) const {
  Fitness found = *this;
  if (fit && control.blind.contains(family)) {
    found.fit = false;
    found.reason = kBlindReason;
  }
  return found;
}

const ControlRow& most_biased(const Control& control) {
  return *std::ranges::max_element(control.rows, {},
                                   [](const ControlRow& row) { return std::pair(is_biased(row), -row.adjusted); });
}

Fitness judge_fitness(const results::Result& result, double alpha) {
  Fitness fitness;
  fitness.disturbed = find_disturbed(result, alpha);
  fitness.control = judge_control(result);
  fitness.fit = fitness.control.fit;
  fitness.reason = fitness.control.reason;
  return fitness;
}

Fitness level_fitness(const results::Result& result, double alpha) {
  Fitness fitness = judge_fitness(result, alpha);
  if (!fitness.disturbed || !fitness.disturbed->leaves_no_level()) return fitness;
  fitness.fit = false;
  // The disturbance comes first, because it may be the cause of the control's finding.
  fitness.reason = kMachineReason;
  fitness.lacks_levels = true;
  return fitness;
}

ExitStatus exit_status(const results::Result& result, const Fitness& fitness) {
  const bool asked_for_a_verdict = result.session.mode != "processes" || fitness.reason != kBlindReason;
  return fitness.fit || !asked_for_a_verdict ? ExitStatus::kOk : ExitStatus::kUnfit;
}

}  // namespace lab::judge
