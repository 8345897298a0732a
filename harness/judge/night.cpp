#include "harness/judge/night.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/judge/history.h"
#include "harness/judge/summary.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"

namespace lab::judge {

namespace {

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

bool NightFitness::is_excluded() const {
  return !left_out.empty() && left_out != kUnfitSession;
}

bool NightFitness::any_young_outlier() const {
  constexpr std::size_t kMostOutlierNights = kRecent / 2;  // nights, until a new level is the median of the recent ones
  return std::ranges::any_of(outliers, [](const Outlier& one) {
    return one.nights < stats::ChangePointDetector::kFewest + kMostOutlierNights;
  });
}

NightFitness judge_night(std::span<const SeriesHistory> histories, const results::Result& result) {
  NightFitness night;
  night.session = result.session.id;
  night.machine = result.machine.id;
  night.unusual = result.session.unusual;
  std::map<std::pair<std::string, int>, const SeriesHistory*> by_benchmark;
  for (const SeriesHistory& one : histories)
    if (one.series.machine == result.machine.id) by_benchmark[{one.series.benchmark, one.series.version}] = &one;
  night.left_out = condense(result).skipped;
  for (const results::CondensedRow& row : condensed_rows(result)) {
    const auto found = by_benchmark.find({row.benchmark, row.version});
    if (found == by_benchmark.end()) continue;
    const SeriesHistory& history = *found->second;
    judge_level(row, nights_before(history.points, result.session), night);
    if (night.left_out.empty() && history.findings.judged.nights_missing > 0)
      night.too_young.push_back({row.benchmark, history.findings.judged});
  }
  for (const SummaryRow& row : summarize(result))
    if (!row.level) night.without_level.insert(row.benchmark);
  night.session_fitness = level_fitness(result);
  night.fit = !night.levels.unfit() && night.session_fitness.fit && !night.is_excluded();
  if (!night.is_excluded()) night.reason = night.levels.unfit() ? kMachineReason : night.session_fitness.reason;
  return night;
}

}  // namespace lab::judge
