// history: what changed from session to session, by how much, and between which commits. A view: it ends with 0
// whatever it shows; nightly is what fails on a new regression.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <set>

#include "harness/base/fit.h"
#include "harness/base/glob.h"
#include "harness/base/layout.h"
#include "harness/base/nearest.h"
#include "harness/base/terminal.h"
#include "harness/cli/commands.h"
#include "harness/cli/talk.h"
#include "harness/judge/index.h"
#include "harness/judge/night.h"
#include "harness/report/history_text.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using judge::Change;
using judge::Findings;
using judge::Index;
using judge::MetricChange;
using judge::Point;
using judge::Series;

/// Rows of a machine's table; --json has them all.
constexpr std::size_t kMostRows = 40;

/// One line of the table, whichever kind of change it is.
struct Row {
  std::string started, verdict, benchmark, change, commits, found;
};

Row row_of(const std::string& benchmark, const Change& change) {
  std::string by = report::change_text(change.ratio);
  if (change.interval) by += fmt::format(" [{}, {}]", report::change_text(change.interval->low), report::change_text(change.interval->high));
  std::string found =
      fmt::format("{}, found after {}", change.started.substr(0, 10), counted(change.nights(), "night", "nights"));
  for (const std::string& what : change.changed) found += "; " + what;
  return {change.started, report::verdict_text(change), benchmark, by, report::commits_text(change.commits), found};
}

Row row_of(const std::string& benchmark, const MetricChange& change) {
  return {change.started,
          "other metric",
          benchmark,
          fmt::format("{} {} -> {}", change.metric, change.before, change.after),
          report::commits_text(change.commits),
          change.started.substr(0, 10)};
}

/// What is shown of one machine.
struct Machine {
  std::string id, first, last;
  std::size_t benchmarks = 0, sessions = 0;
  report::Unchanged unchanged;
  std::map<std::string, std::size_t> verdicts;
  std::vector<Row> rows;
};

void add(const Series& series, const std::string& name, const Findings& findings, Machine& machine) {
  machine.first = machine.first.empty() ? findings.first : std::min(machine.first, findings.first);
  machine.last = std::max(machine.last, findings.last);
  machine.id = series.machine;
  machine.sessions = std::max(machine.sessions, findings.sessions);
  ++machine.benchmarks;
  machine.unchanged.add(findings);
  for (const Change& change : findings.changes) machine.rows.push_back(row_of(name, change));
  for (const MetricChange& change : findings.metric_changes) machine.rows.push_back(row_of(name, change));
}

void print(Machine& machine) {
  for (const Row& row : machine.rows) ++machine.verdicts[row.verdict];
  std::string verdict;
  for (const auto& [name, count] : machine.verdicts)
    verdict += fmt::format("{}{} {}", verdict.empty() ? "" : ", ", count, name);
  if (verdict.empty()) verdict = machine.unchanged.quiet > 0 ? "no change where it could be seen" : "too young to tell";
  const std::size_t width = output_width(STDOUT_FILENO);
  const auto say = [&](const std::string& line) { fmt::print("{}\n", wrapped_after(line, width, 4)); };
  say(fmt::format("machine {}: {}; {} in up to {}, {} to {}", machine.id, verdict,
                  counted(machine.benchmarks, "benchmark", "benchmarks"),
                  counted(machine.sessions, "session", "sessions"), machine.first.substr(0, 10),
                  machine.last.substr(0, 10)));
  std::stable_sort(machine.rows.begin(), machine.rows.end(),
                   [](const Row& a, const Row& b) { return a.started > b.started; });
  const std::size_t shown = std::min(machine.rows.size(), kMostRows);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = machine.rows[i];
    rows.push_back({"  " + row.verdict, row.benchmark, row.change, row.commits, row.found});
  }
  const Column prose{"", false, true};
  fmt::print("{}", table_text({{""}, prose, prose, prose, prose}, rows, width));
  if (shown < machine.rows.size())
    fmt::print("  and {} before: --json has them all\n", counted(machine.rows.size() - shown, "change", "changes"));
  if (const std::string text = report::unchanged_text(machine.unchanged); !text.empty()) say("  " + text);
}

json::value number_or_null(const std::optional<stats::Interval>& interval, double stats::Interval::*end) {
  return interval ? json::value((*interval).*end) : json::value(nullptr);
}

json::object commits_json(const judge::CommitRange& commits) {
  const auto sha = [](const std::string& commit) {
    return commit.empty() ? json::value(nullptr) : json::value(commit);
  };
  return {{"from", sha(commits.from)}, {"to", sha(commits.to)}};
}

json::object change_json(const Change& change) {
  json::array changed;
  for (const std::string& what : change.changed) changed.emplace_back(what);
  return {{"index", change.index},
          {"detected_at", change.detected_at},
          {"before", change.before},
          {"after", change.after},
          {"ratio", change.ratio},
          {"low", number_or_null(change.interval, &stats::Interval::low)},
          {"high", number_or_null(change.interval, &stats::Interval::high)},
          {"confidence", change.confidence},
          {"nights", change.nights()},
          {"started", change.started},
          {"earliest", change.earliest},
          {"latest", change.latest},
          {"commits", commits_json(change.commits)},
          {"cause", change.cause},
          {"changed", std::move(changed)}};
}

