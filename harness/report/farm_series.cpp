#include <fmt/format.h>

#include <algorithm>

#include "harness/base/fit.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_parts.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/history.h"
#include "harness/report/history_text.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

using results::SeriesPoint;

/// A plot of more is no longer read point by point, and a browser draws it slowly.
constexpr std::size_t kMostZoomed = 4000;

/// The part of the history that began from `from` until the end of `to`.
judge::SeriesHistory shown_part(const judge::SeriesHistory& history, const std::string& from, const std::string& to) {
  const auto is_before = [&](const SeriesPoint& point) { return point.started < from; };
  const auto is_until = [&](const SeriesPoint& point) {
    return to.empty() || point.started.substr(0, to.size()) <= to;
  };
  const auto first = std::partition_point(history.points.begin(), history.points.end(), is_before);
  const auto end = std::partition_point(first, history.points.end(), is_until);
  const auto skipped = static_cast<std::size_t>(first - history.points.begin());
  judge::SeriesHistory part{history.series, history.findings, {first, end}};
  std::erase_if(part.findings.changes, [&](const judge::LevelChange& change) {
    return change.index < skipped || change.index >= skipped + part.points.size();
  });
  for (judge::LevelChange& change : part.findings.changes) change.index -= skipped;
  return part;
}

/// Half of what the middle 80 % of the last level's sessions span, as a share of their median; none of fewer than 8.
std::optional<double> noise_of(const judge::SeriesHistory& history) {
  constexpr std::size_t kFewest = 8;
  const std::size_t begin = history.findings.changes.empty() ? 0 : history.findings.changes.back().index;
  std::vector<double> values;
  for (std::size_t i = begin; i < history.points.size(); ++i) values.push_back(history.points[i].median);
  if (values.size() < kFewest) return std::nullopt;
  return (stats::quantile(values, 0.9) - stats::quantile(values, 0.1)) / 2 / stats::median(values);
}

bool is_time(const SeriesPoint& point) {
  return !point.metric || point.metric->unit.empty() ? !point.metric : after_ns(point.metric->unit).has_value();
}

std::string point_text(const SeriesPoint& point) {
  const stats::Estimate value{0, point.median, point.interval};
  return is_time(point) ? duration_with_interval(value) : with_interval(value);
}

/// The last sessions of the machine around this series: those with a value, and those that are in no series.
Table series_sessions_table(const FarmView& view, const judge::SeriesHistory& history) {
  Table table{
      "sessions",
      fmt::format("Sessions of {}, the latest first{}", shown_name(history.series.machine),
                  history.points.size() > kShownSessions ? fmt::format(": the last {}", kShownSessions) : ""),
      {{"Night", kName}, {"Median", kNumber}, {"Processes", kNumber, true}, {"Commit", kName}, {"Doubt", kText}}};
  const auto of_machine =
      std::ranges::equal_range(view.sessions, history.series.machine, {}, &results::SessionRecord::machine);
  auto point = history.points.rbegin();
  for (auto session = of_machine.end(); session != of_machine.begin() && table.rows.size() < kShownSessions;) {
    --session;
    while (point != history.points.rend() && point->started > session->started) ++point;
    const bool has_value =
        point != history.points.rend() && point->session == session->session && point->started == session->started;
    const std::string doubt = doubt_of(*session);
    if (!has_value && doubt.empty()) continue;  // a turn of other benchmarks
    TableCell commit(short_name(session->commit));
    if (session->commit) commit.link = commit_address(*session->commit);
    table.rows.push_back({night_cell(*session), has_value ? point_text(*point) : "",
                          has_value ? whole(point->processes) : "", std::move(commit), doubt});
  }
  return table;
}

/// The alarms that were raised for changes of this series, the latest first.
Paragraph alarms_with(const FarmView& view, const results::SeriesKey& key) {
  Paragraph text{"Alarms with it:"};
  const auto has = [](const std::vector<std::string>& list, const std::string& one) {
    return std::ranges::find(list, one) != list.end();
  };
  for (const judge::FarmChange& one : view.farm.changes)
    if (!one.alarm.empty() && has(one.benchmarks, key.benchmark) && has(one.machines, key.machine))
      text.links.push_back({shown_name(one.alarm), alarm_address(one.alarm)});
  std::ranges::sort(text.links, std::ranges::greater(), &Link::text);
  return text;
}

