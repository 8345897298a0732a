#include "harness/judge/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "harness/results/result_fixture.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/quantile.h"

namespace lab::simulate {

namespace {

using judge::Comparison;
using judge::Verdict;

constexpr int kLinks = 4;
constexpr int kRows = 100;
constexpr double kWithin = 0.01;  ///< noise of a repetition
constexpr int kRepetitions = 15;  ///< per process; their median is its time
constexpr double kDrift = 0.03;   ///< from the session's first process to its last

/// The parameters of a simulated session, as shares.
struct SessionParameters {
  int processes = 15;     ///< of each arm
  double between = 0.01;  ///< sigma between processes
  double change = 0;      ///< of head, in every row from `changed_from` on
  int changed_from = kRows;
  double level = 0;      ///< of a second session: logarithm of the machine's slowdown
  double own_level = 0;  ///< of a second session: sigma of each benchmark's own deviation
  double links = 0;      ///< sigma between the links of a build, kLinks in each arm; 0: builds of one link
};

/// One process: the median of its repetitions around its own level.
double process_time(NormalRandom& random, double level, double between) {
  const double own = level * std::exp(between * random.normal());
  std::vector<double> repetitions(kRepetitions);
  for (double& time : repetitions) time = own * std::exp(kWithin * random.normal());
  return stats::median(repetitions);
}

/// A session like one of `run`: each block has every benchmark once, shuffled, with its arms in succession, in an order
/// that alternates from block to block. Every tenth benchmark has a control.
results::Result session(NormalRandom& random, const SessionParameters& parameters, bool both_arms) {
  results::Result result = results::fixture_result();
  std::vector<double> own_level(kRows);
  for (double& level : own_level) level = std::exp(parameters.level + parameters.own_level * random.normal());
  // By arm (base, head, control), row and link.
  std::vector<double> of_link(3 * kRows * kLinks);
  for (double& level : of_link) level = parameters.links > 0 ? std::exp(parameters.links * random.normal()) : 1;
  const auto link = [&](results::Process& process, std::size_t arm, int row) {
    if (parameters.links <= 0) return;
    const int number = process.block % kLinks;
    process.layout = number + 1;
    process.real_time *=
        of_link[(arm * kRows + static_cast<std::size_t>(row)) * kLinks + static_cast<std::size_t>(number)];
  };
  std::vector<int> order(kRows);
  std::iota(order.begin(), order.end(), 0);
  const int arms = both_arms ? 2 : 1;
  const double last = arms * kRows * parameters.processes - 1;
  int run = 0;
  for (int block = 0; block < parameters.processes; ++block) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const int row : order)
      for (int place = 0; place < arms; ++place) {
        const bool head = !both_arms || (place == 0) == (block % 2 == 1);
        const double change = head && row >= parameters.changed_from ? 1 + parameters.change : 1;
        const double level = 100 * own_level[static_cast<std::size_t>(row)] * change * (1 + kDrift * run++ / last);
        results::Process process = results::fixture_process(fmt::format("shelf/v{}/store", row), block, 1);
        process.real_time = process_time(random, level, parameters.between);
        process.arm = head ? results::kHead : results::kBase;
        link(process, head ? 1 : 0, row);
        result.processes.push_back(process);
        if (row % 10 != 0 || !head || !both_arms) continue;
        process.real_time = process_time(random, level, parameters.between);
        process.arm = results::kControl;
        link(process, 2, row);
        result.processes.push_back(process);
      }
  }
  return result;
}

/// Shares over many tables at one threshold.
struct ThresholdShares {
  double threshold = 0;
  double false_tables = 0;  ///< with a false verdict
  double same = 0;          ///< of the unchanged rows
  double found = 0;         ///< of the changed rows
};

void add(const Comparison& comparison, const SessionParameters& parameters, double weight, ThresholdShares& sum) {
  const double changed = kRows - parameters.changed_from, unchanged = parameters.changed_from;
  bool wrong = false;
  for (const judge::ComparisonRow& row : comparison.rows) {
    const Verdict verdict = judge::judge(row, comparison.alpha, sum.threshold);
    const bool is_changed = std::stoi(row.benchmark.substr(7)) >= parameters.changed_from;
    const bool slower = verdict == Verdict::kRegressed, faster = verdict == Verdict::kImproved;
    wrong = wrong || (is_changed ? faster || verdict == Verdict::kSame : slower || faster);
    if (is_changed)
      sum.found += (slower ? weight : 0) / changed;
    else
      sum.same += (verdict == Verdict::kSame ? weight : 0) / unchanged;
  }
  sum.false_tables += wrong ? weight : 0;
}