void print_json(const Series& series, const std::vector<Point>& points, const Findings& findings) {
  json::array list, changes, metrics;
  list.reserve(points.size());
  for (const Point& point : points)
    list.push_back(json::object{{"started", point.started},
                                {"commit", point.commit ? json::value(*point.commit) : json::value(nullptr)},
                                {"median", point.median},
                                {"low", number_or_null(point.interval, &stats::Interval::low)},
                                {"high", number_or_null(point.interval, &stats::Interval::high)},
                                {"processes", point.processes},
                                {"session", point.session}});
  for (const Change& change : findings.changes) changes.push_back(change_json(change));
  for (const MetricChange& change : findings.metric_changes)
    metrics.push_back(json::object{{"index", change.index},
                                   {"metric", change.metric},
                                   {"before", change.before},
                                   {"after", change.after},
                                   {"commits", commits_json(change.commits)}});
  json::object object{{"benchmark", series.benchmark},      {"machine", series.machine},
                      {"version", series.version},          {"points", std::move(list)},
                      {"change_points", std::move(changes)}, {"metric_changes", std::move(metrics)},
                      {"reason", nullptr},                  {"nights_missing", nullptr},
                      {"judged_from", nullptr}};
  if (const judge::Judged& judged = findings.judged; judged.nights_missing > 0) {
    object["reason"] = judged.reason;
    object["nights_missing"] = judged.nights_missing;
  } else {
    object["judged_from"] = judged.from;
  }
  fmt::print("{}\n", json::serialize(object));
}

void show(const judge::Progress& progress, StatusLine& line) {
  if (progress.waiting) return line.print("history: waiting for another process that reads the same results");
  line.show(fmt::format("history: {}/{} results read", progress.done, progress.all));
}

/// What the user should know beside the table.
Expected<void> tell(Index& index, StatusLine& line) {
  const judge::Progress& reading = index.reading();
  if (reading.seconds >= 1)
    line.print(fmt::format("history: {}, {:.0f} MB, read in {}", counted(reading.done, "result", "results"),
                           static_cast<double>(reading.bytes) / 1e6, duration_text(reading.seconds)));
  const auto remarks = index.remarks();
  if (!remarks) return remarks.error();
  for (const std::string& sentence : *remarks) line.print(fmt::format("history: {}", sentence));
  const auto skipped = index.skipped();
  if (!skipped) return skipped.error();
  for (const auto& [reason, count] : *skipped)
    line.print(fmt::format("history: left out: {}: {}", counted(count, "result", "results"), reason));
  return {};
}

/// Of a folder without a series: no error for a script whose first night is still to come.
Expected<void> explain_none(Index& index, const fs::path& results, bool for_script) {
  const Expected<std::size_t> unreadable = index.unreadable();
  if (!unreadable) return unreadable.error();
  // Whoever names a machine's own folder means the one above.
  std::error_code problem;
  const bool holds_results = std::any_of(fs::directory_iterator(results, problem), fs::directory_iterator(),
                                         [](const auto& entry) { return entry.path().extension() == ".json"; });
  if (for_script && *unreadable == 0 && !holds_results) return {};
  return Error{fmt::format("expected results in '{}', found none that a history can be made of",
                           (results / "<machine>").string()),
               holds_results ? fmt::format("--results {}", fs::absolute(results).parent_path().string())
                             : "python3 make.py run",
               ExitStatus::kUsage};
}

/// The series that `glob` selects; a benchmark whose workload changed has one for each version.
Expected<std::vector<Series>> selected(Index& index, const fs::path& results, const std::optional<std::string>& glob,
                                       bool for_script) {
  Expected<std::vector<Series>> all = index.series();
  if (!all) return all;
  if (all->empty()) {
    const Expected<void> explained = explain_none(index, results, for_script);
    return explained ? all : explained.error();
  }
  if (!glob) return all;
  std::set<std::string> names;
  for (const Series& series : *all) names.insert(series.benchmark);
  std::erase_if(*all, [&](const Series& series) { return !glob_matches(*glob, series.benchmark); });
  if (!all->empty()) return all;
  const std::string near = nearest_name(*glob, std::vector<std::string>(names.begin(), names.end()));
  return Error{fmt::format("no benchmark in '{}' matches '{}'", results.string(), *glob),
               near.empty() ? "leave it out: history shows them all" : fmt::format("did you mean '{}'?", near),
               ExitStatus::kUsage};
}

Expected<void> print_series(Index& index, const std::vector<Series>& list) {
  for (const Series& series : list) {
    const Expected<Findings> findings = index.findings(series);
    if (!findings) return findings.error();
    const Expected<std::vector<Point>> points = index.points(series);
    if (!points) return points.error();
    print_json(series, *points, *findings);
  }
  return {};
}

