// report: a page, its charts and a summary from a result and the atlas beside it. Standard output has the page's path.
#include "harness/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "harness/base/layout.h"
#include "harness/cli/commands.h"
#include "harness/exec/machine.h"
#include "harness/results/journal.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

report::ReportOptions options_for(fs::path out) {
  return {.out = std::move(out), .published = root_dir() / "results" / "published", .progress = {}};
}

/// The results in a machine's folder, the newest last: their names begin with the time.
std::vector<fs::path> results_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".json" && entry.is_regular_file()) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

Expected<void> tell(const Expected<report::ReportFiles>& files) {
  if (!files) return files.error();
  fmt::print(stderr, "report: {} and {}, {}\n", files->index.filename().string(), files->summary.filename().string(),
             files->charts.size() == 1 ? "1 chart" : fmt::format("{} charts", files->charts.size()));
  fmt::print("{}\n", files->index.string());
  return {};
}

Expected<void> report_result(const fs::path& path, const std::optional<fs::path>& out) {
  const Expected<results::Result> result = results::load_result(path);
  if (!result) return result.error();
  const Expected<std::vector<results::Column>> atlas = results::load_atlas(path.parent_path() / "atlas");
  if (!atlas) return atlas.error();
  return tell(
      report::write_report({&*result, *atlas}, options_for(out.value_or(root_dir() / "reports" / path.stem()))));
}

Expected<void> report_atlas_alone(const fs::path& machine_folder, const std::optional<fs::path>& out) {
  const Expected<std::vector<results::Column>> atlas = results::load_atlas(machine_folder / "atlas");
  if (!atlas) return atlas.error();
  if (atlas->empty())
    return Error{fmt::format("expected a result or an atlas in '{}', found neither", machine_folder.string()),
                 "python3 make.py run, or python3 make.py probe", ExitStatus::kUsage};
  return tell(report::write_report(
      {nullptr, *atlas},
      options_for(out.value_or(root_dir() / "reports" / (machine_folder.filename().string() + "-atlas")))));
}

Expected<ExitStatus> report_files(const Options& options) {
  std::optional<fs::path> out;
  if (const std::optional<std::string> given = options.value("--out")) out = *given;
  const std::vector<std::string>& paths = options.positional();
  if (paths.empty()) {
    const fs::path folder = results::machine_folder(root_dir(), exec::this_machine());
    const std::vector<fs::path> found = results_in(folder);
    const Expected<void> written = found.empty() ? report_atlas_alone(folder, out) : report_result(found.back(), out);
    if (!written) return written.error();
    return ExitStatus::kOk;
  }
  std::map<fs::path, std::string> names;
  for (const std::string& path : paths)
    if (const auto [first, is_new] = names.emplace(fs::path(path).stem(), path); !is_new)
      return Error{fmt::format("'{}' and '{}' would be one report, '{}'", first->second, path, first->first.string()),
                   "report them one by one, each with its own --out", ExitStatus::kUsage};
  for (const fs::path path : paths) {
    // Several reports do not go into one folder.
    const std::optional<fs::path> folder = out && paths.size() > 1 ? *out / path.stem() : out;
    if (const Expected<void> written = report_result(path, folder); !written) return written.error();
  }
  return ExitStatus::kOk;
}

}  // namespace

Expected<void> keep_report(const results::Result& result, const fs::path& folder, std::optional<int> planned_blocks) {
  const Expected<std::vector<results::Column>> atlas =
      results::load_atlas(results::machine_folder(root_dir(), result.machine) / "atlas");
  if (!atlas) return atlas.error();
  report::ReportOptions options = options_for(folder);
  if (planned_blocks) options.progress = report::Progress{result.session.blocks, *planned_blocks};
  const Expected<report::ReportFiles> files = report::write_report({&result, *atlas}, options);
  if (!files) return files.error();
  return {};
}

Command report_command() {
  return {"report",
          "[RESULT...] [--out DIR]",
          "a page, charts and a summary of a result and its machine's drivers",
          {{"--out", "DIR", "where (default: reports/<name of the result>)"}},
          report_files};
}

}  // namespace lab::cli
