#include "harness/measure/block_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/fit.h"
#include "harness/measure/variant_output.h"

namespace lab::measure {

namespace {

/// Most intervals wider than the target that are named.
constexpr std::size_t kNamedIntervals = 5;

/// Each turn's benchmarks by number.
std::vector<std::vector<std::size_t>> numbered_turns(const SessionSpec& spec) {
  const std::vector<Benchmark>& benchmarks = spec.selection.benchmarks;
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) numbers[benchmarks[i].name] = i;
  std::vector<std::vector<std::size_t>> turns;
  for (const std::vector<std::string>& names : spec.turns) {
    std::vector<std::size_t> turn;
    for (const std::string& name : names)
      if (const auto found = numbers.find(name); found != numbers.end()) turn.push_back(found->second);
    if (!turn.empty()) turns.push_back(std::move(turn));
  }
  return turns;
}

std::vector<ExactTurns::Benchmark> exact_benchmarks(const SessionSpec& spec, const SessionArms& arms) {
  std::vector<ExactTurns::Benchmark> benchmarks;
  for (std::size_t group = 0; group < arms.groups(); ++group)
    benchmarks.push_back({arms.group(group).size(), spec.selection.benchmarks[group].core});
  return benchmarks;
}

}  // namespace

std::vector<std::pair<double, std::size_t>> TargetIntervals::wide() {
  std::vector<std::pair<double, std::size_t>> wide;
  for (std::size_t group = 0; group < arms_.groups(); ++group) {
    if (!arms_.is_active(group, compared_ > 0 ? results::kBase : results::kHead)) continue;
    int processes = 0;
    for (const std::size_t i : arms_.group(group)) processes += arms_[i].processes;
    Width& known = known_[group];
    if (known.processes != processes)
      known = {processes, rule_.relative_half_width(result_, spec_.selection.benchmarks[group].name, compared_)};
    if (known.half > spec_.length.target) wide.emplace_back(known.half, group);
  }
  std::sort(wide.rbegin(), wide.rend());
  return wide;
}

std::string TargetIntervals::missed_sentence() {
  std::vector<std::string> named;
  for (const auto& [half, group] : wide())
    named.push_back(fmt::format("{} ({})", spec_.selection.benchmarks[group].name,
                                half >= 1 ? "none yet" : fmt::format("+-{:.1f} %", 100 * half)));
  return fmt::format("the session ended before these intervals{} were within {:.3g} %: {}",
                     compared_ > 0 ? " of ratios" : "", 100 * spec_.length.target,
                     first_names(std::move(named), kNamedIntervals));
}

BlockPlan::BlockPlan(const SessionSpec& spec, SessionArms& arms, TargetIntervals& intervals,
                     std::function<double()> elapsed)
    : spec_(spec),
      arms_(arms),
      intervals_(intervals),
      elapsed_(std::move(elapsed)),
      turns_(numbered_turns(spec)),
      schedule_(spec.length, arms.size()),
      exact_(spec.length, exact_benchmarks(spec, arms), spec.exact_first) {}

bool BlockPlan::begin(int block, std::size_t bytes) {
  const std::optional<double> seconds = seconds_of_block(block);
  if (!seconds) return false;
  seconds_ = *seconds;
  order_ = arms_.order(spec_.seed, block);
  std::erase_if(order_, [&](std::size_t i) { return is_out(i); });
  exact_.begin_block(ready_for_exact(), seeks_intervals());
  kept_samples_ = samples_to_keep(block, bytes);
  return true;
}

/// Chooses what the block measures; returns the measuring seconds of each of its processes, or nothing if the session
/// is over.
std::optional<double> BlockPlan::seconds_of_block(int block) {
  if (spec_.turns.empty()) {
    pause_narrow_benchmarks(block);
    schedule_.use_reserve(block < schedule_.least_blocks());
    return schedule_.next_block(block, planned_elapsed(), intervals_.reached());
  }
  schedule_.use_reserve(needs_reserve());
  choice_ = choose_block(breadth_turns(), {spec_.length.least_blocks, control_processes()}, seconds_to_choose());
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (!arms_[i].ended) schedule_.set_paused(i, false);
  if (choice_.aim == BlockAim::kPrecision) return seconds_of_precise_block();
  // The control watches the whole session: in each block of turns, one of its benchmarks.
  const std::vector<std::size_t> controls = arms_.controls();
  if (choice_.aim == BlockAim::kTurns && !controls.empty())
    choice_.numbers.insert(controls[static_cast<std::size_t>(block) % controls.size()]);
  pause_all_but(choice_.numbers);
  return schedule_.even_seconds(wanted(), planned_elapsed());
}

