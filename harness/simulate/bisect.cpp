#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/culprit.h"

namespace lab::simulate {

namespace {

constexpr std::size_t kCommits = 256;
constexpr double kSigma = 0.02;  ///< of one process
constexpr double kSlowdown = 1.03;
constexpr double kUnbuildable = 0.1;
constexpr double kWithout = 0.1;     ///< runs without a culprit
constexpr std::size_t kMost = 5000;  ///< measurements after which a search is stopped

/// Disturbances by the machine, in addition to the noise.
struct MachineDisturbance {
  double drift = 0;  ///< relative, over 60 measurements
  double busy = 0;   ///< share of processes that other work slows by 10 to 55 %, five in a row on average
};

/// The truth of one run.
struct SimulatedBisect {
  std::size_t culprit = 0;        ///< the first slow commit; 0: none
  std::vector<bool> unbuildable;  ///< by commit; both ends build

  explicit SimulatedBisect(NormalRandom& random) : unbuildable(kCommits + 1) {
    const bool none = random.uniform() < kWithout;
    const auto place = static_cast<std::size_t>(1 + random.below(kCommits));
    if (!none) culprit = place;
    for (std::size_t i = 1; i < kCommits; ++i) unbuildable[i] = random.uniform() < kUnbuildable;
  }
  double measure(std::size_t commit, NormalRandom& random) const {
    return (culprit != 0 && commit >= culprit ? kSlowdown : 1) * std::exp(kSigma * random.normal());
  }
  /// Whether `first`..`last` is the most exact answer possible.
  bool is_answer(std::size_t first, std::size_t last) const {
    if (culprit == 0) return false;
    std::size_t low = culprit;
    while (unbuildable[low - 1]) --low;
    std::size_t high = culprit;
    while (unbuildable[high]) ++high;
    return first == low && last == high;
  }
};

/// The results of one bisect method over all its runs.
struct BisectScore {
  double runs = 0;
  double right = 0;
  double measurements = 0;
  double without = 0;         ///< runs without a culprit
  double innocent_named = 0;  ///< among them
  double missed = 0;          ///< runs with a culprit in which none was found

