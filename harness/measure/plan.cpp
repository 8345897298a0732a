#include "harness/measure/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/base/random.h"
#include "harness/stats/strata.h"

namespace lab::measure {

namespace {

/// The part of a budget for each thing beside timing.
constexpr double kSideShare = 0.1;

/// About what one process takes in a result without its samples, and one sample (a double and a comma).
constexpr double kProcessBytes = 700, kSampleBytes = 20;

/// Samples that are kept in any case.
constexpr std::size_t kFewestSamples = 8;

int least_processes() {
  return static_cast<int>(stats::least_count());
}

}  // namespace

double SessionLength::side_seconds() const {
  return kSideShare * budget_seconds;
}

double SessionLength::affordable_seconds() const {
  return kTolerance * budget_seconds + reserve_seconds - (exact_blocks > 0 ? side_seconds() : 0);
}

std::size_t kept_samples(double bytes_left, double processes, double phases, std::size_t most) {
  const double each = (bytes_left - kProcessBytes * processes) / std::max(1.0, kSampleBytes * phases);
  return static_cast<std::size_t>(std::clamp(each, static_cast<double>(kFewestSamples), static_cast<double>(most)));
}

SessionLength quick_length() {
  // The core benchmarks, about 200, have 8 to 10 processes of 0.06 s in this time. A machine with half the speed needs
  // the reserve for 6 of each.
  SessionLength length{"quick", 120, 10, least_processes(), 2, 0};
  length.reserve_seconds = 60;
  length.exact_blocks = 0;  // they took about a fifth of its time in a loaded virtual machine
  return length;
}

SessionLength default_length() {
  return {"default", 480, 20, least_processes(), 2, 0};
}

SessionLength full_length() {
  return {"full", 3600, least_processes(), least_processes(), 1, kFullTarget};
}

SessionLength processes_length(int processes) {
  return {"processes", 0, processes, processes, 0.5, 0};
}

SessionLength against_length(SessionLength length, std::size_t rows, double target) {
  if (length.mode == "processes") return length;
  length.least_blocks = std::max(length.least_blocks, static_cast<int>(stats::fewest_blocks(rows, stats::kAlpha)));
  length.blocks = std::max(length.blocks, length.least_blocks);
  length.target = target;
  return length;
}

std::vector<std::size_t> block_order(std::size_t count, std::uint64_t seed, int block) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The generator mixes in the block, so that neighbouring seeds do not share orders.
  Random random(Random(seed).next() + static_cast<std::uint64_t>(block));
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<std::size_t> arm_order(std::size_t arms, std::uint64_t seed, std::size_t benchmark, int block) {
  Random random(Random(seed).next() - static_cast<std::uint64_t>(benchmark));
  const std::size_t first = random.below(arms) + static_cast<std::size_t>(block) / 2;
  std::vector<std::size_t> order(arms);
  for (std::size_t i = 0; i < arms; ++i) order[i] = (first + i) % arms;
  if (block % 2 != 0) std::reverse(order.begin(), order.end());
  return order;
}

int repeats(int disturbed, int planned) {
  return std::min(disturbed, static_cast<int>(kMostRepeated * planned));
}

Schedule::Schedule(SessionLength length, std::size_t processes) : length_(std::move(length)), costs_(processes) {}

void Schedule::repeat_block() {
  if (length_.budget_seconds > 0) repeated_ = repeats(repeated_ + 1, length_.blocks);
}

double Schedule::cost(std::size_t process, double seconds) const {
  return costs_[process].paused ? 0 : cost_unpaused(process, seconds);
}

double Schedule::cost_unpaused(std::size_t process, double seconds) const {
  const double guess = known_ == 0 ? kAssumedOverhead : known_overhead_ / static_cast<double>(known_);
  return costs_[process].overhead.value_or(guess) + seconds;
}

double Schedule::even_seconds(const std::vector<int>& wanted, double elapsed) const {
  double processes = 0, left = length_.budget_seconds - elapsed;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    processes += wanted[i];
    left -= wanted[i] * cost_unpaused(i, 0);
  }
  return std::clamp(left / std::max(1.0, processes), kLeastSeconds, length_.most_seconds);
}

