// The pages and the data of LiveFarm.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <set>

#include "harness/app/live.h"
#include "harness/app/live_compare.h"
#include "harness/app/live_reader.h"
#include "harness/app/report_parts.h"
#include "harness/base/percent.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_text.h"
#include "harness/report/history_text.h"
#include "harness/report/html.h"
#include "harness/report/report.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// Charts of an alarm: more are not looked at.
constexpr std::size_t kMostAlarmCharts = 6;
/// Of one answer with lines of the grid.
constexpr std::size_t kMostSparkRows = 40, kMostSparkNights = 100;

Error no_such(std::string_view what, std::string_view found) {
  return Error{fmt::format("expected {} of this farm, found '{}'", what, report::shown_name(found)),
               "the front page lists what there is", ExitStatus::kUsage};
}

const std::string& value_of(const LiveFarm::Query& query, const std::string& name) {
  static const std::string kNone;
  const auto found = query.find(name);
  return found == query.end() ? kNone : found->second;
}

/// A number of a query; `otherwise` if it is missing or none.
std::size_t number_of(const LiveFarm::Query& query, const std::string& name, std::size_t otherwise) {
  const std::string& text = value_of(query, name);
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty() ? value : otherwise;
}

json::value parsed(std::string_view text) {
  boost::system::error_code problem;
  json::value value = json::parse(text, problem);
  return problem ? json::value() : value;
}

/// What `data` answers begins with the version of what it is of.
json::object versioned(const LiveState& state, json::object rest) {
  json::object object{{"version", state.version}};
  for (auto& [name, value] : rest) object[name] = std::move(value);
  return object;
}

const judge::FarmMachine* machine_of(const LiveState& state, const std::string& id) {
  const auto found = std::ranges::find(state.farm.machines, id, &judge::FarmMachine::id);
  return found == state.farm.machines.end() ? nullptr : &*found;
}

/// The commit that `text` is or begins; none if there is none or several.
std::optional<std::string> commit_of(const LiveState& state, const std::string& text) {
  constexpr std::size_t kShortest = 4;
  if (text.size() < kShortest) return std::nullopt;
  std::set<std::string_view> found;
  const auto look = [&](const std::string& commit) {
    if (commit.starts_with(text)) found.insert(commit);
  };
  for (const std::string& one : state.input.commits) look(one);
  for (const results::SessionRecord& one : state.input.sessions)
    if (one.commit) look(*one.commit);
  if (found.contains(text)) return text;
  return found.size() == 1 ? std::optional(std::string(*found.begin())) : std::nullopt;
}

