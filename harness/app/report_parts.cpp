#include "harness/app/report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "harness/app/compare.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/parallel.h"
#include "harness/judge/compare.h"
#include "harness/measure/exhibits.h"
#include "harness/results/described.h"
#include "harness/results/exhibit_archive.h"
#include "harness/results/journal.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBisects = 3;

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
  const auto base_of = [](const fs::path& file) { return results::result_base(file.native()); };
  std::erase_if(files, [&](const fs::path& file) { return base_of(file.filename()) == base_of(path.filename()); });
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

}  // namespace

Expected<ReportAtlas> machine_atlas(const fs::path& machine_folder, const fs::path& root) {
  const fs::path own = machine_folder / "atlas", reference = root / "results/reference/atlas";
  Expected<std::vector<results::DriverColumn>> columns = results::load_atlas(own, reference);
  if (!columns) return columns.error();
  ReportAtlas atlas{std::move(*columns), {}};
  for (const results::DriverColumn& column : atlas.columns) {
    Expected<std::optional<results::MemoryFindings>> memory =
        results::load_memory((column.kept ? reference : own) / column.name);
    if (!memory) return memory.error();
    if (*memory) atlas.memory.push_back(std::move(**memory));
  }
  return atlas;
}

Expected<ReportAtlas> farm_atlas(const fs::path& results, const fs::path& root) {
  ReportAtlas all;
  std::set<std::string> names;
  std::error_code problem;
  std::vector<fs::path> folders;
  for (fs::directory_iterator at(results, problem), end; !problem && at != end; at.increment(problem)) {
    const std::string name = at->path().filename();
    std::error_code missing;
    if (std::ranges::find(kNotMachines, name) == std::end(kNotMachines) &&
        fs::is_directory(at->path() / "atlas", missing))
      folders.push_back(at->path());
  }
  if (problem)
    return Error{fmt::format("reading '{}': {}", results.string(), problem.message()), "", ExitStatus::kUsage};
  std::ranges::sort(folders);
  // Without any, the reference columns are all there is.
  if (folders.empty()) folders.push_back(results);
  for (const bool kept : {false, true})
    for (const fs::path& folder : folders) {
      Expected<ReportAtlas> one = machine_atlas(folder, root);
      if (!one) {
        if (folder == results) return one.error();  // the reference's
        all.omitted[folder.filename()] = one.error().what;
        continue;
      }
      std::set<std::string> added;
      for (results::DriverColumn& column : one->columns) {
        // Of machines with the same driver on the same chip, the first one's; a kept one only where nobody asked it.
        if (column.kept != kept || !names.insert(column.name).second) continue;
        added.insert(column.name);
        all.columns.push_back(std::move(column));
      }
      for (results::MemoryFindings& memory : one->memory)
        if (added.contains(memory.column)) all.memory.push_back(std::move(memory));
    }
  std::ranges::sort(all.columns, {}, &results::DriverColumn::name);
  return all;
}

report::ReportInput ReportParts::input() const {
  return {&shown(), atlas.columns, comparison ? &*comparison : nullptr, histories, bisects,
          exhibits, atlas.memory,  picture ? &*picture : nullptr};
}

Expected<ReportParts> report_parts(const PartsRequest& request) {
  Expected<results::Result> result = results::load_result(request.path);
  if (!result) return result.error();
  ReportParts parts;
  Expected<std::optional<judge::Comparison>> comparison = comparison_of(*result, request.path, request.base);
  if (!comparison) return comparison.error();
  parts.comparison = std::move(*comparison);
  Expected<ReportAtlas> atlas = machine_atlas(request.path.parent_path(), request.root);
  if (!atlas) return atlas.error();
  parts.atlas = std::move(*atlas);
  if (request.histories) parts.histories = request.histories(result->machine.id);
  parts.bisects = bisects_of(request.path);
  if (request.together)
    parts.picture = picture_of(std::move(*result), request.path);
  else
    parts.result = std::move(*result);
  parts.exhibits = exhibits_of(parts.shown(), request.path.parent_path());
  return parts;
}

}  // namespace lab::app
