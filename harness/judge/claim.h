/// The verdicts of a result on an article's claims about a family.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/results/article.h"
#include "harness/results/result.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// kNotJudged: the session is unfit, and the claim is about a metric with noise; or the claim is about a time as such,
/// and other work disturbed it (JudgedBlocks::is_level). What was measured is kept.
enum class ClaimVerdict { kReproduced, kWeaker, kRefuted, kUndecided, kNotJudged };

/// "reproduced", "weaker", "refuted", "undecided" or "not judged".
std::string_view to_string(ClaimVerdict verdict);

/// Tolerance, as a share of the claimed effect. A published figure is one number without an interval, from another
/// machine, with two or three digits: it is accepted to within this share, and a smaller effect than this share counts
/// as none. Shares are taken on the logarithm of the ratio, which is symmetric for speed-ups and slow-downs.
inline constexpr double kClaimTolerance = 0.1;

/// The verdict on a claimed ratio from / to of a metric (of times, above 1: faster; below 1: slower, judged as its
/// inverse) from the interval of the same ratio measured here. With claim r > 1, interval [low, high] and t =
/// kClaimTolerance:
///   reproduced  low > 1, high >= r^(1 - t)   the effect exists, possibly as strong as claimed
///   weaker      low > 1, high <  r^(1 - t)   the effect exists, but is weaker than claimed
///   refuted     high <= 1, or low <= 1 and high < r^t   opposite effect, none, or less than the share t of it
///   undecided   low <= 1, high >= r^t, or no interval   the data allow both the effect and none
/// Without the second half of "refuted", a claim about something without effect would stay undecided forever: the
/// interval of a true ratio of 1 contains 1 for any number of processes. A claim of 1, or of no positive number, claims
/// no effect and stays undecided.
ClaimVerdict judge_claim(double claimed, const std::optional<stats::Interval>& measured);

/// Values of a quantity: one per process that has it, or that of an exhibit. Without `over`, the whole is 1.
struct Share {
  double part = 0;
  double whole = 1;
  int block = 0;    ///< of the process
  int session = 0;  ///< of the process, in a picture (picture.h)
  double value() const { return part / whole; }
};
std::vector<Share> shares(const results::Quantity& quantity, const std::string& benchmark,
                          const results::Result& result);

/// The benchmarks of head that match a glob and have numbers, sorted.
std::vector<std::string> benchmarks_like(const std::string& glob, const results::Result& result);

/// "family/variant/workload"; `variant` may be "variant/workload", then it names its own.
std::string claimed_benchmark(const std::string& family, const std::string& variant, const std::string& workload);

/// A metric of one benchmark over that of another. With noise, it is estimated over the blocks that have both.
struct MeasuredRatio : stats::Estimate {
  /// Without noise, one value of each benchmark is enough, in any block (judge/exact.h): the interval is the ratio of
  /// the two. There is none if the processes of a benchmark disagree; the median is then that of the medians. In a
  /// picture, both values are of one session.
  bool exact = false;
};

/// The metric of `from` over that of `to` on one workload; none if either has no numbers, a value is not positive or,
/// of a metric with noise, no block has both. Either may name its own workload.
std::optional<MeasuredRatio> measured_ratio(const std::string& family, const std::string& from, const std::string& to,
                                            const std::string& metric, const std::string& workload,
                                            const results::Result& result);

/// Whether a step of an order refutes it: its whole interval is at most 1.
bool does_not_grow(const std::optional<MeasuredRatio>& step);

/// Whether the metric is a time in the benchmarks of one workload.
bool is_time(const std::string& family, const std::vector<std::string>& variants, const std::string& metric,
             const std::string& workload, const results::Result& result);

/// A ratio claim in one of its cases. The verdict is that of judge_claim.
struct JudgedRatio {
  const results::RatioClaim* claim = nullptr;
  const results::RatioCase* one = nullptr;
  double claimed = 0;                          ///< from the article's table, otherwise as printed: this one is judged
  bool misprinted = false;                     ///< whether the printed ratio disagrees with that table
  bool time = false;                           ///< whether the metric is a time
  std::array<std::string, 2> benchmarks = {};  ///< of `from` and `to` on the judged workload
  std::optional<MeasuredRatio> measured = {};  ///< on that workload
  std::vector<std::optional<MeasuredRatio>> also = {};  ///< on RatioClaim::also
};

