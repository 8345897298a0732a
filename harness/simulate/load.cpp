// Tables of benchmarks that were measured beside other work on the machine: how often one has a false verdict, and how
// many changes are found. The model is OtherWork's (sessions.h).
#include <fmt/format.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/simulate/sessions.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

using judge::Verdict;

constexpr int kTableRows = 20, kChanged = 4;
constexpr int kProcesses = 20;
constexpr double kChange = 0.05;

/// Shares over many tables.
struct LoadShares {
  double false_tables = 0;  ///< with a false verdict
  double found = 0;         ///< of the changed rows
  double unfit = 0;         ///< of the sessions
};

LoadShares shares_beside(const OtherWork& work, bool changed, std::uint64_t seed, std::uint64_t tables) {
  NormalRandom random(seed);
  SessionParameters parameters{.processes = kProcesses, .work = work, .rows = kTableRows};
  if (changed) parameters.change = kChange, parameters.changed_from = kTableRows - kChanged;
  LoadShares shares;
  const auto weight = 1 / static_cast<double>(tables);
  for (std::uint64_t table = 0; table < tables; ++table) {
    results::Result head = session(random, parameters, true);
    head.arms.resize(1);
    head.arms[0].name = results::kBase;
    const auto comparison = judge::compare_arms(head, {});
    bool wrong = false;
    for (const judge::ComparisonRow& row : comparison->rows) {
      const bool is_changed = row_of(row.benchmark) >= parameters.changed_from;
      const bool slower = row.verdict == Verdict::kRegressed, faster = row.verdict == Verdict::kImproved;
      wrong = wrong || (is_changed ? faster || row.verdict == Verdict::kSame : slower || faster);
      if (is_changed && slower) shares.found += weight / kChanged;
    }
    shares.false_tables += wrong ? weight : 0;
    shares.unfit += judge::unfit_reason(*comparison).empty() ? 0 : weight;
  }
  return shares;
}

}  // namespace

void simulate_load(const SimulationSettings& settings, const ResultSink& report) {
  const auto tables = settings.trials(200);
  std::uint64_t seed = settings.seed * 1000 + 500;
  std::map<double, std::vector<double>> false_tables;  // by CPUs in use
  const auto judge_tables = [&](const OtherWork& work, const std::string& beside, bool can_find) {
    const LoadShares same = shares_beside(work, false, ++seed, tables);
    false_tables[work.cpus].push_back(same.false_tables);
    report({fmt::format("false verdict in a table, {}", beside), same.false_tables, Goal::kNone, 0, tables});
    report({fmt::format("sessions called unfit, {}", beside), same.unfit, Goal::kNone, 0, tables});
    const LoadShares slower = shares_beside(work, true, ++seed, tables);
    report({fmt::format("5 % in {} of {} rows found, {}", kChanged, kTableRows, beside), slower.found,
            can_find ? Goal::kAtLeast : Goal::kNone, 0.8, tables * kChanged});
  };
  judge_tables({}, "no other work", true);
  // Where all blocks are slowed that much, only more processes would find it.
  for (const double slowdown : {0.03, 0.1})
    for (const bool in_bursts : {true, false})
      for (const double cpus : {0.3, 1.0, 2.0})
        judge_tables({cpus, in_bursts, slowdown},
                     fmt::format("{:g} CPUs in {}, slowdown {:g} %", cpus,
                                 in_bursts ? "half of the blocks" : "all blocks", 100 * slowdown),
                     cpus <= 1 && (in_bursts || slowdown < 0.1));
  // The tables of one case are too few to tell 4 % from 5 %.
  for (const auto& [cpus, shares] : false_tables)
    report({fmt::format("false verdict in a table, {:g} CPUs in use by other work", cpus),
            std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size()), Goal::kAtMost,
            0.05, tables * shares.size()});
}

}  // namespace lab::simulate
