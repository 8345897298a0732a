#include "harness/app/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "harness/app/compare.h"
#include "harness/app/history.h"
#include "harness/base/files.h"
#include "harness/base/parallel.h"
#include "harness/base/usage_error.h"
#include "harness/judge/compare.h"
#include "harness/judge/fitness.h"
#include "harness/judge/picture.h"
#include "harness/measure/exhibits.h"
#include "harness/measure/machine.h"
#include "harness/results/described.h"
#include "harness/results/exhibit_archive.h"
#include "harness/results/journal.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBisects = 3;

/// A result's name without its ending.
std::string stem_of(const fs::path& result) {
  return std::string(results::result_base(result.filename().native()));
}

struct Atlas {
  std::vector<results::DriverColumn> columns;
  std::vector<results::MemoryFindings> memory;  ///< of the columns that have some
};

/// The columns of a machine's own atlas with their real allocations, and the reference columns of others.
Expected<Atlas> atlas_of(const fs::path& machine_folder, const fs::path& root) {
  const fs::path own = machine_folder / "atlas", reference = root / "results/reference/atlas";
  Expected<std::vector<results::DriverColumn>> columns = results::load_atlas(own, reference);
  if (!columns) return columns.error();
  Atlas atlas{std::move(*columns), {}};
  for (const results::DriverColumn& column : atlas.columns) {
    Expected<std::optional<results::MemoryFindings>> memory =
        results::load_memory((column.kept ? reference : own) / column.name);
    if (!memory) return memory.error();
    if (*memory) atlas.memory.push_back(std::move(**memory));
  }
  return atlas;
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

/// The latest kMostBisects benchmark bisects of the machine whose folder contains `path`, the latest first. Omits
/// unreadable ones.
std::vector<results::ParsedBisectRecord> bisects_of(const fs::path& path) {
  std::vector<results::ParsedBisectRecord> records;
  for (const fs::path& file : results::sorted_files(fs::absolute(path).parent_path() / "bisect", ".jsonl"))
    if (const Expected<std::string> text = read_file(file))
      if (Expected<results::ParsedBisectRecord> record = results::parse_bisect_record(*text, file.string());
          record && !record->question.benchmark.empty() && !record->entries.empty())
        records.push_back(std::move(*record));
  std::sort(records.begin(), records.end(),
            [](const results::ParsedBisectRecord& a, const results::ParsedBisectRecord& b) {
              return std::tie(a.entries.back().at, a.question.benchmark) >
                     std::tie(b.entries.back().at, b.question.benchmark);
            });
  if (records.size() > kMostBisects) records.resize(kMostBisects);
  return records;
}

/// Compares `result` with the file `base`, otherwise with its own base arm; none without either.
Expected<std::optional<judge::Comparison>> comparison_of(const results::Result& result, const fs::path& path,
                                                         const std::optional<std::string>& base) {
  if (!base && results::find_arm(result, results::kBase) == nullptr) return std::optional<judge::Comparison>{};
  Expected<judge::Comparison> comparison =
      base ? compare_files({*base, path.string()}, {}, false) : judge::compare_arms(result, {});
  if (!comparison) {
    Error error = comparison.error();
    // The hint names an option of compare, which report does not have.
    if (base && error.hint.starts_with("--"))
      error.hint = fmt::format("python3 make.py compare {} {} {}", *base, path.string(), error.hint);
    return error;
  }
  return std::optional(std::move(*comparison));
}

/// The files of a result's exhibits in the folder of the result, or in the archives there. Leaves out files that are
/// missing, larger than an exhibit can be, or outside of the folder: a result may come from anywhere.
report::ExhibitContents exhibits_of(const results::Result& result, const fs::path& folder) {
  report::ExhibitContents contents;
  std::map<fs::path, std::map<std::string, std::string>> packed;  // by archive: names in it to names in the result
  for (const results::Exhibit& exhibit : result.exhibits) {
    const fs::path file = fs::path(exhibit.file).lexically_normal();
    if (file.is_absolute() || file.empty() || *file.begin() == "..") continue;
    std::error_code missing;
    const auto size = fs::file_size(folder / file, missing);
    if (missing) {
      packed[folder / results::exhibit_archive_of(*file.begin())][file.string()] = exhibit.file;
    } else if (size <= measure::kMostExhibitBytes) {
      if (Expected<std::string> content = read_file(folder / file)) contents[exhibit.file] = std::move(*content);
    }
  }
  for (const auto& [archive, names] : packed) {
    Expected<results::ExhibitFiles> files = results::read_exhibit_archive(
        archive, [&](std::string_view name) { return names.contains(std::string(name)); });
    if (!files) continue;
    for (auto& [name, content] : *files) contents[names.at(name)] = std::move(content);
  }
  return contents;
}

/// The result with the other sessions of its commit in the folder of their machine. Reads the heads of all to choose
/// them. Omits unreadable ones.
judge::Picture picture_of(results::Result latest, const fs::path& path) {
  std::vector<fs::path> files;
  const fs::path folder = fs::absolute(path).parent_path();
  if (folder.filename() == latest.machine.id) files = results::results_in(folder);
  std::reverse(files.begin(), files.end());
  std::erase_if(files, [&](const fs::path& file) { return stem_of(file) == stem_of(path); });
  std::vector<std::optional<results::Result>> heads(files.size());
  in_parallel(files.size(), [&](std::size_t i) {
    if (Expected<results::Result> head = results::load_result_head(files[i])) heads[i] = std::move(*head);
  });
  std::vector<results::Result> readable{latest};
  std::vector<fs::path> paths{path};
  for (std::size_t i = 0; i < files.size(); ++i)
    if (heads[i]) {
      readable.push_back(std::move(*heads[i]));
      paths.push_back(files[i]);
    }
  const std::vector<std::size_t> chosen = judge::chosen_sessions(readable);
  std::vector<std::optional<results::Result>> loaded(chosen.size());
  loaded.front() = std::move(latest);
  in_parallel(chosen.size() - 1, [&](std::size_t i) {
    if (Expected<results::Result> one = results::load_result(paths[chosen[i + 1]])) loaded[i + 1] = std::move(*one);
  });
  std::vector<results::Result> sessions;
  for (std::optional<results::Result>& one : loaded)
    if (one) sessions.push_back(std::move(*one));
  return judge::put_together(std::move(sessions));
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
  Expected<results::Result> result = results::load_result(path);
  if (!result) return result.error();
  const Expected<std::optional<judge::Comparison>> comparison = comparison_of(*result, path, request.base);
  if (!comparison) return comparison.error();
  const Expected<Atlas> atlas = atlas_of(path.parent_path(), request.root);
  if (!atlas) return atlas.error();
  const bool compared_unfit = *comparison && !(*comparison)->judged;
  const std::vector<judge::SeriesHistory> histories = history_of(path, result->machine.id);
  const std::vector<results::ParsedBisectRecord> bisects = bisects_of(path);
  std::optional<judge::Picture> picture;
  if (together) picture = picture_of(std::move(*result), path);
  const results::Result& shown = picture ? picture->result : *result;
  const ExitStatus status = judge::exit_status(shown, picture ? picture->fitness : judge::judge_fitness(shown));
  return with_status(
      report::write_report({&shown, atlas->columns, *comparison ? &**comparison : nullptr, histories, bisects,
                            exhibits_of(shown, path.parent_path()), atlas->memory, picture ? &*picture : nullptr},
                           options_for(request, out.value_or(place_for(request.root, "reports") / stem_of(path)))),
      compared_unfit ? ExitStatus::kUnfit : status);
}

Expected<Written> report_atlas_alone(const ReportRequest& request, const fs::path& machine_folder) {
  const Expected<Atlas> atlas = atlas_of(machine_folder, request.root);
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
  const Expected<Atlas> atlas = atlas_of(results::machine_folder(root, result.machine), root);
  if (!atlas) return in_context("report not written", atlas.error());
  report::ReportOptions options = options_for(root, folder);
  options.progress = report::BlockProgress{result.session.blocks, planned_blocks};
  const Expected<report::ReportFiles> files =
      report::write_report({&result, atlas->columns, nullptr, {}, {}, {}, atlas->memory}, options);
  if (!files) return in_context("report not written", files.error());
  return {};
}

}  // namespace lab::app
