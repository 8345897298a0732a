/// What the report of a session is made of, read from the files around its result.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/comparison.h"
#include "harness/judge/picture.h"
#include "harness/report/report.h"
#include "harness/results/atlas.h"
#include "harness/results/bisect_record.h"
#include "harness/results/memory_findings.h"
#include "harness/results/result.h"

namespace lab::app {

struct ReportAtlas {
  std::vector<results::DriverColumn> columns;
  std::vector<results::MemoryFindings> memory;      ///< of the columns that have some
  std::map<std::string, std::string> omitted = {};  ///< of a farm: machines whose atlas cannot be read, and why
};

/// The columns of a machine's own atlas with their real allocations, and the reference columns of others.
Expected<ReportAtlas> machine_atlas(const std::filesystem::path& machine_folder, const std::filesystem::path& root);

/// Those of all machines of a results folder, each column once. Omits the atlas of a machine that has an unreadable
/// column.
Expected<ReportAtlas> farm_atlas(const std::filesystem::path& results, const std::filesystem::path& root);

struct ReportParts {
  results::Result result;  ///< moved into `picture` if there is one
  std::optional<judge::Picture> picture = {};
  std::optional<judge::Comparison> comparison = {};
  ReportAtlas atlas = {};
  std::vector<judge::SeriesHistory> histories = {};
  std::vector<results::ParsedBisectRecord> bisects = {};
  report::ExhibitContents exhibits = {};

  const results::Result& shown() const { return picture ? picture->result : result; }
  report::ReportInput input() const;  ///< refers to these parts
};

struct PartsRequest {
  std::filesystem::path path;            ///< of the result
  std::filesystem::path root;            ///< the checkout, with the reference columns
  std::optional<std::string> base = {};  ///< to compare with; none: the session's own base, if any
  bool together = false;                 ///< with the other sessions of its commit
  std::function<std::vector<judge::SeriesHistory>(const std::string& machine)> histories = {};
};

/// Omits what cannot be read beside the result: another session, a bisect, an exhibit. An error names the result, the
/// base or the atlas.
Expected<ReportParts> report_parts(const PartsRequest& request);

}  // namespace lab::app