  double share() const { return right / runs; }
  double mean() const { return measurements / runs; }
};

void search(const SimulatedBisect& truth, double confidence, const MachineDisturbance& machine, NormalRandom& random,
            BisectScore& score) {
  stats::CulpritSearch search(kCommits);
  const std::vector<double> no_cost(kCommits + 1);
  std::size_t measured = 0;
  bool slow = false;
  constexpr double kStay = 0.8;
  while (measured < kMost && !search.is_null(confidence) && !search.has_culprit(confidence) && !search.is_exhausted()) {
    const std::size_t commit = search.next(no_cost, 1);
    if (truth.unbuildable[commit]) {
      search.skip(commit);
    } else {
      double others = 1 + machine.drift * static_cast<double>(measured) / 60;
      if (machine.busy > 0) {
        slow = random.uniform() < (slow ? kStay : (1 - kStay) * machine.busy / (1 - machine.busy));
        if (slow) others *= 1.1 + 0.45 * random.uniform();
      }
      search.add(commit, truth.measure(commit, random) * others);
      ++measured;
    }
  }
  const stats::SuspectRange& likeliest = search.posterior().likeliest;
  const bool none = search.is_null(confidence);
  ++score.runs;
  score.right += none ? truth.culprit == 0 : truth.is_answer(likeliest.first, likeliest.last);
  score.measurements += static_cast<double>(measured);
  score.without += truth.culprit == 0;
  score.innocent_named += truth.culprit == 0 && !none;
  score.missed += truth.culprit != 0 && none;
}

/// Bisects of `kFew` commits, of which one changes the level by `step`, and each link of each has an offset of its own.
struct OffsetScore {
  double named = 0, wrong = 0, sets = 0, holding = 0, commits = 0, measurements = 0;
};

constexpr std::size_t kFew = 32;
constexpr std::size_t kMostFew = 300;  ///< measurements, as kMost: few searches are longer, for thousands of them
constexpr double kFewSigma = 0.005, kConfidence = 0.99;

OffsetScore search_with_offsets(double step, double offset, std::size_t links, bool round, NormalRandom& random,
                                std::uint64_t runs) {
  OffsetScore score;
  const std::vector<double> no_cost(kFew + 1);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto culprit = static_cast<std::size_t>(1 + random.below(kFew));
    std::vector<double> levels;
    for (std::size_t i = 0; i < links * (kFew + 1); ++i)
      levels.push_back((i / links >= culprit ? 1 + step : 1) * std::exp(offset * random.normal()));
    stats::CulpritSearch search(kFew);
    while (search.measurements() < kMostFew && !search.is_null(kConfidence) && !search.has_culprit(kConfidence) &&
           !search.is_exhausted()) {
      const std::size_t commit = search.next(no_cost, 1), link = search.measurements(commit) % links;
      const double value = levels[commit * links + link] * std::exp(kFewSigma * random.normal());
      search.add(commit, round ? std::round(100 * value) / 100 : value, link);
    }
    score.measurements += static_cast<double>(search.measurements());
    const stats::Posterior& posterior = search.posterior();
    if (search.has_culprit(kConfidence)) {
      ++score.named;
      score.wrong += posterior.likeliest.first != culprit;
      continue;
    }
    ++score.sets;
    // As judge::BisectVerdict: the likeliest commits that together reach the confidence.
    std::vector<double> rivals;
    for (std::size_t k = 1; k <= kFew; ++k) rivals.push_back(posterior.culprit[k]);
    std::ranges::sort(rivals, std::ranges::greater());
    double held = 0;
    std::size_t count = 0;
    while (count < rivals.size() && held < kConfidence * (1 - posterior.null)) held += rivals[count++];
    score.holding += count > 0 && posterior.culprit[culprit] >= rivals[count - 1];
    score.commits += static_cast<double>(count);
  }
  return score;
}

/// Bisects of `kFew` commits by a program whose every commit has two levels, `kUpper` apart.
struct TwoLevels {
  std::string_view what;
  double share = 0;      ///< of measurements on the upper level, or beside it
  double stay = 0;       ///< probability that the next measurement is on the level of the last one; 0: independent
  bool between = false;  ///< a measurement is an average over both levels, with any weights
};

constexpr double kUpper = 1.9, kStep = 1.04, kLevelSigma = 0.01;

struct LevelScore {
  double named = 0, wrong = 0, none = 0, measurements = 0;
};

LevelScore search_on_two_levels(const TwoLevels& levels, NormalRandom& random, std::uint64_t runs) {
  LevelScore score;
  const std::vector<double> no_cost(kFew + 1);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const auto culprit = static_cast<std::size_t>(1 + random.below(kFew));
    stats::CulpritSearch search(kFew);
    bool upper = false;
    while (search.measurements() < kMostFew && !search.is_null(kConfidence) && !search.has_culprit(kConfidence) &&
           !search.is_exhausted()) {
      const std::size_t commit = search.next(no_cost, 1);
      if (random.uniform() >= levels.stay) upper = random.uniform() < levels.share;
      const double weight = upper ? levels.between ? random.uniform() : 1 : 0;
      search.add(commit, (commit >= culprit ? kStep : 1) * (1 + weight * (kUpper - 1)) *
                             std::exp(kLevelSigma * random.normal()));
    }
    score.measurements += static_cast<double>(search.measurements());
    score.named += search.has_culprit(kConfidence);
    score.wrong += search.has_culprit(kConfidence) && search.posterior().likeliest.first != culprit;
    score.none += search.is_null(kConfidence);
  }
  return score;
}

/// git bisect with repeated measurements: each end is measured `ends` times. If a t test at `critical` finds no
/// difference, there is no culprit. Else binary search with `each` measurements per step compares their mean with the
/// midpoint of the ends.
struct GitBisect {
  int ends;
  int each;
  double critical;
};

