#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "harness/judge/bisect.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

constexpr std::size_t kAfterGood = 24;  ///< commits after the good end
constexpr double kRequired = 0.99;
constexpr double kOffset = 0.003;  ///< of each commit's layout
constexpr double kSecondsOfValue = 0.2, kSecondsOfTree = 0.05, kSecondsOfAll = 40;
constexpr double kLowest = 0.7, kHighest = 1.1;  ///< speeds of a machine's states

/// How a machine changes its speed while it measures.
struct Machine {
  std::string_view name;
  double noise = 0.01;     ///< of one measurement within a state, relative
  double dwell = 0;        ///< mean seconds in a state; 0: there is one state
  double longest = 0;      ///< if not 0: the mean differs between machines, from `dwell` to this
  std::size_t states = 0;  ///< that a machine has; 0: each one is new
};

constexpr std::array kMachines{
    Machine{.name = "one state", .noise = 0.01},
    Machine{.name = "one state, noise 2 %", .noise = 0.02},
    Machine{.name = "two states of 5 s", .noise = 0.01, .dwell = 5, .states = 2},
    Machine{.name = "two states of 2 to 100 s", .noise = 0.01, .dwell = 2, .longest = 100, .states = 2},
    Machine{.name = "new states of 2 to 100 s", .noise = 0.01, .dwell = 2, .longest = 100},
    Machine{.name = "three states of 1 to 20 s, noise 3 %", .noise = 0.03, .dwell = 1, .longest = 20, .states = 3},
};

/// The level of a machine at a time.
class MachineSpeed {
 public:
  MachineSpeed(const Machine& machine, NormalRandom& random)
      : machine_(machine), random_(random), dwell_(machine.dwell) {
    if (machine.longest > 0) dwell_ *= std::pow(machine.longest / machine.dwell, random.uniform());
    for (std::size_t i = 0; i < machine.states; ++i) levels_.push_back(new_level());
    if (machine.dwell > 0) change(0);
  }

  double at(double seconds) {
    while (machine_.dwell > 0 && seconds >= until_) change(until_);
    return level_;
  }

 private:
  double new_level() { return kLowest + (kHighest - kLowest) * random_.uniform(); }
  void change(double now) {
    level_ = levels_.empty() ? new_level() : levels_[random_.below(levels_.size())];
    until_ = now - dwell_ * std::log(1 - random_.uniform());
  }

  const Machine& machine_;
  NormalRandom& random_;
  double dwell_, level_ = 1, until_ = 0;
  std::vector<double> levels_;
};

/// The sizes of the steps of a repository, at random places.
struct Repository {
  std::string_view name;
  std::vector<double> steps;
};

struct StatesScore {
  double right = 0, named = 0, wrong = 0, false_none = 0, candidates = 0, misled = 0, undecided = 0, measurements = 0;
};

