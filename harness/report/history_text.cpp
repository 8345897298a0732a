#include "harness/report/history_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/fit.h"
#include "harness/base/utc.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/json_text.h"
#include "harness/report/night_text.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// "4", or "4 to 9".
std::string from_to(std::size_t least, std::size_t most) {
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

/// " (a step of 1.2 to 5 % is alarmed within 5 nights in 4 of 5 cases)"; "" if that is unknown.
std::string seen_text(const UnchangedCounts& unchanged) {
  if (unchanged.most_seen <= 0) return "";
  const std::string least = significant(100 * unchanged.least_seen, 2);
  const std::string most = significant(100 * unchanged.most_seen, 2);
  const std::string of = unchanged.asked < unchanged.quiet ? fmt::format(", by {} of them", unchanged.asked) : "";
  return fmt::format(" (a step of {}{} % is alarmed within {} nights in {} cases{})",
                     least == most ? "" : least + " to ", most, stats::ChangePointDetector::kPlain, kPowerText, of);
}

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
      fmt::format("{}, {} after {}", change.started.substr(0, 10), change.in_hindsight ? "seen in hindsight" : "found",
                  counted(change.nights(), "night"));
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

ChangeRow row_of(const std::string& benchmark, const judge::SeriesPattern& pattern) {
  return {pattern.noise_started,
          "noise",
          benchmark,
          fmt::format("{} times as wide", significant(pattern.noise_ratio, 2)),
          "",
          pattern.noise_started.substr(0, 10)};
}

/// The data shown for one machine.
struct MachineChanges {
  std::string id, first, last;
  std::size_t benchmarks = 0, sessions = 0;
  UnchangedCounts unchanged;
  std::map<std::string, std::size_t> verdicts;
  std::vector<ChangeRow> rows;
  std::set<std::string> hosts;  ///< that took turns
};

void add(const results::SeriesKey& series, const std::string& name, const judge::SeriesFindings& findings,
         MachineChanges& machine) {
  machine.first = machine.first.empty() ? findings.first : std::min(machine.first, findings.first);
  machine.last = std::max(machine.last, findings.last);
  machine.id = series.machine;
  machine.sessions = std::max(machine.sessions, findings.sessions);
  ++machine.benchmarks;
  machine.unchanged.add(findings);
  machine.hosts.insert(findings.hosts.begin(), findings.hosts.end());
  for (const judge::LevelChange& change : findings.changes) machine.rows.push_back(row_of(name, change));
  if (findings.pattern.noise_at) machine.rows.push_back(row_of(name, findings.pattern));
  for (const judge::MetricChange& change : findings.metric_changes) machine.rows.push_back(row_of(name, change));
}

/// A nightly machine without a session for so many days is silent.
constexpr int kSilentDays = 3;

/// Whole days from `started` (RFC 3339 in UTC) to `now`; 0 if either is unknown.
int days_between(const std::string& started, std::time_t now) {
  const std::optional<std::time_t> from = seconds_of(started);
  constexpr std::time_t kDay = 24 * 60 * 60;
  return now == 0 || !from ? 0 : static_cast<int>((now - *from) / kDay);
}

/// "a and b", or "a, b, c and 9 others"
std::string hosts_text(const std::set<std::string>& hosts) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names(hosts.begin(), hosts.end());
  if (names.size() <= kNamed + 1) return enumerated(names);
  const std::size_t others = names.size() - kNamed;
  names.resize(kNamed);
  names.push_back(fmt::format("{} others", others));
  return enumerated(names);
}

std::string text_of(MachineChanges& machine, std::size_t width, std::time_t now) {
  std::string text;
  for (const ChangeRow& row : machine.rows) ++machine.verdicts[row.verdict];
  std::string verdict;
  for (const auto& [name, count] : machine.verdicts)
    verdict += fmt::format("{}{} {}", verdict.empty() ? "" : ", ", count, name);
  const UnchangedCounts& unchanged_ones = machine.unchanged;
  if (verdict.empty())
    verdict = unchanged_ones.quiet + unchanged_ones.switching + unchanged_ones.drifting > 0 ? "no change found"
                                                                                            : "too young to tell";
  const auto add_line = [&](const std::string& line) { text += wrapped_after(line, width, 4) + "\n"; };
  add_line(fmt::format("machine {}: {}; {} in up to {}, {} to {}", machine.id, verdict,
                       counted(machine.benchmarks, "benchmark"), counted(machine.sessions, "session"),
                       machine.first.substr(0, 10), machine.last.substr(0, 10)));
  std::ranges::stable_sort(machine.rows, std::greater<>(), &ChangeRow::started);
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
  if (!machine.hosts.empty())
    add_line(
        fmt::format("  {} hosts took turns in one history, {}: their differences hide changes; give each a name of its "
                    "own with LAB_MACHINE",
                    machine.hosts.size(), hosts_text(machine.hosts)));
  if (const int days = days_between(machine.last, now); days >= kSilentDays)
    add_line(fmt::format("  silent for {} days: no session since {}", days, machine.last.substr(0, 10)));
  return text;
}

}  // namespace

