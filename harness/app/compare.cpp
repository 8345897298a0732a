#include "harness/app/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/base/child.h"
#include "harness/base/usage_error.h"
#include "harness/measure/machine.h"
#include "harness/measure/revisions.h"
#include "harness/results/commit.h"
#include "harness/results/journal.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// A name of the request: a path or a revision.
struct ResolvedName {
  std::string text;
  std::string commit;  ///< "" for a path
};

Expected<ResolvedName> resolve(const fs::path& root, const std::string& text) {
  if (std::error_code problem; fs::exists(text, problem)) return ResolvedName{text, ""};
  const Error neither = usage_error(fmt::format("'{}' is neither a file nor a revision", text));
  const auto runner = [](const ChildSpec& spec) { return run_child(spec); };
  const auto revisions = measure::Revisions::open(root, measure::Revisions::default_cache(), runner);
  if (!revisions) return neither;
  const Expected<std::string> commit = revisions->resolve(text);
  if (!commit) return Error{neither.what, commit.error().hint, ExitStatus::kUsage};
  return ResolvedName{text, *commit};
}

/// The results in `folder` with the short hash of `commit` in their name, the newest first.
std::vector<fs::path> results_of(const std::string& commit, const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.stem().string().find(results::short_commit(commit)) != std::string::npos)
      found.push_back(path);
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

bool is_clean(const results::Source& source, const std::string& commit) {
  return source.commit == commit && source.state == "clean";
}

/// The newest clean result of a commit; with `base`, of a session with both. "" if there is none.
std::string find_result(const fs::path& folder, const std::string& commit, const std::string& base = "") {
  for (const fs::path& path : results_of(commit, folder)) {
    const Expected<results::Result> result = results::load_result(path);
    if (!result || !is_clean(result->source, commit)) continue;
    const results::Arm* arm = results::find_arm(*result, results::kBase);
    if (base.empty() || (arm != nullptr && is_clean(arm->source, base))) return path.string();
  }
  return "";
}

/// Paths for the names: one path for two revisions that were measured in one session.
Expected<std::vector<std::string>> paths_for(const fs::path& root, const std::vector<std::string>& texts) {
  std::vector<ResolvedName> names;
  for (const std::string& text : texts) {
    const Expected<ResolvedName> name = resolve(root, text);
    if (!name) return name.error();
    names.push_back(*name);
  }
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  const fs::path folder = results::machine_folder(root, *machine);
  if (names.size() == 2 && !names[0].commit.empty() && !names[1].commit.empty())
    if (const std::string both = find_result(folder, names[1].commit, names[0].commit); !both.empty())
      return std::vector<std::string>{both};
  std::vector<std::string> paths;
  for (const ResolvedName& name : names) {
    paths.push_back(name.commit.empty() ? name.text : find_result(folder, name.commit));
    if (paths.back().empty())
      return usage_error(fmt::format("expected a result of {} ({}) without local changes in '{}', found none",
                                     name.text, results::short_commit(name.commit), folder.string()),
                         fmt::format("python3 make.py run --revision {}", name.text));
  }
  return paths;
}

}  // namespace

Expected<judge::Comparison> compare(const CompareRequest& request) {
  const Expected<std::vector<std::string>> paths = paths_for(request.root, request.names);
  if (!paths) return paths.error();
  return compare_files(*paths, request.settings, request.independent_repetitions);
}

}  // namespace lab::app