/// The shares for each of `thresholds`, all on the same tables, and the share of sessions called unfit.
std::pair<std::vector<ThresholdShares>, double> shares_at(std::uint64_t seed, std::uint64_t tables,
                                                          const SessionParameters& parameters,
                                                          std::initializer_list<double> thresholds,
                                                          bool one_session = true) {
  NormalRandom random(seed);
  std::vector<ThresholdShares> sums;
  for (const double threshold : thresholds) sums.push_back({threshold});
  double unfit = 0;
  const auto weight = 1 / static_cast<double>(tables);
  for (std::uint64_t table = 0; table < tables; ++table) {
    SessionParameters before = parameters;
    before.change = before.level = before.own_level = 0;
    const results::Result base = one_session ? results::Result{} : session(random, before, false);
    results::Result head = session(random, parameters, one_session);
    head.session.id = "head";
    head.arms.resize(1);
    head.arms[0].name = results::kBase;
    const auto comparison = one_session ? judge::compare_arms(head, {}) : judge::compare_sessions(base, head, {});
    unfit += judge::unfit_reason(*comparison).empty() ? 0 : weight;
    for (ThresholdShares& sum : sums) add(*comparison, parameters, weight, sum);
  }
  return {sums, unfit};
}

}  // namespace

void simulate_compare(const SimulationSettings& settings, const ResultSink& report) {
  const auto tables = settings.trials(400);
  std::uint64_t seed = settings.seed * 1000;
  for (const double between : {0.005, 0.01, 0.02}) {
    const auto [sums, unfit] = shares_at(++seed, tables, {15, between}, {0, judge::kThreshold, 0.02});
    const std::string noise = fmt::format("processes differ by {:g} %", 100 * between);
    for (const ThresholdShares& sum : sums)
      report({fmt::format("false verdict in a table, threshold {:g} %, {}", 100 * sum.threshold, noise),
              sum.false_tables, Goal::kAtMost, 0.05, tables});
    report({fmt::format("rows called same, threshold 2 %, 15 processes, {}", noise), sums[2].same,
            between > 0.01 ? Goal::kNone : Goal::kAtLeast, 0.9, tables * kRows});
    report({fmt::format("sessions called unfit, {}", noise), unfit, Goal::kAtMost, 0.01, tables});
  }
  for (const int changed : {1, 50}) {
    // With one changed row per table, fewer tables would give the share only to one per cent.
    const std::uint64_t some = changed == 1 ? 5 * tables : tables;
    const auto [sums, unfit] = shares_at(++seed, some, {20, 0.01, 0.02, kRows - changed}, {0, judge::kThreshold, 0.01});
    for (const ThresholdShares& sum : sums) {
      report({fmt::format("2 % in {} of 100 rows found, threshold {:g} %, 20 processes", changed, 100 * sum.threshold),
              sum.found, sum.threshold > judge::kThreshold ? Goal::kNone : Goal::kAtLeast, 0.95,
              some * static_cast<std::uint64_t>(changed)});
      report({fmt::format("false verdict in such a table, threshold {:g} %", 100 * sum.threshold), sum.false_tables,
              Goal::kAtMost, 0.05, some});
    }
  }
  for (const double level : {0.0, 0.02}) {
    const auto [sums, unfit] = shares_at(++seed, tables, {15, 0.01, 0, kRows, level, 0.005}, {0}, false);
    report({fmt::format("false verdict, two sessions {:g} % apart, benchmarks 0.5 %", 100 * level),
            sums[0].false_tables, Goal::kAtMost, 0.05, tables});
  }
  const auto [sums, unfit] = shares_at(++seed, tables, {20, 0.01, 0.02, kRows - 5}, {judge::kThreshold}, false);
  report({"2 % in 5 of 100 rows found, two sessions that do not differ", sums[0].found, Goal::kNone, 0, tables * 5});
  for (const double links : {0.002, 0.005, 0.01, 0.02}) {
    SessionParameters parameters{20, 0.01};
    parameters.links = links;
    const auto [linked, rejected] = shares_at(++seed, tables / 4, parameters, {0, judge::kThreshold});
    const std::string noise = fmt::format("links of one build differ by {:g} %", 100 * links);
    for (const ThresholdShares& sum : linked)
      report({fmt::format("false verdict in a table, threshold {:g} %, {}", 100 * sum.threshold, noise),
              sum.false_tables, Goal::kAtMost, 0.05, tables / 4});
    report({fmt::format("sessions called unfit, {}", noise), rejected, Goal::kAtMost, 0.02, tables / 4});
    parameters.change = 0.05;
    parameters.changed_from = kRows - 10;
    const auto [changed, ignored] = shares_at(++seed, tables / 4, parameters, {judge::kThreshold});
    report({fmt::format("5 % in 10 of 100 rows found, {}", noise), changed[0].found, Goal::kNone, 0, tables / 4 * 10});
  }
}

}  // namespace lab::simulate
