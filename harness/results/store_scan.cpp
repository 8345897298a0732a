#include "harness/results/store_scan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/json_fields.h"
#include "harness/base/layout.h"
#include "harness/base/parallel.h"
#include "harness/base/utc.h"
#include "harness/bench/description_json.h"
#include "harness/results/result_name.h"

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

/// Why the clock of a session must have been wrong; "" if it may have been right.
std::string wrong_clock(const CondensedResult& session, const ResultFile& file) {
  constexpr std::time_t kDay = 24 * 60 * 60, kBeforeAny = 1'262'304'000;  // 2010-01-01
  const std::optional<std::time_t> started = seconds_of(session.started);
  // Not when it was modified: a copy keeps that of the machine whose clock was wrong.
  const auto arrived = static_cast<std::time_t>(file.arrived / 1'000'000'000);
  if (started && *started >= kBeforeAny && *started <= arrived + kDay) return "";
  const bool ahead = started && *started > arrived + kDay;
  return fmt::format("{}{} was wrong: {}", kWrongClock, session.machine,
                     !started ? "a session on no day at all"
                     : ahead  ? "a session dated after its file came"
                              : "a session before 2010");
}

std::string hash_of(const std::string& text) {
  return fmt::format("{:x}", std::hash<std::string>{}(text));
}

CondensedFile condense_file(const fs::path& results, const ResultFile& file, const StoreRules& rules) {
  CondensedFile condensed;
  const Expected<std::string> text = read_result_text(results / file.path);
  if (!text) {
    condensed.problem = text.error().what;
    return condensed;
  }
  condensed.opened = true;
  const Expected<Result> result = parse_result(*text, file.path);
  if (!result) {
    condensed.problem = result.error().what;
    condensed.content = hash_of(*text);
    return condensed;
  }
  condensed.condensed = rules.condense(*result);
  if (std::string why = wrong_clock(*condensed.condensed, file); !why.empty()) {
    condensed.condensed->skipped = std::move(why);
    condensed.condensed->rows.clear();
  }
  condensed.content = content_of(*condensed.condensed);
  return condensed;
}

}  // namespace

std::string content_of(const CondensedResult& one) {
  std::string text;
  const auto add = [&text](const auto&... values) { (fmt::format_to(std::back_inserter(text), "{}\n", values), ...); };
  add(one.machine, one.session, one.started, one.commit.value_or(""), one.skipped);
  for (const auto& [name, value] : one.environment) add(name, value);
  for (const CondensedRow& row : one.rows) {
    add(row.benchmark, row.version, row.value.median, row.value.count, row.executable);
    if (row.value.interval) add(row.value.interval->low, row.value.interval->high);
    add(json::serialize(lab::to_json(row.metric)), json::serialize(lab::to_json(row.exact)));
  }
  return hash_of(text);
}

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
      const std::string name = entry.filename();
      if (!is_result_name(name) || ::stat(entry.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
      const std::int64_t modified = found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec;
      const std::int64_t changed = found.st_ctim.tv_sec * 1'000'000'000 + found.st_ctim.tv_nsec;
      files.push_back({fmt::format("{}/{}", machine, name), found.st_size, modified,
                       is_packed_name(name) ? std::min(modified, changed) : changed});
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
