#include "harness/report/farm_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/base/fit.h"
#include "harness/base/percent.h"
#include "harness/base/printable.h"
#include "harness/base/utc.h"
#include "harness/report/farm_parts.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"

namespace lab::report {

namespace {

/// A name that no table has room for.
constexpr std::size_t kLongName = 120;

std::string live_address(std::string_view view, std::string_view name, std::string_view value) {
  const std::pair<std::string_view, std::string_view> query[] = {{name, value}};
  return report::live_address(view, query);
}

}  // namespace

std::string live_address(std::string_view view, std::span<const std::pair<std::string_view, std::string_view>> query) {
  std::string address = fmt::format("./{}", view);
  for (std::size_t i = 0; i < query.size(); ++i)
    address += fmt::format("{}{}={}", i == 0 ? '?' : '&', query[i].first, percent_encoded(query[i].second));
  return address;
}

std::string series_address(const results::SeriesKey& series) {
  const std::string version = fmt::format("{}", series.version);
  const std::pair<std::string_view, std::string_view> query[] = {
      {"m", series.machine}, {"b", series.benchmark}, {"v", version}};
  return live_address("series", query);
}

std::string machine_address(std::string_view machine) {
  return live_address("machine", "id", machine);
}

std::string commit_address(std::string_view sha) {
  return live_address("commit", "sha", sha);
}

std::string alarm_address(std::string_view id) {
  return live_address("alarm", "id", id);
}

std::string night_address(std::string_view path) {
  return fmt::format("./night/{}/index.html", percent_encoded(path, "-._~/"));
}

std::string compare_address(std::string_view a, std::string_view b) {
  const std::pair<std::string_view, std::string_view> query[] = {{"a", a}, {"b", b}};
  return live_address("compare", std::span(query).first(a.empty() ? 0 : b.empty() ? 1 : 2));
}

std::string shown_name(std::string_view name) {
  std::string text = printable(std::string(name));
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  if (text_width(text) <= kLongName) return text;
  std::size_t end = kLongName;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "\u2026";
}

std::vector<std::string> shown_names(std::vector<std::string> names) {
  for (std::string& name : names) name = shown_name(name);
  return names;
}

const judge::FarmSeries* find_series(std::span<const judge::FarmSeries> series, std::string_view machine,
                                     std::string_view benchmark, int version) {
  const auto key = [](const judge::FarmSeries& one) {
    return std::pair<std::string_view, std::string_view>(one.key.machine, one.key.benchmark);
  };
  const auto found = std::ranges::equal_range(series, std::pair(machine, benchmark), {}, key);
  if (found.empty()) return nullptr;
  if (version == 0) return &found.back();
  const auto exact = std::ranges::find(found, version, [](const judge::FarmSeries& one) { return one.key.version; });
  return exact == found.end() ? nullptr : &*exact;
}

std::vector<SeriesChange> series_changes(const FarmView& view, const judge::FarmChange& change) {
  std::vector<SeriesChange> all;
  const bool is_code = change.cause == judge::kCodeCause || change.cause == judge::kEitherCause;
  const std::optional<std::time_t> at = seconds_of(change.started);
  for (const std::string& benchmark : change.benchmarks)
    for (const std::string& machine : change.machines) {
      const judge::FarmSeries* const series = find_series(view.series, machine, benchmark);
      if (series == nullptr) continue;
      // The one nearest in time: a level's first nights may be missed on some machines.
      const judge::LevelChange* nearest = nullptr;
      std::time_t least = kRecentNights * kDay;
      for (const judge::LevelChange& one : series->findings.changes) {
        const std::optional<std::time_t> started = seconds_of(one.started);
        if (!started || !at || one.regressed() != change.regressed || one.may_be_code() != is_code) continue;
        if (const std::time_t away = std::abs(*started - *at); away <= least)
          std::tie(least, nearest) = std::tuple(away, &one);
      }
      if (nearest != nullptr) all.push_back({series, nearest});
    }
  return all;
}

const judge::FarmChange* change_of(const FarmView& view, std::string_view alarm) {
  const auto found = std::ranges::find(view.farm.changes, alarm, &judge::FarmChange::alarm);
  return alarm.empty() || found == view.farm.changes.end() ? nullptr : &*found;
}

std::string value_text(const judge::FarmSeries& series, double value) {
  // A name of a metric that is no time says so: "a/b/c:bytes".
  return series.key.benchmark.find(':') == std::string::npos ? duration(value) : number(value);
}

std::string before_text(const SeriesChange& one) {
  return fmt::format("{} on {} before {}", value_text(*one.series, one.change->before),
                     shown_name(one.series->key.machine), one.change->started.substr(0, 10));
}

TableCell commits_cell(const results::CommitRange& commits) {
  TableCell cell(commits_text(commits));
  if (commits.to) cell.link = commit_address(*commits.to);
  return cell;
}

TableCell machine_cell(const std::string& machine) {
  TableCell cell(shown_name(machine));
  cell.link = machine_address(machine);
  return cell;
}

TableCell benchmark_cell(const results::SeriesKey& series) {
  TableCell cell(shown_name(series.benchmark));
  cell.link = series_address(series);
  return cell;
}

TableCell night_cell(const results::SessionRecord& session) {
  TableCell cell(session.started.substr(0, 16).c_str());
  std::ranges::replace(cell.text, 'T', ' ');
  if (session.wrong_clock) cell.text = fmt::format("{} by its clock", shown_name(session.started.substr(0, 10)));
  cell.link = night_address(session.path);
  return cell;
}

std::string doubt_of(const results::SessionRecord& session) {
  if (session.contradicted) return "another file has other contents of this session";
  return shown_name(session.skipped);
}

std::vector<const results::SessionRecord*> recent_doubts(const FarmView& view, int days) {
  std::vector<const results::SessionRecord*> doubts;
  std::string last;
  for (const judge::FarmMachine& machine : view.farm.machines) last = std::max(last, machine.last);
  const std::optional<std::time_t> end = seconds_of(last);
  if (!end) return doubts;
  const std::time_t begin = (*end / kDay - (days - 1)) * kDay;
  // Of a session whose clock was wrong, when its file came.
  const auto when = [](const results::SessionRecord& session) {
    const auto arrived = static_cast<std::time_t>(session.arrived / 1'000'000'000);
    return session.wrong_clock ? arrived : seconds_of(session.started).value_or(arrived);
  };
  for (const results::SessionRecord& session : view.sessions)
    if (when(session) >= begin && !doubt_of(session).empty()) doubts.push_back(&session);
  // Wrong clocks stay as they are; what is new is above them.
  std::ranges::stable_sort(doubts, std::ranges::greater(),
                           [&](const results::SessionRecord* one) { return std::pair(!one->wrong_clock, when(*one)); });
  return doubts;
}

Document live_document(std::string title, std::string lead) {
  Document document;
  document.title = std::move(title);
  document.lead = std::move(lead);
  document.pages.front().title = document.title;
  return document;
}

}  // namespace lab::report