double Schedule::block_cost(double seconds) const {
  double total = 0;
  for (std::size_t i = 0; i < costs_.size(); ++i) total += cost(i, seconds);
  return total;
}

int Schedule::blocks_wanted(int done) const {
  // How many blocks a target needs is unknown: after the planned number, blocks are planned one at a time.
  return length_.target > 0 ? std::max(1, blocks() - done) : blocks() - done;
}

std::optional<double> Schedule::next_block(int done, double elapsed, bool within_target) const {
  const auto active = std::count_if(costs_.begin(), costs_.end(), [](const Cost& cost) { return !cost.paused; });
  if (active == 0 || done >= (length_.target > 0 ? kMostBlocks : blocks())) return std::nullopt;
  if (length_.target > 0 && within_target && done >= least_blocks()) return std::nullopt;
  if (length_.budget_seconds <= 0) return length_.most_seconds;
  const double left = length_.budget_seconds - elapsed;
  const double share = (left / blocks_wanted(done) - block_cost(0)) / static_cast<double>(active);
  const double seconds = std::clamp(share, kLeastSeconds, length_.most_seconds);
  // Without the least blocks there are no intervals, so they may use the tolerance of the whole budget.
  const double tolerated =
      done < length_.least_blocks ? left + (kTolerance - 1) * length_.budget_seconds + reserve_ : left * kTolerance;
  if (done > 0 && block_cost(seconds) > tolerated) return std::nullopt;
  return seconds;
}

std::optional<double> Schedule::next_process(std::size_t process, double seconds, double elapsed, double cost_left,
                                             std::size_t remaining) const {
  if (length_.budget_seconds <= 0) return seconds;
  const double left = length_.budget_seconds + reserve_ - elapsed;
  const double too_much = std::max(0.0, cost_left - left) / static_cast<double>(remaining);
  const double given = std::max(std::min(seconds, kLeastSeconds), seconds - too_much);
  if (cost(process, given) > left + (kTolerance - 1) * length_.budget_seconds) return std::nullopt;
  return given;
}

void Schedule::measured(std::size_t process, double seconds, double wall_seconds) {
  std::optional<double>& overhead = costs_[process].overhead;
  if (!overhead) ++known_;
  known_overhead_ -= overhead.value_or(0);
  overhead = std::max(0.0, wall_seconds - seconds);
  known_overhead_ += *overhead;
}

int Schedule::expected_blocks(int done, double seconds, double elapsed) const {
  const int wanted = done + blocks_wanted(done);
  const double each = block_cost(seconds);
  if (length_.budget_seconds <= 0 || each <= 0) return wanted;
  const double affordable = (length_.budget_seconds - elapsed) * kTolerance / each;
  return std::max(done + 1, std::min(wanted, done + static_cast<int>(std::min(affordable, 1e6))));
}

double Schedule::seconds_left(int done, double seconds, double elapsed, double left_in_block) const {
  const int blocks_after = std::max(0, expected_blocks(done, seconds, elapsed) - done - 1);
  const double left = left_in_block + blocks_after * block_cost(seconds);
  return length_.budget_seconds > 0 ? std::clamp(length_.budget_seconds - elapsed, 0.0, left) : left;
}

std::string Schedule::state(int done, bool within_target) const {
  const bool enough = done >= length_.least_blocks && (length_.target <= 0 || within_target);
  return enough ? "complete" : "out of time";
}

int planned_blocks(const SessionLength& length, const std::vector<std::optional<double>>& overheads) {
  Schedule schedule(length, overheads.size());
  for (std::size_t i = 0; i < overheads.size(); ++i)
    if (overheads[i]) schedule.measured(i, 0, *overheads[i]);
  int blocks = 0;
  double elapsed = 0;
  schedule.use_reserve(true);  // only the least blocks do
  while (const std::optional<double> seconds = schedule.next_block(blocks, elapsed, false)) {
    for (std::size_t i = 0; i < overheads.size(); ++i) elapsed += schedule.cost(i, *seconds);
    ++blocks;
  }
  return blocks;
}

}  // namespace lab::measure
