#include "harness/judge/night.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "harness/judge/condense.h"
#include "harness/judge/fitness.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::judge {

namespace {

/// What to do about an unfit night, by reason. A blind control has its advice in its own sentence.
struct Advice {
  std::string_view why, sentence;
};
constexpr std::array kAdvice{
    Advice{kMachineReason, "measure when nothing else runs, or on a dedicated machine"},
    Advice{"dirty source", "commit the changes or revert them"},
    Advice{"no release build", "build with --config release"},
    Advice{"interrupted session", "do not interrupt the session"},
};
constexpr std::string_view kWait = "a second such night is judged as a new level";
const std::string kUnseen =
    fmt::format("In the first {} nights of a series no change is found: use `compare` with an earlier night",
                stats::ChangePointDetector::kFewest);

std::string advice_for(std::string_view why) {
  const auto found = std::find_if(kAdvice.begin(), kAdvice.end(), [&](const Advice& one) { return one.why == why; });
  return found == kAdvice.end() ? "" : std::string(found->sentence);
}

/// Logarithms of `points` before this session that have its seed.
std::vector<double> nights_before(std::span<const results::SeriesPoint> points, const results::Session& session) {
  const std::string seed = fmt::format("{}", session.seed);
  std::vector<double> logs;
  for (const results::SeriesPoint& point : points) {
    const auto its = point.environment->find(kSeed);
    if (point.started < session.started && point.session != session.id && its != point.environment->end() &&
        its->second == seed)
      logs.push_back(std::log(point.median));
  }
  return logs;
}

void judge_level(const results::CondensedRow& row, std::span<const double> nights, NightFitness& night) {
  const double tonight = std::log(row.value.median);
  const LevelState where = level_state(nights, tonight);
  night.levels.add(where);
  if (where != LevelState::kStayed && where != LevelState::kMoved) return;
  const auto recent = nights.last(std::min(nights.size(), kRecent));
  night.outliers.push_back({row.benchmark, std::exp(tonight - stats::median(recent)), nights.size()});
}

/// Whether an outlier of tonight may have changed so early in its series that history finds no change.
bool any_young(const NightFitness& night) {
  constexpr std::size_t kMostOutlierNights = kRecent / 2;  // nights, until a new level is the median of the recent ones
  return std::any_of(night.outliers.begin(), night.outliers.end(), [](const Outlier& one) {
    return one.nights < stats::ChangePointDetector::kFewest + kMostOutlierNights;
  });
}

void report_levels(NightFitness& night) {
  const LevelCounts& all = night.levels;
  if (!all.many_outliers()) return;
  const std::string share = fmt::format("{} of {} benchmarks", all.outliers(), all.with_level);
  if (!all.unfit()) {
    night.notes.push_back(
        fmt::format("{} have the same unusual times as last night; history will judge them within {} nights{}", share,
                    stats::ChangePointDetector::kPlain - 1, any_young(night) ? fmt::format(". {}", kUnseen) : ""));
    return;
  }
  const auto slower = static_cast<std::size_t>(
      std::count_if(night.outliers.begin(), night.outliers.end(), [](const Outlier& one) { return one.ratio > 1; }));
  night.fit = false;
  night.reason = kMachineReason;
  night.sentences.push_back(
      fmt::format("{} have unusual times ({} slower, {} faster)", share, slower, all.outliers() - slower));
}

void report_fitness(const results::Result& result, const std::string& skipped, NightFitness& night) {
  const Fitness fitness = judge_fitness(result);
  if (!fitness.fit) {
    night.fit = false;
    night.reason = night.reason.empty() ? std::string(fitness.reason) : night.reason;
    constexpr std::string_view kVerdict = "unfit: ";
    for (const std::string& sentence : fitness.sentences)
      night.sentences.push_back(sentence.starts_with(kVerdict) ? sentence.substr(kVerdict.size()) : sentence);
  }
  night.left_out = skipped;
  if (!skipped.empty() && skipped != kUnfitSession) {
    night.fit = false;
    night.reason.clear();
    night.sentences.push_back(fmt::format("history omits this session: {}", skipped));
  }
  // The session's `unusual` also has the reasons why it is unfit.
  std::erase_if(night.unusual, [&](const std::string& sentence) {
    return std::find(fitness.sentences.begin(), fitness.sentences.end(), sentence) != fitness.sentences.end();
  });
  if (night.fit) return;
  const bool by_level_alone = fitness.fit && night.left_out.empty();
  std::string advice = advice_for(night.reason.empty() ? skipped : night.reason);
  if (by_level_alone) advice = any_young(night) ? fmt::format("{}. {}", kWait, kUnseen) : kWait;
  if (!advice.empty()) night.sentences.push_back(std::move(advice));
}

}  // namespace

LevelState level_state(std::span<const double> nights, double tonight) {
  nights = nights.last(std::min(nights.size(), kRecent));
  if (nights.size() < kFewestRecent) return LevelState::kNew;
  const double usual = std::max(std::log(kUsualRatio), kUsualSigmas * stats::mad_sigma(nights));
  const auto is_near = [&](double other) { return std::abs(tonight - other) <= usual; };
  if (is_near(stats::median(nights)) || std::count_if(nights.begin(), nights.end() - 1, is_near) >= 2)
    return LevelState::kUsual;
  return is_near(nights.back()) ? LevelState::kStayed : LevelState::kMoved;
}

void LevelCounts::add(LevelState one) {
  with_level += one != LevelState::kNew;
  stayed += one == LevelState::kStayed;
  moved += one == LevelState::kMoved;
}

bool LevelCounts::many_outliers() const {
  return outliers() >= kMany && static_cast<double>(outliers()) >= kManyShare * static_cast<double>(with_level);
}

bool LevelCounts::unfit() const {
  return many_outliers() && static_cast<double>(moved) >= kMovedShare * static_cast<double>(outliers());
}

NightFitness judge_night(std::span<const SeriesHistory> histories, const results::Result& result) {
  NightFitness night;
  night.session = result.session.id;
  night.machine = result.machine.id;
  night.unusual = result.session.unusual;
  std::map<std::pair<std::string, int>, const SeriesHistory*> by_benchmark;
  for (const SeriesHistory& one : histories)
    if (one.series.machine == result.machine.id) by_benchmark[{one.series.benchmark, one.series.version}] = &one;
  const std::string skipped = condense(result).skipped;
  for (const results::CondensedRow& row : condensed_rows(result)) {
    const auto found = by_benchmark.find({row.benchmark, row.version});
    if (found == by_benchmark.end()) continue;
    const SeriesHistory& history = *found->second;
    judge_level(row, nights_before(history.points, result.session), night);
    if (skipped.empty() && history.findings.judged.nights_missing > 0)
      night.too_young.push_back({row.benchmark, history.findings.judged});
  }
  report_levels(night);
  report_fitness(result, skipped, night);
  return night;
}

}  // namespace lab::judge