Expected<void> print_tables(Index& index, const std::vector<Series>& list) {
  std::map<std::pair<std::string, std::string>, std::size_t> versions;
  for (const Series& series : list) ++versions[{series.machine, series.benchmark}];
  std::map<std::string, Machine> machines;
  for (const Series& series : list) {
    const Expected<Findings> findings = index.findings(series);
    if (!findings) return findings.error();
    const bool several = versions[{series.machine, series.benchmark}] > 1;
    add(series, several ? fmt::format("{} (version {})", series.benchmark, series.version) : series.benchmark,
        *findings, machines[series.machine]);
  }
  for (auto& [id, machine] : machines) print(machine);
  return {};
}

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

void print_json(const judge::JudgedNight& night) {
  json::array away, too_young;
  for (const judge::Away& one : night.away)
    away.push_back(json::object{{"benchmark", one.benchmark}, {"ratio", one.ratio}});
  report::Unchanged unchanged;
  for (const judge::TooYoung& one : night.too_young) {
    unchanged.add(one.judged);
    too_young.push_back(json::object{{"benchmark", one.benchmark},
                                     {"reason", one.judged.reason},
                                     {"nights_missing", one.judged.nights_missing},
                                     {"sentence", report::missing_text(one.judged)}});
  }
  fmt::print("{}\n", json::serialize(json::object{{"session", night.session},
                                                  {"machine", night.machine},
                                                  {"fit", night.fit},
                                                  {"reason", text_or_null(night.reason)},
                                                  {"left_out", text_or_null(night.left_out)},
                                                  {"sentences", json::value_from(night.sentences)},
                                                  {"notes", json::value_from(night.notes)},
                                                  {"unusual", json::value_from(night.unusual)},
                                                  {"with_level", night.standings.with_level},
                                                  {"away", std::move(away)},
                                                  {"stayed", night.standings.stayed},
                                                  {"too_young", std::move(too_young)},
                                                  {"too_young_sentence", text_or_null(young_text(unchanged, ""))}}));
}

void print(const judge::JudgedNight& night) {
  fmt::print("session {}: {}\n", night.session, night.fit ? "fit" : "unfit");
  for (const auto& [what, sentences] :
       {std::pair{"", &night.sentences}, {"", &night.notes}, {"unusual: ", &night.unusual}})
    for (const std::string& sentence : *sentences) fmt::print("  {}{}\n", what, sentence);
  for (const judge::Away& one : night.away)
    fmt::print("  far from its level: {} {}\n", one.benchmark, report::change_text(one.ratio));
  report::Unchanged unchanged;
  for (const judge::TooYoung& one : night.too_young) unchanged.add(one.judged);
  if (const std::string young = young_text(unchanged, ""); !young.empty()) fmt::print("  {}\n", young);
}

/// What --night asks for: a session beside the nights before it.
Expected<void> print_night(Index& index, const std::string& file, bool for_script) {
  const Expected<results::Result> result = results::load_result(file);
  if (!result) return result.error();
  const Expected<judge::JudgedNight> night = judge::judge_night(index, *result);
  if (!night) return night.error();
  for_script ? print_json(*night) : print(*night);
  return {};
}

Expected<ExitStatus> run(const Options& options) {
  if (!options.positional().empty())
    return Error{fmt::format("history takes no argument, found '{}'", options.positional().front()),
                 "python3 make.py history --results DIR", ExitStatus::kUsage};
  const fs::path results = options.value("--results").value_or(results_dir().string());
  StatusLine line(STDERR_FILENO);
  Expected<Index> index = Index::open(results, [&](const judge::Progress& progress) { show(progress, line); });
  line.clear();
  if (!index) return index.error();
  if (const Expected<void> told = tell(*index, line); !told) return told.error();
  const bool for_script = options.has("--json");
  const std::optional<std::string> file = options.value("--night");
  if (file && options.has("--benchmark"))
    return usage_error("--night judges a whole session, --benchmark shows one series", "give one of them");
  if (file) {
    const Expected<void> printed = print_night(*index, *file, for_script);
    if (!printed) return printed.error();
    return ExitStatus::kOk;
  }
  const Expected<std::vector<Series>> list = selected(*index, results, options.value("--benchmark"), for_script);
  if (!list) return list.error();
  const Expected<void> printed = for_script ? print_series(*index, *list) : print_tables(*index, *list);
  if (!printed) return printed.error();
  return ExitStatus::kOk;
}

}  // namespace

Command history_command() {
  return {"history",
          "[--benchmark GLOB | --night SESSION.json] [--results DIR] [--json]",
          "what changed, night by night, and between which commits",
          {{"--benchmark", "GLOB", "only what matches, as family/variant/workload or its first parts"},
           {"--night", "FILE", "whether this session is fit, and what is far from its level or too young"},
           {"--results", "DIR", "the folder of the machines' folders (default: results)"},
           {"--json", "", "one object a benchmark and machine, with all points; none before a result"}},
          run};
}

}  // namespace lab::cli
