/// The use case history: what changed from session to session, by how much, and between which commits.
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

namespace lab::app {

struct HistoryRequest {
  std::filesystem::path results = results_dir();  ///< one subfolder a machine
  std::optional<std::string> benchmark;           ///< a glob; none: all
  bool with_points = false;                       ///< else the points of every series stay empty
  bool may_be_empty = false;                      ///< no result at all is an empty history, no error
};

struct HistoryObserver {
  std::function<void(const results::StoreProgress&)> on_progress = {};  ///< while results are read
  std::function<void()> on_read = {};                                   ///< once they are, and where that failed
  std::function<void(const std::string&)> on_remark = {};  ///< a sentence about the results: what is left out
};

/// The series that the glob selects, by machine, benchmark and version: a benchmark whose workload changed has one for
/// each version. Errors have ExitStatus::kUsage where no result or no benchmark is there.
Expected<std::vector<judge::SeriesHistory>> history(const HistoryRequest& request,
                                                    const HistoryObserver& observer = {});

/// Judges the session in a file beside the nights before it.
Expected<judge::JudgedNight> judge_night(const std::filesystem::path& results, const std::filesystem::path& session,
                                         const HistoryObserver& observer = {});

}  // namespace lab::app
