/// The last stage: a result and an atlas become a page, its charts as SVG files, and a summary in Markdown.
///
/// DIR/index.html is one file that needs nothing but itself; DIR/<chart>.svg holds each of its charts, drawn from the
/// same specification; DIR/summary.md is the same report as text.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/report/document.h"
#include "harness/report/history.h"
#include "harness/report/published.h"
#include "harness/results/atlas.h"
#include "harness/results/bisect_record.h"
#include "harness/results/result.h"

namespace lab::report {

struct ReportInput {
  const results::Result* result = nullptr;  ///< null: a report from the atlas alone
  std::span<const results::Column> atlas = {};
  const judge::Comparison* comparison = nullptr;        ///< of `result` with a base; null: none
  std::span<const judge::SeriesHistory> followed = {};  ///< what history has of the result's machine
  std::span<const results::Story> bisects = {};         ///< of that machine, the latest first
};

/// How far a session that still runs has come.
struct Progress {
  int blocks = 0;   ///< complete
  int planned = 0;  ///< as many as there will be, as it looks now
};

struct ReportOptions {
  std::filesystem::path out;
  std::filesystem::path published;   ///< results/published
  std::optional<Progress> progress;  ///< given: only index.html is written, fast, and it says how far the session is
};

struct ReportFiles {
  std::filesystem::path index;
  std::filesystem::path summary;              ///< "" while the session runs
  std::vector<std::filesystem::path> charts;  ///< in reading order
};

/// What the report says.
Document report_document(const ReportInput& input, const Published& published,
                         const std::optional<Progress>& progress = {});

/// Writes the report; every file is the former or the new one, never half of one. An error names the file or the chart;
/// a chart that cannot be drawn costs its own drawing only: the page and the summary are there.
Expected<ReportFiles> write_report(const ReportInput& input, const ReportOptions& options);

}  // namespace lab::report
