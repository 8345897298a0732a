#include "harness/results/store_scan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/parallel.h"

namespace lab::results {

namespace fs = std::filesystem;

namespace {

/// The entries of `folder`; none if it is a file.
Expected<std::vector<fs::path>> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
    entries.push_back(at->path());
  // If it counted as empty, its results would be removed from the store.
  if (problem && problem != std::errc::not_a_directory)
    return Error{fmt::format("reading '{}': {}", folder.string(), problem.message()), "make it readable, or remove it",
                 ExitStatus::kUsage};
  return entries;
}

CondensedFile condense_file(const fs::path& results, const ResultFile& file, const StoreRules& rules) {
  CondensedFile condensed;
  const Expected<std::string> text = read_file(results / file.path);
  if (!text) {
    condensed.problem = text.error().what;
    return condensed;
  }
  condensed.opened = true;
  const Expected<Result> result = parse_result(*text, file.path);
  if (result)
    condensed.condensed = rules.condense(*result);
  else
    condensed.problem = result.error().what;
  return condensed;
}

}  // namespace

Expected<std::vector<ResultFile>> list_result_files(const fs::path& results) {
  std::vector<ResultFile> files;
  const auto folders = entries_of(results);
  if (!folders) return folders.error();
  for (const fs::path& folder : *folders) {
    const std::string machine = folder.filename();
    if (machine.starts_with('.') || std::ranges::find(kNotMachines, machine) != std::end(kNotMachines)) continue;
    const auto entries = entries_of(folder);
    if (!entries) return entries.error();
    for (const fs::path& entry : *entries) {
      struct stat found {};
      if (entry.extension() != ".json" || ::stat(entry.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
      files.push_back({fmt::format("{}/{}", machine, entry.filename().string()), found.st_size,
                       found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec});
    }
  }
  std::ranges::sort(files, {}, &ResultFile::path);
  return files;
}

std::vector<CondensedFile> condense_files(const fs::path& results, std::span<const ResultFile> files,
                                          const StoreRules& rules) {
  std::vector<CondensedFile> condensed(files.size());
  in_parallel(files.size(), [&](std::size_t i) { condensed[i] = condense_file(results, files[i], rules); });
  return condensed;
}

}  // namespace lab::results