std::string change_text(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string short_name(const std::optional<std::string>& commit) {
  return commit ? results::short_commit(*commit) : "no git";
}

std::string commits_text(const results::CommitRange& commits) {
  const std::string to = short_name(commits.to);
  return commits.from == commits.to ? to : fmt::format("{}..{}", short_name(commits.from), to);
}

std::string verdict_text(const judge::LevelChange& change) {
  if (change.cause == judge::kCodeCause) return change.regressed() ? "regressed" : "improved";
  const bool is_new =
      change.cause != judge::kMachineCause && change.cause != judge::kEitherCause && change.cause != "settings";
  return fmt::format("{}, {}{}", change.regressed() ? "worse" : "better", is_new ? "new " : "", change.cause);
}

std::string missing_text(const judge::JudgedRange& judged) {
  if (judged.nights_missing == 0) return "";
  constexpr std::size_t kEnough = stats::ChangePointDetector::kEnough;
  return fmt::format("too young to tell{}: {} of {} nights",
                     judged.reason == judge::kSeedsReason ? " since its seed changed" : "",
                     kEnough - std::min(kEnough, judged.nights_missing), kEnough);
}

std::string pattern_text(const judge::SeriesPattern& pattern) {
  return pattern.switching ? "switches between two levels" : pattern.drifting ? "drifts" : "";
}

std::string quiet_text(const judge::JudgedRange& judged, std::size_t nights) {
  if (judged.nights_missing > 0) return missing_text(judged);
  return fmt::format("no change from night {} to {}", judged.from + 1, nights + 1 - stats::ChangePointDetector::kPlain);
}

void UnchangedCounts::add(const judge::SeriesFindings& findings) {
  if (findings.judged.nights_missing > 0) return add(findings.judged);
  if (findings.pattern.switching) return static_cast<void>(++switching);
  if (findings.pattern.drifting) return static_cast<void>(++drifting);
  if (!findings.changes.empty() || !findings.metric_changes.empty()) return;
  const std::size_t before = findings.judged.from;
  fewest_before = quiet == 0 ? before : std::min(fewest_before, before);
  most_before = std::max(most_before, before);
  ++quiet;
  if (!findings.seen) return;
  least_seen = asked == 0 ? *findings.seen : std::min(least_seen, *findings.seen);
  most_seen = std::max(most_seen, *findings.seen);
  ++asked;
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
  std::vector<std::string> parts;
  const auto add = [&parts](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  const auto add_count = [&](std::size_t count, std::string_view one, std::string_view more) {
    if (count > 0) add(fmt::format("{} {}", counted(count, "benchmark"), count == 1 ? one : more));
  };
  const std::string_view whose = quiet == 1 ? "its" : "their";
  if (quiet > 0)
    add(fmt::format("{} without a change between {} first {} nights and {} last {}{}", counted(quiet, "benchmark"),
                    whose, from_to(unchanged.fewest_before, unchanged.most_before), whose,
                    stats::ChangePointDetector::kPlain - 1, seen_text(unchanged)));
  add(young_text(unchanged, quiet > 0 ? "" : unchanged.young == 1 ? " benchmark" : " benchmarks"));
  add_count(unchanged.switching, "switches between two levels", "switch between two levels");
  add_count(unchanged.drifting, "drifts", "drift");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string to_text(std::span<const judge::SeriesHistory> histories, std::size_t width, std::time_t now) {
  std::map<std::pair<std::string, std::string>, std::size_t> versions;
  for (const judge::SeriesHistory& one : histories) ++versions[{one.series.machine, one.series.benchmark}];
  std::map<std::string, MachineChanges> machines;
  for (const auto& [series, findings, points] : histories) {  // the text needs no points, which may be left out
    const bool several = versions[{series.machine, series.benchmark}] > 1;
    add(series, several ? fmt::format("{} (version {})", series.benchmark, series.version) : series.benchmark, findings,
        machines[series.machine]);
  }
  std::string text;
  for (auto& [id, machine] : machines) text += text_of(machine, width, now);
  return text;
}

std::string to_json(const judge::SeriesHistory& history) {
  const auto& [series, findings, points] = history;
  json::array list, changes, hindsight, metrics;
  list.reserve(points.size());
  for (const results::SeriesPoint& point : points)
    list.push_back(json::object{{"started", point.started},
                                {"commit", json::value_from(point.commit)},
                                {"median", point.median},
                                {"low", end_or_null(point.interval, &stats::Interval::low)},
                                {"high", end_or_null(point.interval, &stats::Interval::high)},
                                {"processes", point.processes},
                                {"session", point.session}});
  for (const judge::LevelChange& change : findings.changes)
    (change.in_hindsight ? hindsight : changes).push_back(judge::change_json(change));
  for (const judge::MetricChange& change : findings.metric_changes) metrics.push_back(judge::change_json(change));
  json::object object{{"benchmark", series.benchmark},
                      {"machine", series.machine},
                      {"version", series.version},
                      {"points", std::move(list)},
                      {"change_points", std::move(changes)},
                      {"hindsight", std::move(hindsight)},
                      {"switching", findings.pattern.switching},
                      {"drifting", findings.pattern.drifting},
                      {"noise", findings.pattern.noise_at ? json::value(findings.pattern.noise_ratio) : json::value()},
                      {"metric_changes", std::move(metrics)},
                      {"hosts", json::value_from(findings.hosts)},
                      {"reason", nullptr},
                      {"nights_missing", nullptr},
                      {"judged_from", nullptr},
                      {"seen", findings.seen ? json::value(*findings.seen) : json::value()}};
  if (const judge::JudgedRange& judged = findings.judged; judged.nights_missing > 0) {
    object["reason"] = judged.reason;
    object["nights_missing"] = judged.nights_missing;
  } else {
    object["judged_from"] = judged.from;
  }
  return json::serialize(object) + "\n";
}

std::string to_csv(const judge::SeriesHistory& history) {
  const auto quoted = [](const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string all = "\"";
    for (const char c : text) all += c == '"' ? "\"\"" : std::string(1, c);
    return all + "\"";
  };
  const auto end = [](const results::SeriesPoint& point, double stats::Interval::*which) {
    return point.interval ? fmt::format("{}", (*point.interval).*which) : std::string();
  };
  std::string rows;
  for (const results::SeriesPoint& point : history.points)
    rows += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\r\n", quoted(history.series.machine), quoted(history.series.benchmark),
        history.series.version, quoted(point.session), quoted(point.started), point.commit.value_or(""), point.median,
        end(point, &stats::Interval::low), end(point, &stats::Interval::high), point.processes, point.executable);
  return rows;
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
  const NightSentences sentences = night_sentences(night);
  const json::object object{{"session", night.session},
                            {"machine", night.machine},
                            {"fit", night.fit},
                            {"reason", text_or_null(night.reason)},
                            {"left_out", text_or_null(night.left_out)},
                            {"sentences", json::value_from(sentences.unfit)},
                            {"notes", json::value_from(sentences.notes)},
                            {"unusual", json::value_from(sentences.unusual)},
                            {"with_level", night.levels.with_level},
                            {"away", std::move(away)},
                            {"stayed", night.levels.stayed},
                            {"too_young", std::move(too_young)},
                            {"too_young_sentence", text_or_null(young_text(unchanged, ""))}};
  return json::serialize(object) + "\n";
}

std::string to_text(const judge::NightFitness& night) {
  std::string text = fmt::format("session {}: {}\n", night.session, night.fit ? "fit" : "unfit");
  const auto& [unfit, notes, unusual] = night_sentences(night);
  for (const auto& [what, sentences] : {std::pair{"", &unfit}, {"", &notes}, {"unusual: ", &unusual}})
    for (const std::string& sentence : *sentences) text += fmt::format("  {}{}\n", what, sentence);
  for (const judge::Outlier& one : night.outliers)
    text += fmt::format("  outlier: {} {} from its level\n", one.benchmark, change_text(one.ratio));
  UnchangedCounts unchanged;
  for (const judge::YoungBenchmark& one : night.too_young) unchanged.add(one.judged);
  if (const std::string young = young_text(unchanged, ""); !young.empty()) text += fmt::format("  {}\n", young);
  return text;
}

}  // namespace lab::report
