#include "harness/judge/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/simulate/sessions.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

using judge::Comparison;
using judge::Verdict;

/// Shares over many tables at one threshold.
struct ThresholdShares {
  double threshold = 0;
  double false_tables = 0;  ///< with a false verdict
  double same = 0;          ///< of the unchanged rows
  double found = 0;         ///< of the changed rows
};

/// Whether sessions of such tables keep their promises: the change that each row calls its smallest detectable one is
/// found, and the threshold that the outlook names for the verdict same gives it.
void report_promises(std::uint64_t seed, std::uint64_t tables, SessionParameters parameters, std::string_view noise,
                     const ResultSink& report) {
  NormalRandom random(seed);
  double detectable = 0, found = 0, rows = 0, same = 0, same_at_default = 0, thresholds = 0;
  for (std::uint64_t table = 0; table < tables; ++table) {
    const auto compared = [&](double change, double threshold) {
      parameters.change = change;
      parameters.changed_from = 0;
      results::Result one = session(random, parameters, true);
      one.arms.resize(1);
      one.arms[0].name = results::kBase;
      judge::CompareSettings settings;
      settings.threshold = threshold;
      return *judge::compare_arms(one, settings);
    };
    const Comparison unchanged = compared(0, judge::kThreshold);
    const std::optional<judge::Outlook> outlook = judge::outlook(unchanged);
    if (!outlook || !outlook->detectable || !outlook->threshold_for_same) continue;
    detectable += *outlook->detectable;
    thresholds += *outlook->threshold_for_same;
    same_at_default += static_cast<double>(count(unchanged, Verdict::kSame));
    found += static_cast<double>(count(compared(*outlook->detectable, judge::kThreshold), Verdict::kRegressed));
    same += static_cast<double>(count(compared(0, *outlook->threshold_for_same), Verdict::kSame));
    rows += static_cast<double>(unchanged.rows.size());
  }
  const double some = std::max(1.0, rows), sessions = std::max(1.0, rows / parameters.rows);
  report({fmt::format("smallest detectable change that the outlook names, {}", noise), detectable / sessions,
          Goal::kNone, 0, tables});
  report({fmt::format("rows with that change found, {}", noise), found / some, Goal::kAtLeast, 0.7,
          static_cast<std::uint64_t>(rows)});
  report({fmt::format("unchanged rows called same, threshold {:g} %, {}", 100 * judge::kThreshold, noise),
          same_at_default / some, Goal::kNone, 0, static_cast<std::uint64_t>(rows)});
  report({fmt::format("threshold that the outlook names for the verdict same, {}", noise), thresholds / sessions,
          Goal::kNone, 0, tables});
  report({fmt::format("unchanged rows called same with it, {}", noise), same / some, Goal::kAtLeast, 0.7,
          static_cast<std::uint64_t>(rows)});
}

void add(const Comparison& comparison, const SessionParameters& parameters, double weight, ThresholdShares& sum) {
  const double changed = kRows - parameters.changed_from, unchanged = parameters.changed_from;
  bool wrong = false;
  for (const judge::ComparisonRow& row : comparison.rows) {
    const Verdict verdict = judge::judge(row, comparison.alpha, sum.threshold);
    const bool is_changed = row_of(row.benchmark) >= parameters.changed_from;
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
    SessionParameters alone = parameters;
    alone.rows = 1;
    report({fmt::format("false verdict of a row alone in its table, threshold 0 %, {}", noise),
            shares_at(++seed, 5 * tables, alone, {0}).first[0].false_tables, Goal::kNone, 0, 5 * tables});
    parameters.change = 0.05;
    parameters.changed_from = kRows - 10;
    const auto [changed, ignored] = shares_at(++seed, tables / 4, parameters, {judge::kThreshold});
    report({fmt::format("5 % in 10 of 100 rows found, {}", noise), changed[0].found, Goal::kNone, 0, tables / 4 * 10});
    report_promises(++seed, std::max<std::uint64_t>(1, tables / 20), parameters, noise, report);
  }
  report_promises(++seed, std::max<std::uint64_t>(1, tables / 20), {15, 0.01}, "builds of one link", report);
}

}  // namespace lab::simulate