void search_on_machine(const Machine& machine, const Repository& repository, std::uint64_t number, StatesScore& score) {
  NormalRandom random(number);
  std::set<std::size_t> steps;
  constexpr std::size_t kApart = 3;
  while (steps.size() < repository.steps.size()) {
    const auto step = static_cast<std::size_t>(1 + random.below(kAfterGood));
    if (std::ranges::none_of(steps,
                             [&](std::size_t other) { return std::max(step, other) - std::min(step, other) < kApart; }))
      steps.insert(step);
  }
  std::vector<double> levels;
  double level = 100;
  for (std::size_t commit = 0, seen = 0; commit <= kAfterGood; ++commit) {
    if (steps.contains(commit)) level *= repository.steps[seen++];
    levels.push_back(level * std::exp(kOffset * random.normal()));
  }
  MachineSpeed speed(machine, random);
  results::BisectQuestion question;
  for (std::size_t i = 0; i <= kAfterGood; ++i)  // the last hash decides the coins of the pairs
    question.commits.push_back({fmt::format("{:020x}{:020x}", number, i), "", false});
  judge::BisectEvidence known(question, {});
  std::set<std::size_t> built;
  double seconds = 0;
  while (seconds < kSecondsOfAll) {
    const auto next = known.next(
        kRequired, [&](const std::string& sha) { return built.contains(known.place(sha)); }, kSecondsOfAll - seconds);
    if (!next) break;
    results::BisectEntry entry;
    entry.commit = question.commits[next->commit].sha;
    entry.pair = next->pair;
    entry.against = next->against;
    if (built.insert(next->commit).second) entry.prepare_seconds = kSecondsOfTree;
    entry.measure_seconds = kSecondsOfValue;
    seconds += entry.prepare_seconds + entry.measure_seconds;
    entry.value = levels[next->commit] * speed.at(seconds) * std::exp(machine.noise * random.normal());
    known.take(entry);
  }
  const judge::BisectVerdict verdict = known.verdict(kRequired);
  using Outcome = judge::BisectVerdict::Outcome;
  std::set<std::size_t> named;
  for (const judge::BisectCulprit& culprit : verdict.culprits)
    if (culprit.commits.size() == 1) named.insert(known.place(culprit.commits.front()));
  for (const std::size_t each : named) score.wrong += !steps.contains(each);
  const bool is_none = verdict.outcome == Outcome::kNone;
  score.named += static_cast<double>(named.size());
  score.right += is_none ? steps.empty() : !named.empty() && named == steps;
  score.false_none += is_none && !steps.empty();
  score.candidates += verdict.outcome == Outcome::kSuspects;
  score.misled += verdict.outcome == Outcome::kSuspects && named.empty() && !steps.empty() &&
                  std::ranges::none_of(verdict.suspects, [&](const results::Suspect& suspect) {
                    return steps.contains(known.place(suspect.commit));
                  });
  score.undecided += verdict.outcome == Outcome::kUndecided;
  score.measurements += static_cast<double>(verdict.measurements);
}

}  // namespace

void simulate_bisect_states(const SimulationSettings& settings, const ResultSink& report) {
  const std::array repositories{Repository{"one of 4 %", {1.04}}, Repository{"two of 4 %", {1.04, 1.04}},
                                Repository{"8 %, half of it taken back", {1.08, 1 / 1.04}}, Repository{"none", {}}};
  const auto trials = settings.trials(25);
  for (std::size_t kind = 0; kind < kMachines.size(); ++kind) {
    const Machine& machine = kMachines[kind];
    StatesScore all;
    const auto of_machine = [&](std::string_view what) { return fmt::format("{}: {}", machine.name, what); };
    for (std::size_t which = 0; which < repositories.size(); ++which) {
      StatesScore score;
      // Each run has its own numbers, so that two versions of the search meet the same machines.
      for (std::uint64_t run = 0; run < trials; ++run)
        search_on_machine(machine, repositories[which], ((settings.seed * 10 + kind) * 10 + which) * 10'000 + run,
                          score);
      const auto print = [&](std::string_view what, double value) {
        report({of_machine(fmt::format("{}, {}", repositories[which].name, what)), value / static_cast<double>(trials),
                Goal::kNone, 0, trials, ""});
      };
      print("all found", score.right);
      print("named", score.named);
      print("wrong names", score.wrong);
      print("no difference, wrongly", score.false_none);
      print("candidates", score.candidates);
      print("candidates without a culprit", score.misled);
      print("undecided", score.undecided);
      print("measurements", score.measurements);
      all.named += score.named;
      all.wrong += score.wrong;
      all.false_none += score.false_none;
    }
    report({of_machine("names that are wrong"), all.wrong / std::max(1.0, all.named), Goal::kAtMost, 0.01,
            static_cast<std::uint64_t>(all.named)});
    report({of_machine("no difference, wrongly"), all.false_none / static_cast<double>(3 * trials), Goal::kAtMost, 0.01,
            3 * trials});
  }
}

}  // namespace lab::simulate