void git_bisect(const GitBisect& plain, const SimulatedBisect& truth, NormalRandom& random, BisectScore& score) {
  double squares = 0;
  const auto mean = [&](std::size_t commit, int times) {
    double sum = 0;
    double sum_of_squares = 0;
    for (int i = 0; i < times; ++i) {
      const double y = std::log(truth.measure(commit, random));
      sum += y;
      sum_of_squares += y * y;
    }
    squares += sum_of_squares - sum * sum / times;
    score.measurements += times;
    return sum / times;
  };
  ++score.runs;
  score.without += truth.culprit == 0;
  const double good = mean(0, plain.ends);
  const double bad = mean(kCommits, plain.ends);
  const double error = std::sqrt(squares / (plain.ends - 1) / plain.ends);
  if (std::abs(bad - good) < plain.critical * error) {
    score.right += truth.culprit == 0;
    score.missed += truth.culprit != 0;
    return;
  }
  std::size_t low = 0;
  std::size_t high = kCommits;
  for (;;) {
    std::size_t next = 0;  // the commit nearest to the middle that builds
    const std::size_t middle = (low + high) / 2;
    for (std::size_t away = 0; next == 0 && away < high - low; ++away) {
      if (middle >= low + away + 1 && !truth.unbuildable[middle - away]) next = middle - away;
      if (next == 0 && middle + away > low && middle + away < high && !truth.unbuildable[middle + away])
        next = middle + away;
    }
    if (next == 0) break;
    const bool is_bad = (mean(next, plain.each) - (good + bad) / 2) * (bad - good) > 0;
    (is_bad ? high : low) = next;
  }
  score.right += truth.is_answer(low + 1, high);
  score.innocent_named += truth.culprit == 0;
}

/// The cheapest plain search whose share of right answers is at least `share`. With `tuned`, the numbers of
/// measurements of ends and steps may differ, which requires knowledge of the noise. The parameters are chosen on the
/// same runs on which they are evaluated, which favours the plain search.
BisectScore best_git_bisect(double share, bool tuned, std::uint64_t seed, std::uint64_t runs) {
  BisectScore best;
  double least = std::numeric_limits<double>::infinity();
  for (int ends = 4; ends <= 50; ends += 2) {
    const boost::math::students_t distribution(2 * ends - 2);
    for (int each = tuned ? 4 : ends; each <= (tuned ? 30 : ends); each += 2) {
      // Lower bound: 7 steps (one less than the 8 bits) in the runs that have a culprit.
      if (2 * ends + (1 - kWithout) * 7 * each > least) break;
      for (const double alpha : {0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002}) {
        const GitBisect plain{ends, each, boost::math::quantile(boost::math::complement(distribution, alpha / 2))};
        NormalRandom random(seed);
        BisectScore score;
        for (std::uint64_t i = 0; i < runs; ++i) git_bisect(plain, SimulatedBisect(random), random, score);
        if (score.share() < share || score.mean() >= least) continue;
        least = score.mean();
        best = score;
      }
    }
  }
  return best;
}

}  // namespace

