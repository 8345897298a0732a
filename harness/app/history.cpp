#include "harness/app/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/app/history_inputs.h"
#include "harness/base/fit.h"
#include "harness/base/glob.h"
#include "harness/base/nearest.h"
#include "harness/base/terminal.h"
#include "harness/results/result.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using results::SeriesKey;
using results::Store;

/// Reports remarks about the store.
Expected<void> tell(Store& store, const HistoryObserver& observer) {
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
  const bool holds_results = std::any_of(fs::directory_iterator(results, problem), fs::directory_iterator(),
                                         [](const auto& entry) { return entry.path().extension() == ".json"; });
  if (may_be_empty && *unreadable == 0 && !holds_results) return {};
  return Error{
      fmt::format("expected results in '{}', found none that a history can be made of",
                  (results / "<machine>").string()),
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
               near.empty() ? "leave it out: history shows them all" : fmt::format("did you mean '{}'?", near),
               ExitStatus::kUsage};
}

/// Opens the store of the results and reports its remarks.
Expected<Store> open(const fs::path& results, const HistoryObserver& observer) {
  Expected<Store> store = open_store(results, [&](const results::StoreProgress& progress) {
    if (observer.on_progress) observer.on_progress(progress);
  });
  if (observer.on_read) observer.on_read();
  if (!store) return store;
  if (const Expected<void> told = tell(*store, observer); !told) return told.error();
  return store;
}

}  // namespace

Expected<std::vector<judge::SeriesHistory>> history(const HistoryRequest& request, const HistoryObserver& observer) {
  Expected<Store> store = open(request.results, observer);
  if (!store) return store.error();
  const Expected<std::vector<SeriesKey>> list =
      selected(*store, request.results, request.benchmark, request.may_be_empty);
  if (!list) return list.error();
  return load_histories(*store, *list, request.with_points);
}

Expected<judge::JudgedNight> judge_night(const fs::path& results, const fs::path& session,
                                         const HistoryObserver& observer) {
  Expected<Store> store = open(results, observer);
  if (!store) return store.error();
  const Expected<results::Result> result = results::load_result(session);
  if (!result) return result.error();
  const Expected<std::vector<judge::SeriesHistory>> histories = load_machine(*store, result->machine.id);
  if (!histories) return histories.error();
  return judge::judge_night(*histories, *result);
}

}  // namespace lab::app