std::string level_sentence(const judge::SeriesHistory& history) {
  const std::optional<double> noise = noise_of(history);
  std::string text;
  if (noise)
    text = fmt::format("Noise: the middle 80 % of the present level's sessions are within \u00b1{} %.",
                       significant(100 * *noise, 2));
  if (history.findings.seen)
    text += fmt::format(
        "{}Judged without its machine's other series, a step of {} is alarmed within {} nights in {} cases.",
        text.empty() ? "" : " ", detectable_text(*history.findings.seen), stats::ChangePointDetector::kPlain,
        kPowerText);
  const judge::SeriesPattern& pattern = history.findings.pattern;
  if (!pattern.noise_started.empty() && pattern.noise_ratio != 1)
    text += fmt::format("{}Since {} its noise is {} times as large as before.", text.empty() ? "" : " ",
                        pattern.noise_started.substr(0, 10), number(pattern.noise_ratio));
  return text;
}

}  // namespace

Document series_page(const FarmView& view, const judge::SeriesHistory& history, const std::string& from,
                     const std::string& to) {
  const results::SeriesKey& key = history.series;
  const std::string on = fmt::format("{} on {}", shown_name(key.benchmark), shown_name(key.machine));
  const std::vector<judge::LevelChange>& changes = history.findings.changes;
  std::string lead;
  if (changes.empty()) {
    const std::string pattern = pattern_text(history.findings.pattern);
    lead = pattern.empty() ? quiet_text(history.findings.judged, history.points.size()) : pattern;
  } else {
    const judge::LevelChange& last = changes.back();
    const auto value = [&](double one) {
      return !history.points.empty() && is_time(history.points.back()) ? duration(one) : number(one);
    };
    lead = fmt::format("{} {} on {}: {} before, {} after", verdict_text(last), change_text(last.ratio),
                       last.started.substr(0, 10), value(last.before), value(last.after));
  }
  Document document = live_document(on, capitalized(lead) + ".");
  std::vector<Section>& sections = document.pages.front().sections;
  Section levels{"levels", "Levels"};
  const judge::SeriesHistory part = shown_part(history, from, to);
  if (part.points.empty())
    levels.add(
        Paragraph{fmt::format("No session of this series began {}{}.", from.empty() ? "" : "from " + shown_name(from),
                              to.empty() ? "" : " until " + shown_name(to)),
                  Emphasis::kWeak});
  else
    levels.add(Charts{{history_chart(part, {.most_points = kMostZoomed})}});
  if (const std::string text = level_sentence(history); !text.empty()) levels.add(Paragraph{text});
  if (Paragraph alarms = alarms_with(view, key); !alarms.links.empty()) levels.add(std::move(alarms));
  levels.add(Paragraph{
      "", Emphasis::kPlain, {{fmt::format("All of {}", shown_name(key.machine)), machine_address(key.machine)}}});
  add(sections, std::move(levels));
  Section told{"history", "Changes"};
  told.add(changes_table(std::span(&history, 1)));
  add(sections, std::move(told));
  Section nights{"nights", "Sessions"};
  nights.add(series_sessions_table(view, history));
  add(sections, std::move(nights));
  // The same benchmark elsewhere: what a reader asks next.
  Section elsewhere{"elsewhere", "On other machines"};
  elsewhere.folded = true;
  Table table{"elsewhere",
              "The same benchmark on other machines, by its last median",
              {{"Machine", kName}, {"Median", kNumber}, {"Last session", kName}, {"Last change", kText}}};
  std::vector<const judge::FarmSeries*> others;
  for (const judge::FarmSeries& one : view.series)
    if (one.key.benchmark == key.benchmark && one.key.version == key.version && one.key.machine != key.machine)
      others.push_back(&one);
  std::ranges::stable_sort(others, {}, [](const judge::FarmSeries* one) { return one->findings.median; });
  for (const judge::FarmSeries* const one : others) {
    TableCell machine(shown_name(one->key.machine));
    machine.link = series_address(one->key);
    std::string last;
    if (!one->findings.changes.empty()) {
      const judge::LevelChange& change = one->findings.changes.back();
      last = fmt::format("{} {} on {}", verdict_text(change), change_text(change.ratio), change.started.substr(0, 10));
    }
    table.rows.push_back(
        {std::move(machine), value_text(*one, one->findings.median), one->findings.last.substr(0, 10), last});
  }
  elsewhere.add(std::move(table));
  add(sections, std::move(elsewhere));
  return document;
}

}  // namespace lab::report