std::optional<double> BlockPlan::seconds_of_precise_block() {
  int done = spec_.length.least_blocks;
  if (!choice_.numbers.empty()) {
    done = kMostBlocks;
    for (const std::size_t group : choice_.numbers) done = std::min(done, arms_.head(group).processes);
  }
  pause_narrow_benchmarks(done);
  pause_all_but(choice_.numbers);
  return schedule_.next_block(done, planned_elapsed(), intervals_.reached());
}

std::optional<PlannedProcess> BlockPlan::process(std::size_t position) const {
  double cost_left = 0;
  for (std::size_t later = position; later < order_.size(); ++later)
    cost_left += schedule_.cost(order_[later], seconds_);
  const std::optional<double> seconds =
      schedule_.next_process(order_[position], seconds_, planned_elapsed(), cost_left, order_.size() - position);
  if (!seconds) return std::nullopt;
  return PlannedProcess{order_[position], *seconds, cost_left};
}

/// A process that collected exact metrics took as much longer as it exceeds the ordinary ones before it.
void BlockPlan::took(const PlannedProcess& process, double wall_seconds, bool exact) {
  const bool comparable = exact && schedule_.overhead(process.scheduled);
  const double extra =
      comparable ? std::max(0.0, wall_seconds - schedule_.cost(process.scheduled, process.seconds)) : 0;
  if (comparable) exact_.took(extra);
  schedule_.measured(process.scheduled, process.seconds, wall_seconds - extra);
}

void BlockPlan::repeat(const std::vector<std::size_t>& measured) {
  for (const std::size_t i : measured) arms_.count_disturbed(i);
  if (!seeks_intervals()) schedule_.repeat_block();
}

int BlockPlan::counted(std::size_t group) const {
  const ScheduledBenchmark& head = arms_.head(group);
  if (spec_.length.budget_seconds <= 0) return head.processes;
  return head.processes - repeats(head.disturbed, spec_.length.least_blocks);
}

/// In a session's first share of time, too few processes have shown what they take.
void BlockPlan::pause_what_no_longer_fits() {
  if (!seeks_intervals() || elapsed_() < spec_.length.budget_seconds / std::max(1, spec_.length.least_blocks)) return;
  std::set<std::size_t> fit = still_fitting(breadth_turns(), choice_, spec_.length.least_blocks, seconds_to_choose());
  for (const std::size_t group : choice_.numbers)
    if (counted(group) >= spec_.length.least_blocks) fit.insert(group);
  if (!fit.empty()) pause_all_but(fit);
}

void BlockPlan::end(std::size_t i) {
  for (const std::size_t ended : arms_.end(i)) schedule_.set_paused(ended, true);
}

std::pair<int, double> BlockPlan::outlook(int block, const PlannedProcess& process) const {
  const double now = planned_elapsed();
  if (seeks_intervals()) return {0, std::max(0.0, spec_.length.budget_seconds - now)};
  return {schedule_.expected_blocks(block, seconds_, now),
          schedule_.seconds_left(block, seconds_, now, process.cost_left)};
}

bool BlockPlan::needs_reserve() const {
  return std::ranges::any_of(breadth_turns(), [&](const BreadthTurn& turn) {
    return std::ranges::any_of(turn.benchmarks, [&](const BreadthBenchmark& one) {
      return (turn.core && one.processes < spec_.length.least_blocks) ||
             (one.control && one.processes < control_processes());
    });
  });
}

double BlockPlan::seconds_to_choose() const {
  const SessionLength& length = spec_.length;
  return kTolerance * length.budget_seconds + (needs_reserve() ? length.reserve_seconds : 0) - planned_elapsed();
}