void simulate_bisect(const SimulationSettings& settings, const ResultSink& report) {
  const auto judge = [&](double confidence, const MachineDisturbance& machine, std::uint64_t runs) {
    NormalRandom random(settings.seed);
    BisectScore score;
    for (std::uint64_t i = 0; i < runs; ++i) search(SimulatedBisect(random), confidence, machine, random, score);
    return score;
  };
  struct ConfidenceGoal {
    double confidence;
    double low;
    double high;
    double trials;
  };
  // The time of a search grows with the third power of its measurements: so there are the fewer runs the longer they
  // are.
  for (const ConfidenceGoal& goal : {ConfidenceGoal{0.99, 0.98, 1, 100}, ConfidenceGoal{0.9, 0.88, 0.97, 200}}) {
    const auto runs = settings.trials(goal.trials);
    const std::string at = fmt::format("at --confidence {}", goal.confidence);
    const BisectScore score = judge(goal.confidence, {}, runs);
    report({"right " + at, score.share(), Goal::kAtLeast, goal.low, runs});
    if (goal.high < 1) report({"right " + at + ": not too cautious", score.share(), Goal::kAtMost, goal.high, runs});
    report({"runs without a culprit that named one " + at, score.without > 0 ? score.innocent_named / score.without : 0,
            Goal::kNone, 0, static_cast<std::uint64_t>(score.without)});
    report({"runs with a culprit that found none " + at, score.missed / (score.runs - score.without), Goal::kNone, 0,
            static_cast<std::uint64_t>(score.runs - score.without)});
    report({"measurements per run " + at, score.mean(), Goal::kNone, 0, runs, ""});
    const BisectScore plain = best_git_bisect(score.share(), false, settings.seed, runs);
    report({"measurements per run, git bisect with repetitions, equally often right", plain.mean(), Goal::kNone, 0,
            runs, ""});
    const BisectScore tuned = best_git_bisect(score.share(), true, settings.seed, runs);
    report({"the same, with ends and steps tuned to this noise", tuned.mean(), Goal::kNone, 0, runs, ""});
    if (plain.runs > 0)
      report({"share of git bisect's measurements " + at, score.mean() / plain.mean(), Goal::kAtMost, 0.45, runs});
  }
  struct Case {
    double step;
    std::size_t links;
  };
  // A command has one executable a commit; a benchmark is linked in four layouts.
  for (const auto& [step, links] : {Case{0.03, 1}, Case{0.03, 4}, Case{0.1, 1}})
    for (const double offset : {0.0, 0.002, 0.005, 0.01}) {
      NormalRandom random(settings.seed);
      const bool round = step > 0.05;
      const auto trials = settings.trials(200);
      const OffsetScore score = search_with_offsets(step, offset, links, round, random, trials);
      const std::string what = fmt::format("{} commits{}, one {:g} % slower, offsets of {:g} %, noise {:g} %{}", kFew,
                                           links == 1 ? "" : fmt::format(" in {} layouts", links), 100 * step,
                                           100 * offset, 100 * kFewSigma, round ? ", three digits" : "");
      report({what + ": named culprits that are wrong", score.wrong / std::max(1.0, score.named), Goal::kAtMost, 0.02,
              static_cast<std::uint64_t>(score.named)});
      report({what + ": sets of candidates that hold the culprit", score.holding / std::max(1.0, score.sets),
              score.sets > 0 ? Goal::kAtLeast : Goal::kNone, 0.99, static_cast<std::uint64_t>(score.sets)});
      report({what + ": commits in such a set", score.commits / std::max(1.0, score.sets), Goal::kNone, 0,
              static_cast<std::uint64_t>(score.sets), ""});
      report({what + ": measurements per run", score.measurements / static_cast<double>(trials), Goal::kNone, 0, trials,
              ""});
    }
  for (const TwoLevels& levels :
       {TwoLevels{"a third of them", 0.33}, TwoLevels{"half of them", 0.5},
        TwoLevels{"half of them, ten in a row", 0.5, 0.9}, TwoLevels{"two thirds of them", 0.67},
        TwoLevels{"all of them between", 1, 0, true}}) {
    NormalRandom random(settings.seed);
    const auto trials = settings.trials(levels.between ? 10 : 100);  // the former go on to the end
    const LevelScore score = search_on_two_levels(levels, random, trials);
    const std::string what = fmt::format("{} commits, one 4 % slower, measurements 90 % higher: {}", kFew, levels.what);
    report({what + ": culprits named", score.named / static_cast<double>(trials), Goal::kNone, 0, trials});
    report({what + ": named culprits that are wrong", score.wrong / std::max(1.0, score.named), Goal::kAtMost, 0.02,
            static_cast<std::uint64_t>(score.named)});
    report({what + ": no difference found", score.none / static_cast<double>(trials), Goal::kAtMost, 0.02, trials});
    report({what + ": measurements per run", score.measurements / static_cast<double>(trials), Goal::kNone, 0, trials,
            ""});
  }
  const auto drifting_runs = settings.trials(25), busy_runs = settings.trials(10);
  const BisectScore drifting = judge(0.99, {.drift = 0.03}, drifting_runs);
  report({"right at --confidence 0.99, 3 % drift in 60 measurements", drifting.share(), Goal::kNone, 0, drifting_runs});
  const BisectScore busy = judge(0.99, {.busy = 0.3}, busy_runs);
  report({"right at --confidence 0.99, 30 % of processes 10 to 55 % slower", busy.share(), Goal::kNone, 0, busy_runs});
  report({"measurements per run with these slow processes", busy.mean(), Goal::kNone, 0, busy_runs, ""});
}

}  // namespace lab::simulate
