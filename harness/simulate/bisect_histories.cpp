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

constexpr std::size_t kHistory = 40;  ///< commits after the good end
constexpr double kProcessNoise = 0.005, kSure = 0.99;
constexpr std::size_t kMany = results::kLayoutsOfCommit;
constexpr double kBuilding = 60, kMeasuring = 1, kBudget = 3600;  ///< seconds

enum class Steps { kNone, kOne, kTwo, kRevert, kRevertAndOne, kPartialRevert };

struct Kind {
  std::string_view name;
  Steps steps;
  double size;    ///< of a step, relative
  double layout;  ///< standard deviation of each link's offset
  std::size_t links;
  double unit = 0;  ///< that values of about 100 are rounded to; 0: none
};

constexpr std::array kKinds{
    Kind{"no difference, offsets of 1 %", Steps::kNone, 0, 0.01, kMany},
    Kind{"no difference, offsets of 0.8 %", Steps::kNone, 0, 0.008, kMany},
    Kind{"no difference, one layout, no offsets", Steps::kNone, 0, 0, 1},
    Kind{"no difference, rounded to 1 %", Steps::kNone, 0, 0.008, kMany, 1},
    Kind{"one culprit of 3 %", Steps::kOne, 0.03, 0.01, kMany},
    Kind{"one of 3 %, rounded to 1 %", Steps::kOne, 0.03, 0.01, kMany, 1},
    Kind{"one of 10 %, rounded to 10 %", Steps::kOne, 0.1, 0.01, kMany, 10},
    Kind{"two culprits of 3 %", Steps::kTwo, 0.03, 0.01, kMany},
    Kind{"two culprits of 3 %, offsets of 0.8 %", Steps::kTwo, 0.03, 0.008, kMany},
    Kind{"two of 3 %, one layout, no offsets", Steps::kTwo, 0.03, 0, 1},
    Kind{"two of 4 %, rounded to 1 %", Steps::kTwo, 0.04, 0.008, kMany, 1},
    Kind{"a revert of 4 %: equal ends", Steps::kRevert, 0.04, 0.01, kMany},
    Kind{"a revert of 4 %, slower again", Steps::kRevertAndOne, 0.04, 0.01, kMany},
    Kind{"5 %, of which a later one takes back 2.5 %", Steps::kPartialRevert, 0.05, 0.01, kMany},
    Kind{"one of 3 %, one layout, offsets of 0.8 %", Steps::kOne, 0.03, 0.008, 1},
};

/// The truth of one repository.
struct MadeHistory {
  std::set<std::size_t> steps;
  std::vector<double> levels;  ///< by commit and link

  MadeHistory(const Kind& kind, NormalRandom& random) {
    const std::size_t count = kind.steps == Steps::kNone           ? 0
                              : kind.steps == Steps::kOne          ? 1
                              : kind.steps == Steps::kRevertAndOne ? 3
                                                                   : 2;
    // Two steps with nothing between them that could be measured more than once are one.
    constexpr std::size_t kApart = 3;
    while (steps.size() < count) {
      const auto step = static_cast<std::size_t>(1 + random.below(kHistory));
      if (std::ranges::none_of(
              steps, [&](std::size_t other) { return std::max(step, other) - std::min(step, other) < kApart; }))
        steps.insert(step);
    }
    double level = 0, back = kind.steps == Steps::kPartialRevert ? 0.5 : 1;
    const double start = 100 * (1 + kind.unit / 100 * random.uniform());
    for (std::size_t commit = 0, seen = 0; commit <= kHistory; ++commit) {
      if (steps.contains(commit)) {
        const bool is_back = kind.steps >= Steps::kRevert && seen == 1;
        level += (is_back ? -back : 1) * std::log1p(kind.size);
        ++seen;
      }
      for (std::size_t link = 0; link < kind.links; ++link)
        levels.push_back(start * std::exp(level + kind.layout * random.normal()));
    }
  }
};

