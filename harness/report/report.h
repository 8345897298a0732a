/// Writes a report from a result and an atlas: a page, its charts as SVG files, and a summary in Markdown.
///
/// DIR/index.html is the first page; each family, the drivers and the session have a page beside it, and all share
/// DIR/vega.js, report.js and report.css. They work from a disk, without a server. DIR/<chart>.svg is one of the
/// charts, drawn from the same specification. DIR/summary.md is the same report as text. DIR/atlas.csv is its matrix,
/// if an atlas has answers.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/judge/comparison.h"
#include "harness/judge/picture.h"
#include "harness/report/document.h"
#include "harness/report/exhibits.h"
#include "harness/report/history.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/bisect_record.h"
#include "harness/results/family.h"
#include "harness/results/memory_findings.h"
#include "harness/results/result.h"

namespace lab::report {

struct ReportInput {
  const results::Result* result = nullptr;  ///< null: a report from the atlas alone
  std::span<const results::DriverColumn> atlas = {};
  const judge::Comparison* comparison = nullptr;              ///< `result` against a base; null: none
  std::span<const judge::SeriesHistory> histories = {};       ///< the history of the result's machine
  std::span<const results::ParsedBisectRecord> bisects = {};  ///< bisects on that machine, the latest first
  ExhibitContents exhibits = {};                              ///< of the files of the result's exhibits
  std::span<const results::MemoryFindings> memory = {};       ///< real allocations on devices of the atlas
  /// The sessions whose numbers `result` has; null: those of one.
  const judge::Picture* picture = nullptr;
};

/// The progress of a running session.
struct BlockProgress {
  int blocks = 0;   ///< complete
  int planned = 0;  ///< current estimate of the total; 0: unknown
};

struct ReportOptions {
  std::filesystem::path out;
  std::filesystem::path root;             ///< the checkout, whose articles and descriptions of families are shown
  std::optional<BlockProgress> progress;  ///< given: writes only the pages, fast, with this progress
  bool single_file = false;               ///< index.html is the whole report, and needs no other file
};

struct ReportFiles {
  std::filesystem::path index;
  std::filesystem::path summary;              ///< "" during the session
  std::vector<std::filesystem::path> charts;  ///< in reading order
};

/// What people wrote about the families.
struct Background {
  std::vector<results::Article> articles;
  results::Families families;
};

Expected<Background> load_background(const std::filesystem::path& root);

/// The content of the report. A family without description is shown under its name.
Document report_document(const ReportInput& input, const Background& background,
                         const std::optional<BlockProgress>& progress = {});

/// Writes the report, each file atomically. An error names the file or the chart. A chart that cannot be drawn lacks
/// only its SVG: the page and the summary are still written.
Expected<ReportFiles> write_report(const ReportInput& input, const ReportOptions& options);

}  // namespace lab::report
