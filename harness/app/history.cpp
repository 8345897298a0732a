#include "harness/app/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/glob.h"
#include "harness/base/nearest.h"
#include "harness/base/parallel.h"
#include "harness/base/terminal.h"
#include "harness/judge/changes.h"
#include "harness/results/result.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using results::SeriesKey;
using results::Store;

Expected<void> report_remarks(Store& store, const HistoryObserver& observer) {
  if (!observer.on_remark) return {};
  const results::StoreProgress& reading = store.reading();
  if (reading.seconds >= 1)
    observer.on_remark(fmt::format("{}, {:.0f} MB, read in {}", counted(reading.done, "result"),
                                   static_cast<double>(reading.bytes) / 1e6, duration_text(reading.seconds)));
  const auto remarks = store.remarks();
  if (!remarks) return remarks.error();
  for (const std::string& sentence : *remarks) observer.on_remark(sentence);
  const auto skipped = store.skipped();
  if (!skipped) return skipped.error();
  for (const auto& [reason, count] : *skipped)
    observer.on_remark(fmt::format("ignored: {}: {}", counted(count, "result"), reason));
  return {};
}

/// Explains a folder without series; with `may_be_empty`, no error before a script's first night.
Expected<void> explain_none(Store& store, const fs::path& results, bool may_be_empty) {
  const Expected<std::size_t> unreadable = store.unreadable();
  if (!unreadable) return unreadable.error();
  // A machine's own folder was given instead of its parent.
  std::error_code problem;
  const bool holds_results =
      std::any_of(fs::directory_iterator(results, problem), fs::directory_iterator(),
                  [](const auto& entry) { return results::is_result_name(entry.path().native()); });
  if (may_be_empty && *unreadable == 0 && !holds_results) return {};
  return Error{
      fmt::format("expected results in '{}', found none usable for a history", (results / "<machine>").string()),
      holds_results ? fmt::format("--results {}", fs::absolute(results).parent_path().string()) : "python3 make.py run",
      ExitStatus::kUsage};
}

/// The series that `glob` selects; a benchmark whose workload changed has one per version.
Expected<std::vector<SeriesKey>> selected(Store& store, const fs::path& results, const std::optional<std::string>& glob,
                                          bool may_be_empty) {
  Expected<std::vector<SeriesKey>> all = store.series();
  if (!all) return all;
  if (all->empty()) {
    const Expected<void> explained = explain_none(store, results, may_be_empty);
    return explained ? all : explained.error();
  }
  if (!glob) return all;
  std::set<std::string> names;
  for (const SeriesKey& series : *all) names.insert(series.benchmark);
  std::erase_if(*all, [&](const SeriesKey& series) { return !glob_matches(*glob, series.benchmark); });
  if (!all->empty()) return all;
  const std::string near = nearest_name(*glob, std::vector<std::string>(names.begin(), names.end()));
  return Error{fmt::format("no benchmark in '{}' matches '{}'", results.string(), *glob),
               near.empty() ? "omit --benchmark to show all" : fmt::format("did you mean '{}'?", near),
               ExitStatus::kUsage};
}

/// The histories of `series`. Without `with_points`, their points stay empty.
Expected<std::vector<judge::SeriesHistory>> load_histories(Store& store, const std::vector<SeriesKey>& list,
                                                           bool with_points) {
  std::vector<judge::SeriesHistory> histories;
  for (const SeriesKey& one : list) {
    const Expected<std::string> findings = store.findings(one);
    if (!findings) return findings.error();
    Expected<std::vector<results::SeriesPoint>> points = std::vector<results::SeriesPoint>{};
    if (with_points) points = store.points(one);
    if (!points) return points.error();
    histories.push_back({one, judge::parse_findings(*findings), std::move(*points)});
  }
  return histories;
}

/// What the noises of a machine have in common is learned for so many machines, a second for a few.
constexpr std::size_t kMostLearned = 4;

