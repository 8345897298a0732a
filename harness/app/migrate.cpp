#include "harness/app/migrate.h"

#include <fmt/format.h>

#include <set>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/usage_error.h"
#include "harness/judge/compare.h"
#include "harness/judge/history.h"
#include "harness/results/inbox.h"
#include "harness/results/journal.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// The results below `path`, or `path` itself. Files of atlases and exhibits are in folders of their own; what a
/// collector has not taken, or refused, is nobody's result yet.
Expected<std::set<fs::path>> results_below(const fs::path& path) {
  std::error_code problem;
  if (!fs::exists(path, problem)) return usage_error(fmt::format("there is no '{}'", path.string()), "");
  if (!fs::is_directory(path, problem)) return std::set<fs::path>{path};
  std::set<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(path, problem); !problem && entry != fs::end(entry);
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() && (name == "atlas" || name == "bisect" || name.ends_with(".exhibits") ||
                                  name == results::kInbox || name == results::kQuarantine))
      entry.disable_recursion_pending();
    if (!entry->is_regular_file() || !results::is_result_name(name)) continue;
    // A foreign file, such as a published figure, has no schema.
    const Expected<std::string> text = results::read_result_text(entry->path());
    if (text && text->find("\"benchmarks\"") != std::string::npos && text->find("\"schema\"") != std::string::npos)
      found.insert(entry->path());
  }
  if (problem) return file_error("reading", path, problem.value());
  return found;
}

/// What this build cannot do with a result; "" if it can do everything.
std::string problem_of(const results::Result& result, const fs::path& path) {
  if (!result.processes.empty()) {
    const Expected<judge::Comparison> comparison = judge::compare_sessions(result, result, {});
    if (!comparison) return fmt::format("compare: {}", comparison.error().what);
    const std::size_t rows = judge::condensed_rows(result).size();
    std::set<std::string> measured;
    for (const results::Process& process : result.processes)
      if (process.arm == results::kHead) measured.insert(process.benchmark);
    if (rows < measured.size())
      return fmt::format("history: expected {} series or more, found {}", measured.size(), rows);
  }
  results::Result written = result;
  written.schema = results::kSchema;
  const std::string text = results::serialize(written);
  const Expected<results::Result> read = results::parse_result(text, path.string());
  if (!read) return fmt::format("written again: {}", read.error().what);
  return results::serialize(*read) == text ? "" : "reading and writing it gives another result";
}

MigratedResult migrate_one(const fs::path& path, bool check_only) {
  MigratedResult one{path, 0, "", false};
  Expected<results::Result> result = results::load_result(path);
  if (!result) {
    one.problem = result.error().what;
    return one;
  }
  one.schema = result->schema;
  one.problem = problem_of(*result, path);
  if (check_only || !one.problem.empty() || result->schema == results::kSchema) return one;
  result->schema = results::kSchema;
  if (const Expected<void> written = results::write_result_text(path, results::serialize(*result)); !written)
    one.problem = written.error().what;
  one.rewritten = one.problem.empty();
  return one;
}

}  // namespace

Expected<std::size_t> migrate(const MigrateRequest& request, const MigrateListener& listener) {
  std::set<fs::path> paths;
  for (const fs::path& path : request.paths) {
    Expected<std::set<fs::path>> found = results_below(path);
    if (!found) return found.error();
    paths.merge(*found);
  }
  if (paths.empty())
    return usage_error(fmt::format("found no result in '{}'", request.paths.front().string()),
                       "name a result or a folder of results");
  std::size_t problems = 0;
  for (const fs::path& path : paths) {
    const MigratedResult one = migrate_one(path, request.check_only);
    problems += !one.problem.empty();
    if (listener) listener(one);
  }
  return problems;
}

}  // namespace lab::app
