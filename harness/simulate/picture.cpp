// Sessions of one commit that are put together (stats/sessions.h, judge/picture.h): how often the interval contains the
// machine's true ratio, and how often a reader who measures until a false claim is reproduced succeeds.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "harness/judge/claim.h"
#include "harness/simulate/noise.h"
#include "harness/simulate/simulate.h"
#include "harness/stats/interval.h"

namespace lab::simulate {

namespace {

constexpr int kMostSessions = 8;

/// Noise between the processes of one arm, in logarithms, with median 0 and about the sigma 1.
struct ProcessNoise {
  std::string_view name;
  double (*draw)(NormalRandom& random);
  /// The standard error of the median of n differences between two such numbers, times the root of n: 1 over twice
  /// their density at 0.
  double median_error;
};

double draw_skewed(NormalRandom& random) {
  // The median of an exponential number is ln 2.
  return -std::log(1 - random.uniform()) - std::log(2.0);
}

double draw_with_outliers(NormalRandom& random) {
  return random.normal() + (random.uniform() < 0.05 ? 10 : 0);
}

constexpr ProcessNoise kNoises[]{{"normal", [](NormalRandom& random) { return random.normal(); }, 1.772},
                                 {"skewed", draw_skewed, 1},
                                 {"5 % outliers", draw_with_outliers, 1.958}};

/// A benchmark's two arms in several sessions. Ratios of the sessions differ by `between` times the standard error of
/// one.
struct Picture {
  double sigma = 0.01;  ///< between processes
  double between = 0;
  int blocks = 15;
  const ProcessNoise* noise = nullptr;
};

/// One more session, whose true ratio of from / to is `ratio` on average.
void add_session(NormalRandom& random, const Picture& picture, double ratio, int session,
                 std::vector<stats::Datum>& from, std::vector<stats::Datum>& to) {
  const double error = picture.sigma * picture.noise->median_error / std::sqrt(picture.blocks);
  const double own = std::log(ratio) + picture.between * error * random.normal();
  const double level = 0.05 * random.normal();  // of both arms: it cancels
  for (int i = 0; i < picture.blocks; ++i) {
    const int block = session * picture.blocks + i;
    const auto value = [&](double log_level) {
      return std::exp(level + log_level + picture.sigma * picture.noise->draw(random));
    };
    from.push_back({block, value(own), 0, session});
    to.push_back({block, value(0), 0, session});
  }
}

struct ReaderShares {
  double first = 0, any = 0;       ///< called reproduced by the first session, and by any picture
  std::vector<double> covered;     ///< by the number of sessions, from 1
  std::vector<double> half_width;  ///< of the interval, in logarithms
};

/// A claim of an effect that does not exist, as small as a session can just see: the easiest to reproduce by chance.
ReaderShares read_until_reproduced(const Picture& picture, std::uint64_t seed, std::uint64_t readers) {
  NormalRandom random(seed);
  const double claimed = std::exp(picture.sigma);
  ReaderShares shares{0, 0, std::vector<double>(kMostSessions), std::vector<double>(kMostSessions)};
  const double weight = 1 / static_cast<double>(readers);
  for (std::uint64_t reader = 0; reader < readers; ++reader) {
    std::vector<stats::Datum> from, to;
    bool reproduced = false;
    for (int session = 0; session < kMostSessions; ++session) {
      add_session(random, picture, 1, session, from, to);
      const std::optional<stats::Estimate> ratio = stats::estimate_ratio(from, to);
      const auto at = static_cast<std::size_t>(session);
      shares.covered[at] += ratio->interval->low <= 1 && ratio->interval->high >= 1 ? weight : 0;
      shares.half_width[at] += weight * std::log(ratio->interval->high / ratio->interval->low) / 2;
      reproduced = reproduced || judge::judge_claim(claimed, ratio->interval) == judge::ClaimVerdict::kReproduced;
      if (session == 0) shares.first += reproduced ? weight : 0;
    }
    shares.any += reproduced ? weight : 0;
  }
  return shares;
}

}  // namespace

void simulate_picture(const SimulationSettings& settings, const ResultSink& report) {
  const auto readers = settings.trials(4000);
  std::uint64_t seed = settings.seed * 1000 + 900;
  for (const ProcessNoise& noise : kNoises)
    for (const double between : {0.0, 0.25, 0.5, 1.0, 4.0}) {
      const ReaderShares shares = read_until_reproduced({.between = between, .noise = &noise}, ++seed, readers);
      const std::string where = fmt::format("{} noise, sessions differ by {:g} standard errors", noise.name, between);
      // A single session does not know how much sessions differ, and its interval is that of a session.
      report({fmt::format("false: reproduced by one session, {}", where), shares.first, Goal::kNone, 0, readers});
      report({fmt::format("false: reproduced by one of {} pictures, {}", kMostSessions, where), shares.any,
              between <= 0.5 ? Goal::kAtMost : Goal::kNone, 0.05, readers});
      for (const int sessions : {2, 3, 4, 8}) {
        const auto at = static_cast<std::size_t>(sessions - 1);
        report({fmt::format("interval of {} sessions has the true ratio, {}", sessions, where), shares.covered[at],
                Goal::kAtLeast, 0.95, readers});
        report({fmt::format("its half width over that of one session, {}", where),
                shares.half_width[at] / shares.half_width[0], Goal::kNone, 0, readers, ""});
      }
    }
}

}  // namespace lab::simulate