std::vector<std::size_t> BlockPlan::without_interval() const {
  int most = 0;
  for (const std::vector<std::size_t>& turn : turns_)
    for (const std::size_t group : turn) most = std::max(most, arms_.head(group).processes);
  const int enough = std::max(1, std::min(most, spec_.length.least_blocks));
  std::vector<std::size_t> without;
  for (const std::vector<std::size_t>& turn : turns_)
    for (const std::size_t group : turn)
      if (arms_.head(group).processes < enough) without.push_back(group);
  return without;
}

std::optional<double> BlockPlan::least_seconds(std::size_t group) const {
  std::optional<double> seconds = schedule_.overhead(arms_.group(group).front());
  if (seconds) *seconds += kLeastSeconds;
  return seconds;
}

void BlockPlan::pause_all_but(const std::set<std::size_t>& groups) {
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (!groups.contains(arms_[i].group)) schedule_.set_paused(i, true);
}

void BlockPlan::pause_narrow_benchmarks(int done) {
  if (spec_.length.target <= 0 || done < schedule_.least_blocks()) return;
  std::vector<bool> paused(arms_.groups());
  for (std::size_t group = 0; group < arms_.groups(); ++group)
    paused[group] = !arms_.is_active(group, results::kControl);
  for (const auto& [half, group] : intervals_.wide()) paused[group] = false;
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (!arms_[i].ended) schedule_.set_paused(i, paused[arms_[i].group]);
}

/// The turns of the spec, less what ended.
std::vector<BreadthTurn> BlockPlan::breadth_turns() const {
  std::vector<BreadthTurn> turns;
  for (const std::vector<std::size_t>& groups : turns_) {
    BreadthTurn turn{spec_.selection.benchmarks[groups.front()].core, {}};
    for (const std::size_t group : groups) {
      double seconds = 0;
      for (const std::size_t i : arms_.group(group)) seconds += schedule_.cost_unpaused(i, kLeastSeconds);
      if (!arms_.head(group).ended)
        turn.benchmarks.push_back({group, counted(group), seconds, arms_.is_active(group, results::kControl)});
    }
    if (!turn.benchmarks.empty()) turns.push_back(std::move(turn));
  }
  return turns;
}

/// How many more processes each would have if the session had time for all.
std::vector<int> BlockPlan::wanted() const {
  const int all = std::max(spec_.length.blocks, spec_.length.least_blocks);
  std::vector<int> wanted;
  for (std::size_t i = 0; i < arms_.size(); ++i)
    wanted.push_back(arms_[i].ended ? 0 : std::max(0, all - arms_[i].processes));
  return wanted;
}

/// The benchmarks whose next process may collect exact metrics.
std::vector<bool> BlockPlan::ready_for_exact() const {
  const int plain = spec_.length.budget_seconds > 0 ? kPlainProcesses : 0;
  std::vector<bool> ready;
  for (std::size_t group = 0; group < arms_.groups(); ++group)
    ready.push_back(!is_out(arms_.group(group).front()) && arms_.head(group).processes >= plain);
  return ready;
}

std::size_t BlockPlan::samples_to_keep(int block, std::size_t bytes) const {
  // A session with a target does not know its number of blocks: it leaves most of the space for later ones.
  constexpr double kUnknownBlocks = 8;
  double blocks = schedule_.expected_blocks(block, seconds_, elapsed_()) - block;  // this one included
  if (seeks_intervals()) {
    double all = 0;
    for (const int each : wanted()) all += each;
    blocks = all / static_cast<double>(std::max<std::size_t>(1, order_.size()));
  }
  if (spec_.length.target > 0) blocks = std::max(blocks, kUnknownBlocks);
  double phases = 0;
  for (const std::size_t i : order_) {
    const results::WorkloadInfo& workload = arms_[i].benchmark->workload;
    const std::size_t points = workload.axis ? workload.axis->points.size() : 1;
    phases += static_cast<double>(workload.phases.size() * points);
  }
  const double bytes_left = static_cast<double>(spec_.most_bytes) - static_cast<double>(bytes);
  return measure::kept_samples(bytes_left, blocks * static_cast<double>(order_.size()), blocks * phases, kKeptSamples);
}

}  // namespace lab::measure