/// Tolerance of a formula, as a share of its value: metadata is rounded up to whole words.
inline constexpr double kFormulaTolerance = 0.001;

/// What the division of two counters may be off by, as a share. A bound has no other tolerance.
inline constexpr double kRounding = 1e-12;

/// One process proves no exact value: its count may depend on an address or the clock.
inline constexpr std::size_t kLeastToAgree = 2;

/// The values of one benchmark.
struct ExactValue {
  enum class Source {
    kCounter,  ///< of metrics that are exact (judge/exact.h): kLeastToAgree processes must have one value
    kNoisy,    ///< of a metric with noise: as many processes as an interval needs (stats::least_count)
    kFigure    ///< of an exhibit, which a session makes once
  };

  std::string benchmark;
  stats::Interval range = {};   ///< over its processes
  stats::Interval stated = {};  ///< what the claim says for this benchmark, over its processes
  std::size_t count = 0;        ///< processes
  Source source = Source::kCounter;
  bool holds = false;  ///< for the whole range
  /// Of the names in a formula, in the order of Formula::names(), where all processes have the same.
  std::vector<double> operands = {};
  /// Of a counter or a figure, reproduced or refuted by its one value; undecided if too few processes have it or they
  /// disagree. With noise, reproduced if it holds for the whole range, refuted if the interval of the median is outside
  /// of what is stated, otherwise undecided.
  ClaimVerdict verdict = ClaimVerdict::kUndecided;
};

/// A claim of a number: reproduced if it holds for every benchmark, refuted if it fails for one, undecided without
/// values or if one benchmark decides nothing. A number holds to within one unit of its last digit; 0 and a bound hold
/// exactly, but for kRounding.
struct JudgedExact {
  const results::ExactClaim* claim = nullptr;
  std::vector<ExactValue> values = {};  ///< by benchmark
};

/// A claim of a formula: the same, to within kFormulaTolerance.
struct JudgedFormula {
  const results::FormulaClaim* claim = nullptr;
  std::vector<ExactValue> values = {};  ///< by benchmark
};

/// An order claim: reproduced if the interval of every step is above 1, refuted if one excludes a growth (high <= 1),
/// otherwise undecided. So a step of an exact metric decides by its values, and a tie of them refutes.
struct JudgedOrder {
  const results::OrderClaim* claim = nullptr;
  bool time = false;
  std::vector<std::string> benchmarks = {};              ///< of each variant
  std::vector<std::optional<MeasuredRatio>> steps = {};  ///< each variant over the one before it
};

/// A claim of which no benchmark has what it needs.
struct UnmetNeed {
  std::optional<double> most;  ///< of the metric that it needs, over its benchmarks; none if none has that metric
};

struct JudgedClaim {
  const results::Claim* claim = nullptr;
  ClaimVerdict verdict = ClaimVerdict::kUndecided;
  std::vector<std::string> benchmarks = {};  ///< all that it is about
  std::variant<JudgedRatio, JudgedExact, JudgedFormula, JudgedOrder> evidence = {};
  /// Whether the session has a number of each side of a ratio or of a step, or any value. Without them the claim is
  /// undecided because nobody measured it.
  bool has_numbers = false;
  std::optional<UnmetNeed> unmet = {};
};

/// The claims about the article's family, in its order. `article` must outlive them. Returns a ratio claim once per
/// case that has measurements of its own; without any, once for the first case. Claims about drivers are not judged
/// here. A claim of which no benchmark has what it needs (results::ClaimNeed) is undecided. `fitness`: of the result;
/// if it is unfit, only claims about metrics without noise are judged. Ratios and orders compare benchmarks that other
/// work disturbed alike; a number, a bound or a formula of times that it disturbed is not judged.
std::vector<JudgedClaim> judge_claims(const results::Article& article, const results::Result& result,
                                      const Fitness& fitness);

/// Whether a number is judged by one value without noise: a counter of this kind, or the figure of an exhibit that is
/// no latency.
bool is_without_noise(const results::Result& result, const std::string& benchmark, const results::Quantity& quantity);

}  // namespace lab::judge
