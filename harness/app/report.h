/// The use case report: a page, its charts and a summary from a result, its machine's atlas and what is around it.
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
  std::vector<std::string> results = {};          ///< files; none: this machine's newest, else its atlas alone
  std::optional<std::string> base = {};           ///< compared with; none: a session's own base, where it has one
  std::optional<std::filesystem::path> out = {};  ///< none: <root>/reports/<name of the result>
  std::filesystem::path root = root_dir();
};

using ReportListener = std::function<void(const report::ReportFiles&)>;

/// Writes a report of each result, and names its files as soon as they are there. An unreadable history or bisect of
/// the machine is left out.
Expected<void> report(const ReportRequest& request, const ReportListener& on_written = {});

/// Writes the report of what a session has so far into `folder`. `planned_blocks`: as many as there will be, as it
/// looks now; only the page is written, without drawings or verdicts. None when the session is over: the whole report.
Expected<void> keep_report(const results::Result& result, const std::filesystem::path& folder,
                           std::optional<int> planned_blocks, const std::filesystem::path& root = root_dir());

}  // namespace lab::app
