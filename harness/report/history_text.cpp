#include "harness/report/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/fit.h"
#include "harness/report/json_text.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// "4", or "4 to 9".
std::string from_to(std::size_t least, std::size_t most) {
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string change_text(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string commits_text(const results::CommitRange& commits) {
  const auto brief = [](const std::optional<std::string>& commit) {
    return commit ? results::short_commit(*commit) : "no git";
  };
  return commits.from == commits.to ? brief(commits.to) : fmt::format("{}..{}", brief(commits.from), brief(commits.to));
}

std::string verdict_text(const judge::LevelChange& change) {
  if (change.cause == "code") return change.regressed() ? "regressed" : "improved";
  const bool is_new = change.cause != "machine" && change.cause != "settings";
  return fmt::format("{}, {}{}", change.regressed() ? "worse" : "better", is_new ? "new " : "", change.cause);
}

std::string missing_text(const judge::JudgedRange& judged) {
  if (judged.nights_missing == 0) return "";
  return fmt::format("too young to tell{}: {}", judged.reason == judge::kSeedsReason ? " since its seed changed" : "",
                     counted(judged.nights_missing, "more night"));
}

std::string quiet_text(const judge::JudgedRange& judged, std::size_t nights) {
  if (judged.nights_missing > 0) return missing_text(judged);
  return fmt::format("no change from night {} to {}", judged.from + 1, nights + 1 - stats::ChangePointDetector::kPlain);
}

void UnchangedCounts::add(const judge::SeriesFindings& findings) {
  if (findings.judged.nights_missing > 0) return add(findings.judged);
  if (!findings.changes.empty() || !findings.metric_changes.empty()) return;
  const std::size_t before = findings.judged.from;
  fewest_before = quiet == 0 ? before : std::min(fewest_before, before);
  most_before = std::max(most_before, before);
  ++quiet;
}

void UnchangedCounts::add(const judge::JudgedRange& young_one) {
  const std::size_t missing = young_one.nights_missing;
  fewest_missing = young == 0 ? missing : std::min(fewest_missing, missing);
  most_missing = std::max(most_missing, missing);
  ++young;
}

std::string young_text(const UnchangedCounts& unchanged, std::string_view what) {
  if (unchanged.young == 0) return "";
  return fmt::format("{}{} too young to tell ({} more night{})", unchanged.young, what,
                     from_to(unchanged.fewest_missing, unchanged.most_missing), unchanged.most_missing == 1 ? "" : "s");
}

std::string unchanged_text(const UnchangedCounts& unchanged) {
  const std::size_t quiet = unchanged.quiet;
  if (quiet == 0) return young_text(unchanged, unchanged.young == 1 ? " benchmark" : " benchmarks");
  const std::string_view whose = quiet == 1 ? "its" : "their";
  return fmt::format("{} without a change between {} first {} nights and {} last {}{}{}", counted(quiet, "benchmark"),
                     whose, from_to(unchanged.fewest_before, unchanged.most_before), whose,
                     stats::ChangePointDetector::kPlain - 1, unchanged.young > 0 ? ", " : "",
                     young_text(unchanged, ""));
}

namespace {

/// Maximum rows of a machine's table; --json has all.
constexpr std::size_t kMostRows = 40;

/// One line of the table, for any kind of change.
struct ChangeRow {
  std::string started, verdict, benchmark, change, commits, found;
};

ChangeRow row_of(const std::string& benchmark, const judge::LevelChange& change) {
  std::string by = change_text(change.ratio);
  if (change.interval)
    by += fmt::format(" [{}, {}]", change_text(change.interval->low), change_text(change.interval->high));
  std::string found =
      fmt::format("{}, found after {}", change.started.substr(0, 10), counted(change.nights(), "night"));
  for (const std::string& what : change.changed) found += "; " + what;
  return {change.started, verdict_text(change), benchmark, by, commits_text(change.commits), found};
}

ChangeRow row_of(const std::string& benchmark, const judge::MetricChange& change) {
  return {change.started,
          "other metric",
          benchmark,
          fmt::format("{} {} -> {}", change.metric, change.before, change.after),
          commits_text(change.commits),
          change.started.substr(0, 10)};
}

/// The data shown for one machine.
struct MachineChanges {
  std::string id, first, last;
  std::size_t benchmarks = 0, sessions = 0;
  UnchangedCounts unchanged;
  std::map<std::string, std::size_t> verdicts;
  std::vector<ChangeRow> rows;
};

void add(const results::SeriesKey& series, const std::string& name, const judge::SeriesFindings& findings,
         MachineChanges& machine) {
  machine.first = machine.first.empty() ? findings.first : std::min(machine.first, findings.first);
  machine.last = std::max(machine.last, findings.last);
  machine.id = series.machine;
  machine.sessions = std::max(machine.sessions, findings.sessions);
  ++machine.benchmarks;
  machine.unchanged.add(findings);
  for (const judge::LevelChange& change : findings.changes) machine.rows.push_back(row_of(name, change));
  for (const judge::MetricChange& change : findings.metric_changes) machine.rows.push_back(row_of(name, change));
}

std::string text_of(MachineChanges& machine, std::size_t width) {
  std::string text;
  for (const ChangeRow& row : machine.rows) ++machine.verdicts[row.verdict];
  std::string verdict;
  for (const auto& [name, count] : machine.verdicts)
    verdict += fmt::format("{}{} {}", verdict.empty() ? "" : ", ", count, name);
  if (verdict.empty()) verdict = machine.unchanged.quiet > 0 ? "no change found" : "too young to tell";
  const auto add_line = [&](const std::string& line) { text += wrapped_after(line, width, 4) + "\n"; };
  add_line(fmt::format("machine {}: {}; {} in up to {}, {} to {}", machine.id, verdict,
                       counted(machine.benchmarks, "benchmark"), counted(machine.sessions, "session"),
                       machine.first.substr(0, 10), machine.last.substr(0, 10)));
  std::stable_sort(machine.rows.begin(), machine.rows.end(),
                   [](const ChangeRow& a, const ChangeRow& b) { return a.started > b.started; });
  const std::size_t shown = std::min(machine.rows.size(), kMostRows);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const ChangeRow& row = machine.rows[i];
    rows.push_back({"  " + row.verdict, row.benchmark, row.change, row.commits, row.found});
  }
  const Column prose{"", false, true};
  text += table_text({{""}, prose, prose, prose, prose}, rows, width);
  if (shown < machine.rows.size())
    text += fmt::format("  and {} earlier; --json lists all\n", counted(machine.rows.size() - shown, "change"));
  if (const std::string unchanged = unchanged_text(machine.unchanged); !unchanged.empty()) add_line("  " + unchanged);
  return text;
}

}  // namespace

std::string to_text(std::span<const judge::SeriesHistory> histories, std::size_t width) {
  std::map<std::pair<std::string, std::string>, std::size_t> versions;
  for (const judge::SeriesHistory& one : histories) ++versions[{one.series.machine, one.series.benchmark}];
  std::map<std::string, MachineChanges> machines;
  for (const auto& [series, findings, points] : histories) {
    const bool several = versions[{series.machine, series.benchmark}] > 1;
    add(series, several ? fmt::format("{} (version {})", series.benchmark, series.version) : series.benchmark, findings,
        machines[series.machine]);
  }
  std::string text;
  for (auto& [id, machine] : machines) text += text_of(machine, width);
  return text;
}

std::string to_json(const judge::SeriesHistory& history) {
  const auto& [series, findings, points] = history;
  json::array list, changes, metrics;
  list.reserve(points.size());
  for (const results::SeriesPoint& point : points)
    list.push_back(json::object{{"started", point.started},
                                {"commit", json::value_from(point.commit)},
                                {"median", point.median},
                                {"low", end_or_null(point.interval, &stats::Interval::low)},
                                {"high", end_or_null(point.interval, &stats::Interval::high)},
                                {"processes", point.processes},
                                {"session", point.session}});
  for (const judge::LevelChange& change : findings.changes) changes.push_back(judge::change_json(change));
  for (const judge::MetricChange& change : findings.metric_changes) metrics.push_back(judge::change_json(change));
  json::object object{{"benchmark", series.benchmark},
                      {"machine", series.machine},
                      {"version", series.version},
                      {"points", std::move(list)},
                      {"change_points", std::move(changes)},
                      {"metric_changes", std::move(metrics)},
                      {"reason", nullptr},
                      {"nights_missing", nullptr},
                      {"judged_from", nullptr}};
  if (const judge::JudgedRange& judged = findings.judged; judged.nights_missing > 0) {
    object["reason"] = judged.reason;
    object["nights_missing"] = judged.nights_missing;
  } else {
    object["judged_from"] = judged.from;
  }
  return json::serialize(object) + "\n";
}

std::string to_json(const judge::NightFitness& night) {
  json::array away, too_young;
  for (const judge::Outlier& one : night.outliers)
    away.push_back(json::object{{"benchmark", one.benchmark}, {"ratio", one.ratio}});
  UnchangedCounts unchanged;
  for (const judge::YoungBenchmark& one : night.too_young) {
    unchanged.add(one.judged);
    too_young.push_back(json::object{{"benchmark", one.benchmark},
                                     {"reason", one.judged.reason},
                                     {"nights_missing", one.judged.nights_missing},
                                     {"sentence", missing_text(one.judged)}});
  }
  const json::object object{{"session", night.session},
                            {"machine", night.machine},
                            {"fit", night.fit},
                            {"reason", text_or_null(night.reason)},
                            {"left_out", text_or_null(night.left_out)},
                            {"sentences", json::value_from(night.sentences)},
                            {"notes", json::value_from(night.notes)},
                            {"unusual", json::value_from(night.unusual)},
                            {"with_level", night.levels.with_level},
                            {"away", std::move(away)},
                            {"stayed", night.levels.stayed},
                            {"too_young", std::move(too_young)},
                            {"too_young_sentence", text_or_null(young_text(unchanged, ""))}};
  return json::serialize(object) + "\n";
}

std::string to_text(const judge::NightFitness& night) {
  std::string text = fmt::format("session {}: {}\n", night.session, night.fit ? "fit" : "unfit");
  for (const auto& [what, sentences] :
       {std::pair{"", &night.sentences}, {"", &night.notes}, {"unusual: ", &night.unusual}})
    for (const std::string& sentence : *sentences) text += fmt::format("  {}{}\n", what, sentence);
  for (const judge::Outlier& one : night.outliers)
    text += fmt::format("  outlier: {} {} from its level\n", one.benchmark, change_text(one.ratio));
  UnchangedCounts unchanged;
  for (const judge::YoungBenchmark& one : night.too_young) unchanged.add(one.judged);
  if (const std::string young = young_text(unchanged, ""); !young.empty()) text += fmt::format("  {}\n", young);
  return text;
}

}  // namespace lab::report