/// Adds the smallest detectable step to at most `most` of the histories.
Expected<void> add_detectable(Store& store, std::size_t most, std::vector<judge::SeriesHistory>& histories) {
  std::vector<std::size_t> judged;
  for (std::size_t i = 0; i < histories.size(); ++i)
    if (histories[i].findings.judged.nights_missing == 0) judged.push_back(i);
  const std::size_t count = std::min(most, judged.size());
  const auto machine_of = [&](std::size_t k) { return histories[judged[k * judged.size() / count]].series.machine; };
  std::set<std::string> machines;
  for (std::size_t k = 0; k < count; ++k) machines.insert(machine_of(k));
  if (machines.size() > kMostLearned) return {};
  std::vector<std::vector<results::SeriesPoint>> points;
  std::map<std::string, std::vector<judge::WatchedSince>> contexts;
  for (std::size_t k = 0; k < count; ++k) {
    const SeriesKey& series = histories[judged[k * judged.size() / count]].series;
    Expected<std::vector<results::SeriesPoint>> of = store.points(series);
    if (!of) return of.error();
    points.push_back(std::move(*of));
    if (contexts.contains(series.machine)) continue;
    const Expected<std::vector<results::TimedSeries>> timed = store.timed(series.machine);
    if (!timed) return timed.error();
    contexts[series.machine] = judge::watched_machine(*timed);
  }
  in_parallel(count, [&](std::size_t k) {
    judge::SeriesHistory& one = histories[judged[k * judged.size() / count]];
    one.findings.seen =
        judge::smallest_detectable(points[k], one.findings.changes, contexts.find(one.series.machine)->second);
  });
  return {};
}

/// The histories of `list`, as `request` wants them.
Expected<std::vector<judge::SeriesHistory>> load(Store& store, const std::vector<SeriesKey>& list,
                                                 const HistoryRequest& request) {
  Expected<std::vector<judge::SeriesHistory>> histories = load_histories(store, list, request.with_points);
  if (!histories) return histories;
  if (const Expected<void> added = add_detectable(store, request.most_detectable, *histories); !added)
    return added.error();
  return histories;
}

}  // namespace

Expected<std::vector<SeriesKey>> selected_series(Store& store, const fs::path& results,
                                                 const std::optional<std::string>& glob) {
  return selected(store, results, glob, false);
}

Expected<Store> open_store(const fs::path& results, const HistoryObserver& observer) {
  Expected<Store> store = Store::open(results, judge::store_rules(), [&](const results::StoreProgress& progress) {
    if (observer.on_progress) observer.on_progress(progress);
  });
  if (observer.on_read) observer.on_read();
  if (!store) return store;
  if (const Expected<void> reported = report_remarks(*store, observer); !reported) return reported.error();
  return store;
}

Expected<void> require_series(Store& store, const fs::path& results) {
  const Expected<std::vector<SeriesKey>> all = store.series();
  if (!all) return all.error();
  return all->empty() ? explain_none(store, results, false) : Expected<void>{};
}

Expected<std::vector<judge::SeriesHistory>> load_machine(results::Store& store, std::string_view machine) {
  Expected<std::vector<SeriesKey>> list = store.series();
  if (!list) return list.error();
  std::erase_if(*list, [&](const SeriesKey& one) { return one.machine != machine; });
  return load_histories(store, *list, true);
}

Expected<std::vector<judge::SeriesHistory>> machine_history(const fs::path& results, std::string_view machine,
                                                            const HistoryObserver& observer) {
  Expected<Store> store = open_store(results, observer);
  return store ? load_machine(*store, machine) : store.error();
}

Expected<std::vector<judge::SeriesHistory>> history(const HistoryRequest& request, const HistoryObserver& observer) {
  Expected<Store> store = open_store(request.results, observer);
  if (!store) return store.error();
  const Expected<std::vector<SeriesKey>> list =
      selected(*store, request.results, request.benchmark, request.may_be_empty);
  if (!list) return list.error();
  return load(*store, *list, request);
}

Expected<void> for_each_machine(const HistoryRequest& request, const HistoryObserver& observer,
                                const std::function<void(const std::vector<judge::SeriesHistory>&)>& told) {
  Expected<Store> store = open_store(request.results, observer);
  if (!store) return store.error();
  const Expected<std::vector<SeriesKey>> list =
      selected(*store, request.results, request.benchmark, request.may_be_empty);
  if (!list) return list.error();
  for (auto first = list->begin(); first != list->end();) {
    const auto end = std::find_if(first, list->end(), [&](const auto& one) { return one.machine != first->machine; });
    const Expected<std::vector<judge::SeriesHistory>> histories = load(*store, {first, end}, request);
    if (!histories) return histories.error();
    told(*histories);
    first = end;
  }
  return {};
}

Expected<judge::NightFitness> judge_night(const fs::path& results, const fs::path& session,
                                          const HistoryObserver& observer) {
  const Expected<results::Result> result = results::load_result(session);
  if (!result) return result.error();
  const Expected<std::vector<judge::SeriesHistory>> histories = machine_history(results, result->machine.id, observer);
  if (!histories) return histories.error();
  return judge::judge_night(*histories, *result);
}

}  // namespace lab::app
