/// The use case history: changes from session to session, with their size and commit range.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/judge/history.h"
#include "harness/judge/night.h"
#include "harness/report/history.h"
#include "harness/results/store.h"

namespace lab::app {

struct HistoryRequest {
  std::filesystem::path results = results_dir();  ///< one subfolder per machine
  std::optional<std::string> benchmark;           ///< a glob; none: all
  bool with_points = false;                       ///< false: the points of every series stay empty
  bool may_be_empty = false;                      ///< without results: an empty history, not an error
  /// Of at most so many series, evenly chosen from those that are judged, the findings have the smallest detectable
  /// step; of none if they are of more than a few machines, because it takes long.
  std::size_t most_detectable = 0;
};

struct HistoryObserver {
  std::function<void(const results::StoreProgress&)> on_progress = {};  ///< during reading of results
  std::function<void()> on_read = {};                                   ///< after reading, also if it failed
  std::function<void(const std::string&)> on_remark = {};  ///< a sentence about the results: what was omitted
};

/// The series selected by the glob, sorted by machine, benchmark and version: a benchmark whose workload changed has
/// one series per version. Error with ExitStatus::kUsage without results or benchmarks.
Expected<std::vector<judge::SeriesHistory>> history(const HistoryRequest& request,
                                                    const HistoryObserver& observer = {});

/// The same, machine by machine, so that only one machine's points are in memory. `most_detectable`: of each.
Expected<void> for_each_machine(const HistoryRequest& request, const HistoryObserver& observer,
                                const std::function<void(const std::vector<judge::SeriesHistory>&)>& told);

/// Judges the session in a file against earlier nights.
Expected<judge::NightFitness> judge_night(const std::filesystem::path& results, const std::filesystem::path& session,
                                          const HistoryObserver& observer = {});

/// Opens the store of the folder `results`, with the rules of judge, and reports its remarks.
Expected<results::Store> open_store(const std::filesystem::path& results, const HistoryObserver& observer = {});

/// Its series that the glob selects, or all, sorted as Store::series(). Error with ExitStatus::kUsage if there are
/// none.
Expected<std::vector<results::SeriesKey>> selected_series(results::Store& store, const std::filesystem::path& results,
                                                          const std::optional<std::string>& glob);

/// An error (kUsage) if the store has no series, which says why.
Expected<void> require_series(results::Store& store, const std::filesystem::path& results);

/// All series of a machine, with their points; none before its first night.
Expected<std::vector<judge::SeriesHistory>> load_machine(results::Store& store, std::string_view machine);
Expected<std::vector<judge::SeriesHistory>> machine_history(const std::filesystem::path& results,
                                                            std::string_view machine,
                                                            const HistoryObserver& observer = {});

}  // namespace lab::app
