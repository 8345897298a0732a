// Tables of benchmarks that were measured beside other work on the machine: how often one has a false verdict, and how
// many changes are found. The model is OtherWork's (sessions.h).
#include <fmt/format.h>

#include <string>

#include "harness/judge/compare.h"
#include "harness/simulate/sessions.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

using judge::Verdict;

constexpr int kProcesses = 20;
constexpr double kChange = 0.05;
constexpr int kChanged = 10;  ///< rows

/// Shares over many tables.
struct LoadShares {
  double false_tables = 0;  ///< with a false verdict
  double found = 0;         ///< of the changed rows
  double unfit = 0;         ///< of the sessions
};

LoadShares shares_beside(const OtherWork& work, bool changed, std::uint64_t seed, std::uint64_t tables) {
  NormalRandom random(seed);
  SessionParameters parameters{.processes = kProcesses, .work = work};
  if (changed) parameters.change = kChange, parameters.changed_from = kRows - kChanged;
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
  for (const bool in_bursts : {true, false})
    for (const double cpus : {0.0, 0.3, 1.0, 2.0}) {
      if (in_bursts && cpus <= 0) continue;  // none is none
      const OtherWork work{.cpus = cpus, .in_bursts = in_bursts};
      const std::string beside = fmt::format("other work uses {:g} of 2 CPUs{}", cpus,
                                             cpus <= 0   ? ""
                                             : in_bursts ? ", in half of the blocks"
                                                         : ", in all blocks");
      const LoadShares same = shares_beside(work, false, ++seed, tables);
      report({fmt::format("false verdict in a table, {}", beside), same.false_tables, Goal::kAtMost, 0.05, tables});
      report({fmt::format("sessions called unfit, {}", beside), same.unfit, Goal::kNone, 0, tables});
      const LoadShares slower = shares_beside(work, true, ++seed, tables);
      const bool has_goal = cpus <= 1;
      report({fmt::format("5 % in {} of 100 rows found, {}", kChanged, beside), slower.found,
              has_goal ? Goal::kAtLeast : Goal::kNone, 0.8, tables * kChanged});
    }
}

}  // namespace lab::simulate
