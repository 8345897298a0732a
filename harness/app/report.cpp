#include "harness/app/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "harness/app/history.h"
#include "harness/app/report_parts.h"
#include "harness/base/usage_error.h"
#include "harness/judge/fitness.h"
#include "harness/measure/machine.h"
#include "harness/results/journal.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// A result's name without its ending.
std::string stem_of(const fs::path& result) {
  return std::string(results::result_base(result.filename().native()));
}

report::ReportOptions options_for(const fs::path& root, fs::path out) {
  return {.out = std::move(out), .root = root, .progress = {}};
}

report::ReportOptions options_for(const ReportRequest& request, fs::path out) {
  report::ReportOptions options = options_for(request.root, std::move(out));
  options.single_file = request.single_file;
  return options;
}

/// The machine's histories in the index of the results around `path`. Empty if the file is not in its machine's folder,
/// or if the index is unreadable: a report is possible without them.
std::vector<judge::SeriesHistory> history_of(const fs::path& path, const std::string& machine) {
  const fs::path folder = fs::absolute(path).parent_path();
  if (folder.filename() != machine) return {};
  Expected<results::Store> store = open_store(folder.parent_path());
  if (!store) return {};
  Expected<std::vector<judge::SeriesHistory>> histories = load_machine(*store, machine);
  return histories ? std::move(*histories) : std::vector<judge::SeriesHistory>{};
}

struct Written {
  report::ReportFiles files;
  ExitStatus status = ExitStatus::kOk;
};

Expected<Written> with_status(Expected<report::ReportFiles> files, ExitStatus status) {
  if (!files) return files.error();
  return Written{std::move(*files), status};
}

Expected<Written> report_result(const ReportRequest& request, const fs::path& path, bool together,
                                const std::optional<fs::path>& out) {
  const Expected<ReportParts> parts =
      report_parts({path, request.root, request.base, together,
                    [&](const std::string& machine) { return history_of(path, machine); }});
  if (!parts) return parts.error();
  const bool compared_unfit = parts->comparison && !parts->comparison->judged;
  const results::Result& shown = parts->shown();
  const ExitStatus status =
      judge::exit_status(shown, parts->picture ? parts->picture->fitness : judge::judge_fitness(shown));
  return with_status(
      report::write_report(parts->input(),
                           options_for(request, out.value_or(place_for(request.root, "reports") / stem_of(path)))),
      compared_unfit ? ExitStatus::kUnfit : status);
}

Expected<Written> report_atlas_alone(const ReportRequest& request, const fs::path& machine_folder) {
  const Expected<ReportAtlas> atlas = machine_atlas(machine_folder, request.root);
  if (!atlas) return atlas.error();
  if (std::ranges::all_of(atlas->columns, &results::DriverColumn::kept))
    return usage_error(fmt::format("expected a result or an atlas in '{}', found neither", machine_folder.string()),
                       "python3 make.py run, or python3 make.py probe");
  return with_status(
      report::write_report({nullptr, atlas->columns, nullptr, {}, {}, {}, atlas->memory},
                           options_for(request, request.out.value_or(request.root / "reports" /
                                                                     (machine_folder.filename().string() + "-atlas")))),
      ExitStatus::kOk);
}

/// Checks that the results' names differ: with several results, each name is a report folder.
Expected<void> check_names(const std::vector<std::string>& paths) {
  std::map<fs::path, std::string> names;
  for (const std::string& path : paths)
    if (const auto [first, is_new] = names.emplace(stem_of(path), path); !is_new)
      return usage_error(
          fmt::format("'{}' and '{}' would be one report, '{}'", first->second, path, first->first.string()),
          "report them one by one, each with its own --out");
  return {};
}

/// Reports the newest result in a machine's folder, or without results its atlas.
Expected<Written> report_newest(const ReportRequest& request, const fs::path& folder,
                                const std::optional<fs::path>& out) {
  const std::vector<fs::path> found = results::results_in(folder);
  return found.empty() ? report_atlas_alone(request, folder)
                       : report_result(request, found.back(), !request.alone, out);
}

Expected<Written> report_this_machine(const ReportRequest& request) {
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  return report_newest(request, results::machine_folder(request.root, *machine), request.out);
}

}  // namespace

Expected<ExitStatus> report(const ReportRequest& request, const ReportListener& on_written) {
  ExitStatus status = ExitStatus::kOk;
  const auto finish = [&](const Expected<Written>& written) -> Expected<ExitStatus> {
    if (!written) return written.error();
    if (on_written) on_written(written->files);
    status = std::max(status, written->status);
    return status;
  };
  if (request.results.empty()) return finish(report_this_machine(request));
  if (const Expected<void> checked = check_names(request.results); !checked) return checked.error();
  const bool several = request.results.size() > 1;
  std::error_code unknown;
  for (const fs::path path : request.results) {
    // Several reports need separate folders.
    const std::optional<fs::path> folder = request.out && several ? *request.out / stem_of(path) : request.out;
    if (const Expected<ExitStatus> written = finish(
            fs::is_directory(path, unknown) ? report_newest(request, path, folder)
                                            : report_result(request, path, request.together && !request.alone, folder));
        !written)
      return written;
  }
  return status;
}

Expected<void> keep_report(const results::Result& result, const fs::path& folder, int planned_blocks,
                           const fs::path& root) {
  const Expected<ReportAtlas> atlas = machine_atlas(results::machine_folder(root, result.machine), root);
  if (!atlas) return in_context("report not written", atlas.error());
  report::ReportOptions options = options_for(root, folder);
  options.progress = report::BlockProgress{result.session.blocks, planned_blocks};
  const Expected<report::ReportFiles> files =
      report::write_report({&result, atlas->columns, nullptr, {}, {}, {}, atlas->memory}, options);
  if (!files) return in_context("report not written", files.error());
  return {};
}

}  // namespace lab::app
