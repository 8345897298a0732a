#include "harness/app/compare.h"

#include <fmt/format.h>

#include <array>
#include <ranges>
#include <system_error>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/usage_error.h"
#include "harness/judge/compare.h"
#include "harness/measure/machine.h"
#include "harness/measure/revisions.h"
#include "harness/results/commit.h"
#include "harness/results/google_benchmark.h"
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

bool is_clean(const results::Source& source, const std::string& commit) {
  return source.commit == commit && source.state == "clean";
}

/// The newest clean result of a commit; with `base`, of a session with both. "" if there is none.
std::string find_result(const fs::path& folder, const std::string& commit, const std::string& base = "") {
  const std::vector<fs::path> paths = results::results_in(folder);
  for (const fs::path& path : paths | std::views::reverse) {
    if (path.stem().string().find(results::short_commit(commit)) == std::string::npos) continue;
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

struct CompareInput {
  std::string name;
  enum class Kind { kResult, kGoogle, kAtlas } kind = Kind::kResult;
  results::Result result;
  std::vector<results::DriverColumn> atlas;
};

constexpr std::array<std::string_view, 3> kKinds{"a result", "a Google Benchmark file", "an atlas"};

std::string_view kind_text(const CompareInput& input) {
  return kKinds[static_cast<std::size_t>(input.kind)];
}

/// Any read error becomes a usage error that names the file.
Error unreadable(const std::string& name, Error error) {
  // Most readers already include the file name.
  if (error.what.find(name) == std::string::npos) error = in_context(name, std::move(error));
  error.status = ExitStatus::kUsage;
  return error;
}

Expected<CompareInput> load_folder(const std::string& name) {
  if (std::error_code none; fs::exists(fs::path(name) / "column.json", none)) {
    Expected<results::DriverColumn> column = results::load_column(name);
    if (!column) return unreadable(name, column.error());
    return CompareInput{name, CompareInput::Kind::kAtlas, {}, {std::move(*column)}};
  }
  Expected<std::vector<results::DriverColumn>> atlas = results::load_atlas(name);
  if (!atlas) return unreadable(name, atlas.error());
  if (atlas->empty())
    return usage_error(fmt::format("expected an atlas in folder '{}', found no driver column", name),
                       "name a result file, or a folder that probe wrote");
  return CompareInput{name, CompareInput::Kind::kAtlas, {}, std::move(*atlas)};
}

Expected<CompareInput> load(const std::string& name, bool independent_repetitions) {
  std::error_code problem;
  if (fs::is_directory(name, problem)) return load_folder(name);
  const Expected<std::string> text = results::read_result_text(name);
  if (!text) return unreadable(name, text.error());
  const bool is_google = results::is_google_benchmark(*text);
  Expected<results::Result> result = is_google ? results::parse_google_benchmark(*text, name, independent_repetitions)
                                               : results::parse_result(*text, name);
  if (!result) return unreadable(name, result.error());
  return CompareInput{
      name, is_google ? CompareInput::Kind::kGoogle : CompareInput::Kind::kResult, std::move(*result), {}};
}

Expected<judge::Comparison> compare_google(const CompareInput& base, const CompareInput& head,
                                           const judge::CompareSettings& settings, bool independent_repetitions) {
  Expected<judge::Comparison> comparison = independent_repetitions
                                               ? judge::compare_repetitions(base.result, head.result, settings)
                                               : judge::compare_sessions(base.result, head.result, settings);
  if (!comparison) return comparison;
  comparison->warnings.emplace(comparison->warnings.begin(), judge::GoogleFiles{independent_repetitions});
  return comparison;
}

Expected<judge::Comparison> compare_two(const CompareInput& base, const CompareInput& head,
                                        const judge::CompareSettings& settings, bool independent_repetitions) {
  if (base.kind != head.kind)
    return usage_error(fmt::format("expected two of one kind, found {} in '{}' and {} in '{}'", kind_text(base),
                                   base.name, kind_text(head), head.name));
  if (base.kind == CompareInput::Kind::kAtlas) return judge::compare_atlases(base.atlas, head.atlas);
  if (base.kind == CompareInput::Kind::kGoogle) return compare_google(base, head, settings, independent_repetitions);
  return judge::compare_sessions(base.result, head.result, settings);
}

}  // namespace

Expected<judge::Comparison> compare(const CompareRequest& request) {
  const Expected<std::vector<std::string>> paths = paths_for(request.root, request.names);
  if (!paths) return paths.error();
  return compare_files(*paths, request.settings, request.independent_repetitions);
}

Expected<judge::Comparison> compare_files(const std::vector<std::string>& paths, const judge::CompareSettings& settings,
                                          bool independent_repetitions) {
  std::vector<CompareInput> inputs;
  for (const std::string& path : paths) {
    Expected<CompareInput> input = load(path, independent_repetitions);
    if (!input) return input.error();
    inputs.push_back(std::move(*input));
  }
  if (inputs.size() == 1 && inputs[0].kind != CompareInput::Kind::kResult)
    return usage_error(fmt::format("expected a session with the arms head and base, found {} in '{}'",
                                   kind_text(inputs[0]), inputs[0].name),
                       "python3 make.py compare BASE HEAD");
  Expected<judge::Comparison> comparison = inputs.size() == 1
                                               ? judge::compare_arms(inputs[0].result, settings)
                                               : compare_two(inputs[0], inputs[1], settings, independent_repetitions);
  if (!comparison) return comparison.error();
  comparison->base.name = inputs.front().name;
  comparison->head.name = inputs.back().name;
  return comparison;
}

}  // namespace lab::app
