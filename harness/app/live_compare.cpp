#include "harness/app/live_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/utc.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"
#include "harness/stats/quantile.h"

namespace lab::app {

namespace {

/// Machines that are compared look so far back for common nights.
constexpr std::time_t kComparedSeconds = 60 * std::time_t{24 * 60 * 60};

/// Whether the session's points are in series.
bool is_in_series(const results::SessionRecord& session) {
  return session.skipped.empty() && !session.contradicted;
}

bool is_time(const results::SeriesPoint& point) {
  return !point.metric || point.metric->unit.empty() || report::after_ns(point.metric->unit).has_value();
}

report::ComparedSeries::Side side_of(const std::vector<results::SeriesPoint>& points, const std::string& commit) {
  report::ComparedSeries::Side side;
  for (const results::SeriesPoint& point : points) {
    if (point.commit != commit) continue;
    side.medians.push_back(point.median);
    side.interval = side.medians.size() == 1 ? point.interval : std::nullopt;
  }
  return side;
}

/// By night, the median of its sessions.
std::map<std::string, double> by_night(const results::TimedSeries& series) {
  std::map<std::string, std::vector<double>> values;
  for (std::size_t i = 0; i < series.started.size(); ++i)
    values[series.started[i].substr(0, 10)].push_back(series.medians[i]);
  std::map<std::string, double> nights;
  for (auto& [night, medians] : values) nights[night] = stats::median(medians);
  return nights;
}

}  // namespace

Expected<report::ComparedFarm> compare_commits(const LiveState& state, LiveReader& reader, const std::string& a,
                                               const std::string& b) {
  report::ComparedFarm compared{a, b};
  std::map<std::string, std::vector<std::string>> starts;  // of their sessions, by machine
  std::map<std::string, std::set<std::string>> commits;
  for (const results::SessionRecord& one : state.input.sessions) {
    if (!is_in_series(one) || (one.commit != a && one.commit != b)) continue;
    std::vector<std::string>& of_machine = starts[one.machine];
    if (of_machine.empty() || of_machine.back() != one.started) of_machine.push_back(one.started);
    commits[one.machine].insert(*one.commit);
  }
  for (const auto& [machine, of_machine] : starts) {
    if (commits[machine].size() < 2) continue;
    const auto found = reader.with([&](results::Store& store) { return store.points_at(machine, of_machine); });
    if (!found) return found.error();
    for (const auto& [key, points] : *found) {
      report::ComparedSeries one{key, false, is_time(points.front()), side_of(points, a), side_of(points, b)};
      if (one.a.medians.empty() || one.b.medians.empty()) continue;
      one.ratio = stats::median(one.b.medians) / stats::median(one.a.medians);
      compared.series.push_back(std::move(one));
    }
  }
  if (compared.series.empty())
    compared.nothing = fmt::format("No machine has a session of {} and one of {}: nothing can be compared.",
                                   report::short_name(a), report::short_name(b));
  return compared;
}

Expected<report::ComparedFarm> compare_machines(const LiveState& state, LiveReader& reader, const std::string& a,
                                                const std::string& b) {
  report::ComparedFarm compared{a, b, true};
  std::vector<results::SeriesKey> keys;  // a's and b's in turn
  std::string last;
  for (const judge::FarmMachine& machine : state.farm.machines)
    if (machine.id == a || machine.id == b) last = last.empty() ? machine.last : std::min(last, machine.last);
  for (const judge::FarmSeries& one : state.input.series) {
    if (one.key.machine != a) continue;
    const judge::FarmSeries* const other =
        report::find_series(state.input.series, b, one.key.benchmark, one.key.version);
    if (other == nullptr) continue;
    keys.push_back(one.key);
    keys.push_back(other->key);
  }
  const std::string since = utc(seconds_of(last).value_or(0) - kComparedSeconds);
  const auto levels = reader.with([&](results::Store& store) { return store.levels(keys, since); });
  if (!levels) return levels.error();
  for (std::size_t i = 0; i + 1 < levels->size(); i += 2) {
    const std::map<std::string, double> left = by_night((*levels)[i]), right = by_night((*levels)[i + 1]);
    report::ComparedSeries one{keys[i], false, keys[i].benchmark.find(':') == std::string::npos, {}, {}};
    std::vector<double> ratios;
    for (auto night = left.rbegin(); night != left.rend() && ratios.size() < kComparedNights; ++night) {
      const auto same = right.find(night->first);
      if (same == right.end()) continue;
      ratios.push_back(same->second / night->second);
      one.a.medians.push_back(night->second);
      one.b.medians.push_back(same->second);
    }
    if (ratios.empty()) continue;
    one.ratio = stats::median(ratios);
    if (ratios.size() > 1) one.range = {std::ranges::min(ratios), std::ranges::max(ratios)};
    compared.series.push_back(std::move(one));
  }
  if (compared.series.empty())
    compared.nothing = fmt::format("{} and {} measured no benchmark on the same day: nothing can be compared.",
                                   report::shown_name(a), report::shown_name(b));
  return compared;
}

}  // namespace lab::app