Expected<const judge::FarmSeries*> series_of(const LiveState& state, const LiveFarm::Query& query) {
  const std::string &machine = value_of(query, "m"), &benchmark = value_of(query, "b");
  const int version = static_cast<int>(std::min<std::size_t>(number_of(query, "v", 0), 1'000'000'000));
  const judge::FarmSeries* const found = report::find_series(state.input.series, machine, benchmark, version);
  if (found == nullptr) return no_such("a series", fmt::format("{} on {}", benchmark, machine));
  return found;
}

}  // namespace

Expected<std::vector<judge::SeriesHistory>> LiveFarm::histories(const std::vector<const judge::FarmSeries*>& list) {
  return reader_->with([&](results::Store& store) -> Expected<std::vector<judge::SeriesHistory>> {
    std::vector<judge::SeriesHistory> all;
    for (const judge::FarmSeries* const one : list) {
      Expected<std::vector<results::SeriesPoint>> points = store.points(one->key);
      if (!points) return points.error();
      all.push_back(with_points(*one, std::move(*points)));
    }
    return all;
  });
}

Expected<report::Document> LiveFarm::alarm_page(const LiveState& state, const Query& query) {
  const std::string& id = value_of(query, "id");
  const auto alarm = std::ranges::find(state.input.alarms, id, &results::FarmAlarm::id);
  if (alarm == state.input.alarms.end()) return no_such("an alarm", id);
  const auto change = std::ranges::find(state.farm.changes, id, &judge::FarmChange::alarm);
  std::vector<const judge::FarmSeries*> shown;
  if (change != state.farm.changes.end())
    for (const std::string& benchmark : change->benchmarks)
      for (const std::string& machine : change->machines)
        if (const auto* one = report::find_series(state.input.series, machine, benchmark);
            one != nullptr && shown.size() < kMostAlarmCharts)
          shown.push_back(one);
  const Expected<std::vector<judge::SeriesHistory>> points = histories(shown);
  if (!points) return points.error();
  return report::alarm_page(state.view(), *alarm, *points);
}

Expected<report::Document> LiveFarm::series_page(const LiveState& state, const Query& query) {
  const Expected<const judge::FarmSeries*> series = series_of(state, query);
  if (!series) return series.error();
  Expected<std::vector<judge::SeriesHistory>> history = histories({*series});
  if (!history) return history.error();
  judge::SeriesHistory& shown = history->front();
  // Without what the machine's other series have in common, which takes seconds to learn: the page says so.
  shown.findings.seen = judge::smallest_detectable(shown.points, shown.findings.changes);
  return report::series_page(state.view(), shown, value_of(query, "from"), value_of(query, "to"));
}

Expected<report::Document> LiveFarm::compare_page(const LiveState& state, const Query& query) {
  const std::string &a = value_of(query, "a"), &b = value_of(query, "b");
  if (machine_of(state, a) != nullptr && machine_of(state, b) != nullptr) {
    const Expected<report::ComparedFarm> compared = compare_machines(state, *reader_, a, b);
    if (!compared) return compared.error();
    return report::compare_page(*compared);
  }
  const std::optional<std::string> left = commit_of(state, a), right = commit_of(state, b);
  if (b.empty() && (a.empty() || left || machine_of(state, a) != nullptr))
    return report::compare_choice_page(state.view(), machine_of(state, a) == nullptr && left ? *left : a,
                                       machine_of(state, a) != nullptr);
  if (!left || !right) return no_such("two machines or two commits", fmt::format("{}' and '{}", a, b));
  const Expected<report::ComparedFarm> compared = compare_commits(state, *reader_, *left, *right);
  if (!compared) return compared.error();
  return report::compare_page(*compared);
}

Expected<report::Document> LiveFarm::atlas_page() const {
  const Expected<ReportAtlas> atlas = farm_atlas(request_.results, request_.repository);
  if (!atlas) return atlas.error();
  const Expected<report::Background> background = report::load_background(request_.repository);
  if (!background) return background.error();
  report::Document document =
      report::report_document({nullptr, atlas->columns, nullptr, {}, {}, {}, atlas->memory}, *background);
  for (const auto& [machine, why] : atlas->omitted)
    document.alerts.push_back(
        {fmt::format("The atlas of {} is left out: {}.", report::shown_name(machine), report::shown_name(why)),
         report::machine_address(machine)});
  return document;
}

Expected<report::Document> LiveFarm::page(std::string_view view, const Query& query) {
  if (view == "atlas") return atlas_page();
  const Expected<std::shared_ptr<const LiveState>> known = this->known();
  if (!known) return known.error();
  const LiveState& state = **known;
  if (view.empty()) return report::front_page(state.view(), state.grid);
  if (view == "alarm") return alarm_page(state, query);
  if (view == "series") return series_page(state, query);
  if (view == "compare") return compare_page(state, query);
  if (view == "machine") {
    const judge::FarmMachine* const machine = machine_of(state, value_of(query, "id"));
    if (machine == nullptr) return no_such("a machine", value_of(query, "id"));
    return report::machine_page(state.view(), *machine);
  }
  if (view == "commit") {
    const std::optional<std::string> commit = commit_of(state, value_of(query, "sha"));
    if (!commit) return no_such("a commit", value_of(query, "sha"));
    return report::commit_page(state.view(), *commit);
  }
  return no_such("a page", view);
}

Expected<json::value> LiveFarm::sparks(const LiveState& state, const Query& query) {
  const std::size_t nights =
      std::clamp<std::size_t>(number_of(query, "nights", report::kGridNights), 1, kMostSparkNights);
  const report::GridRows wider =
      nights == report::kGridNights ? report::GridRows() : report::grid_rows(state.view(), static_cast<int>(nights));
  // In the order of the grid, whatever nights are asked for.
  report::GridRows rows = state.rows;
  if (nights != report::kGridNights) rows.nights = wider.nights;
  const std::size_t from = std::min(number_of(query, "from", 0), rows.benchmarks.size());
  const std::size_t to = std::clamp(number_of(query, "to", from + kMostSparkRows), from,
                                    std::min(rows.benchmarks.size(), from + kMostSparkRows));
  std::vector<results::SeriesKey> keys;
  for (std::size_t row = from; row < to; ++row)
    for (const judge::FarmSeries* const one : rows.cells[row])
      if (one != nullptr) keys.push_back(one->key);
  if (rows.nights.empty()) return versioned(state, {{"rows", json::array()}});
  const Expected<std::vector<results::TimedSeries>> levels =
      reader_->with([&](results::Store& store) { return store.levels(keys, rows.nights.front()); });
  if (!levels) return levels.error();
  return versioned(state, report::farm_sparks(rows, from, to, *levels));
}

Expected<json::value> LiveFarm::series(const LiveState& state, const Query& query) {
  const Expected<const judge::FarmSeries*> series = series_of(state, query);
  if (!series) return series.error();
  const Expected<std::vector<judge::SeriesHistory>> history = histories({*series});
  if (!history) return history.error();
  return versioned(state, {{"series", parsed(report::to_json(history->front()))}});
}

json::value LiveFarm::status(const LiveState& state) {
  json::array silent, running, remarks;
  for (const judge::FarmMachine& one : state.farm.machines)
    if (one.silent_days > 0) silent.emplace_back(one.id);
  for (const RunningSession& one : this->running()) running.push_back(running_json(one));
  for (const std::string& one : state.remarks) remarks.emplace_back(one);
  return versioned(state, {{"machines", state.farm.machines.size()},
                           {"benchmarks", state.farm.benchmarks},
                           {"series", state.input.series.size()},
                           {"sessions", state.input.sessions.size()},
                           {"alarms", std::ranges::count_if(state.input.alarms, &results::FarmAlarm::is_open)},
                           {"silent", std::move(silent)},
                           {"running", std::move(running)},
                           {"remarks", std::move(remarks)}});
}

Expected<json::value> LiveFarm::data(std::string_view name, const Query& query) {
  const Expected<std::shared_ptr<const LiveState>> known = this->known();
  if (!known) return known.error();
  const LiveState& state = **known;
  if (name == "grid") return json::value(state.grid);
  if (name == "sparks") return sparks(state, query);
  if (name == "series") return series(state, query);
  if (name == "status") return status(state);
  if (name == "farm")
    return json::value(versioned(state, parsed(report::to_json(state.farm, state.input.alarms)).as_object()));
  return no_such("data", name);
}

Expected<std::string> LiveFarm::path_of(const std::string& session) const {
  const Expected<std::shared_ptr<const LiveState>> known = this->known();
  if (!known) return known.error();
  for (const results::SessionRecord& one : (*known)->input.sessions)
    if (one.path == session || one.session == session) return one.path;
  return no_such("a session", session);
}

Expected<std::map<std::string, std::string>> LiveFarm::night(const std::string& path) {
  Expected<std::map<std::string, std::string>> files = report_of(path);
  // All points of a machine were in memory. A server lives for months, so it gives that back to the system.
  ::malloc_trim(0);
  return files;
}

Expected<std::map<std::string, std::string>> LiveFarm::report_of(const std::string& path) {
  const Expected<std::shared_ptr<const LiveState>> known = this->known();
  if (!known) return known.error();
  const LiveState& state = **known;
  const auto session = std::ranges::find(state.input.sessions, path, &results::SessionRecord::path);
  if (session == state.input.sessions.end()) return no_such("a session", path);
  std::vector<const judge::FarmSeries*> list;
  for (const judge::FarmSeries& one : state.input.series)
    if (one.key.machine == session->machine) list.push_back(&one);
  const Expected<std::vector<judge::SeriesHistory>> of_machine = histories(list);
  const Expected<ReportParts> parts =
      report_parts({request_.results / path, request_.repository, {}, false, [&](const std::string&) {
                      // A report is possible without them.
                      return of_machine ? *of_machine : std::vector<judge::SeriesHistory>{};
                    }});
  if (!parts) return parts.error();
  const Expected<report::Background> background = report::load_background(request_.repository);
  if (!background) return background.error();
  report::Document document = report::report_document(parts->input(), *background);
  const std::string day = session->started.substr(0, 10), name = report::shown_name(session->machine);
  document.above = report::Link{fmt::format("{}, night of {}", name, day),
                                fmt::format("../../../machine?id={}", percent_encoded(session->machine))};
  if (!session->skipped.empty())
    document.alerts.insert(
        document.alerts.begin(),
        {fmt::format("This session is in no series: {}.", report::shown_name(session->skipped)), "session"});
  std::map<std::string, std::string> files = report::shared_files();
  for (const report::Page& page : document.pages) files[page.name + ".html"] = report::to_html(document, page, {});
  for (const report::Matrix* const matrix : report::matrices_of(document)) files[matrix->name + ".csv"] = matrix->csv;
  for (const report::Picture* const picture : report::pictures_of(document))
    files[picture->name + ".png"] = picture->png;
  return files;
}

std::vector<RunningSession> LiveFarm::running() {
  const std::lock_guard lock(running_mutex_);
  return running_.in(request_.results);
}

}  // namespace lab::app
