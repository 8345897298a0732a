/// The use case report: a page, charts and a summary from a result, its machine's atlas, history and bisects.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/layout.h"
#include "harness/report/report.h"
#include "harness/results/result.h"

namespace lab::app {

struct ReportRequest {
  /// Files, and folders of machines, each for its newest; none: this machine's newest, otherwise its atlas alone.
  std::vector<std::string> results = {};
  /// Puts the newest result together with the other sessions of its commit (judge/picture.h), and also named ones if
  /// `together`. Only those in the folder of their machine have others.
  bool alone = false, together = false;
  std::optional<std::string> base = {};           ///< to compare with; none: the session's own base, if any
  std::optional<std::filesystem::path> out = {};  ///< none: <root>/reports/<name of the result>
  std::filesystem::path root = root_dir();
  bool single_file = false;  ///< index.html is the whole report
};

using ReportListener = std::function<void(const report::ReportFiles&)>;

/// Writes a report for each result, and calls `on_written` after each. Omits an unreadable history or bisect of the
/// machine, or another session that cannot be read. Afterwards kUnfit if a session is unfit, or that of its base, so
/// that no time is judged, else kOk.
Expected<ExitStatus> report(const ReportRequest& request, const ReportListener& on_written = {});

/// Writes the report of a running session into `folder`: only the page, without drawings or verdicts.
/// `planned_blocks` is the estimated total, 0 if unknown.
Expected<void> keep_report(const results::Result& result, const std::filesystem::path& folder, int planned_blocks,
                           const std::filesystem::path& root = root_dir());

}  // namespace lab::app