struct HistoryScore {
  double runs = 0, right = 0, named = 0, wrong = 0, candidates = 0, none = 0, undecided = 0;
  double measurements = 0, builds = 0, seconds = 0, late = 0;
};

void search_history(const Kind& kind, NormalRandom& random, HistoryScore& score) {
  const MadeHistory truth(kind, random);
  results::BisectQuestion question;
  for (std::size_t i = 0; i <= kHistory; ++i)  // the last hash decides the coins of the pairs
    question.commits.push_back({fmt::format("{:020x}{:020x}", static_cast<std::uint64_t>(score.runs), i), "", false});
  judge::BisectEvidence known(question, {});
  std::set<std::size_t> built;
  double seconds = 0;
  while (seconds < kBudget) {
    const auto next = known.next(
        kSure, [&](const std::string& sha) { return built.contains(known.place(sha)); }, kBudget - seconds);
    if (!next || next->preparing > kBudget - seconds) break;
    const std::size_t commit = next->commit;
    results::BisectEntry entry;
    entry.commit = question.commits[commit].sha;
    entry.pair = next->pair;
    entry.against = next->against;
    if (built.insert(commit).second) entry.prepare_seconds = kBuilding;
    entry.measure_seconds = kMeasuring;
    const std::size_t link = known.measurements(commit) % kind.links;
    const double value = truth.levels[commit * kind.links + link] * std::exp(kProcessNoise * random.normal());
    entry.value = kind.unit > 0 ? kind.unit * std::round(value / kind.unit) : value;
    entry.layout = static_cast<int>(kind.links > 1 ? link + 1 : 0);
    known.take(entry);
    seconds += entry.prepare_seconds + entry.measure_seconds;
  }
  const judge::BisectVerdict verdict = known.verdict(kSure);
  using Outcome = judge::BisectVerdict::Outcome;
  std::set<std::size_t> named;
  for (const judge::BisectCulprit& culprit : verdict.culprits)
    if (culprit.commits.size() == 1) named.insert(known.place(culprit.commits.front()));
  ++score.runs;
  for (const std::size_t each : named) score.wrong += !truth.steps.contains(each);
  score.named += static_cast<double>(named.size());
  score.right += verdict.outcome == Outcome::kNone ? kind.steps == Steps::kNone || kind.steps == Steps::kRevert
                                                   : named == truth.steps;
  score.candidates += verdict.outcome == Outcome::kSuspects;
  score.none += verdict.outcome == Outcome::kNone;
  score.undecided += verdict.outcome == Outcome::kUndecided;
  score.measurements += static_cast<double>(verdict.measurements);
  score.builds += static_cast<double>(built.size());
  score.seconds += seconds;
  score.late += seconds > kBudget;
}

}  // namespace

void simulate_bisect_histories(const SimulationSettings& settings, const ResultSink& report) {
  const auto trials = settings.trials(40);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    HistoryScore score;
    NormalRandom random(settings.seed * 1000 + kind);
    for (std::uint64_t run = 0; run < trials; ++run) search_history(kKinds[kind], random, score);
    const auto print = [&](std::string_view what, double value, const std::string& unit = "") {
      report({fmt::format("{}: {}", kKinds[kind].name, what), value, Goal::kNone, 0, trials, unit});
    };
    print("all steps named, or none where the ends do not differ", score.right / score.runs, "%");
    report({fmt::format("{}: names that are wrong", kKinds[kind].name), score.wrong, Goal::kAtMost, 1, trials, ""});
    print("commits named", score.named);
    print("ends with candidates", score.candidates);
    print("ends with none", score.none);
    print("ends undecided", score.undecided);
    print("measurements", score.measurements / score.runs);
    print("builds", score.builds / score.runs);
    print("seconds", score.seconds / score.runs);
    report({fmt::format("{}: later than the budget", kKinds[kind].name), score.late, Goal::kAtMost, 0, trials, ""});
  }
}

}  // namespace lab::simulate
