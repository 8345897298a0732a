#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "harness/app/compare.h"
#include "harness/base/files.h"
#include "harness/base/usage_error.h"
#include "harness/judge/compare.h"
#include "harness/results/google_benchmark.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using results::DriverColumn;
using results::Result;

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
  CompareInput input{name, CompareInput::Kind::kAtlas, {}, {}};
  if (std::error_code none; fs::exists(fs::path(name) / "column.json", none)) {
    Expected<results::DriverColumn> column = results::load_column(name);
    if (!column) return unreadable(name, column.error());
    input.atlas.push_back(std::move(*column));
    return input;
  }
  Expected<std::vector<results::DriverColumn>> atlas = results::load_atlas(name);
  if (!atlas) return unreadable(name, atlas.error());
  if (atlas->empty())
    return usage_error(fmt::format("expected an atlas in folder '{}', found no driver column", name),
                       "name a result file, or a folder that probe wrote");
  input.atlas = std::move(*atlas);
  return input;
}

Expected<CompareInput> load(const std::string& name, bool independent_repetitions) {
  std::error_code problem;
  if (fs::is_directory(name, problem)) return load_folder(name);
  const Expected<std::string> text = read_file(name);
  if (!text) return unreadable(name, text.error());
  CompareInput input{name, CompareInput::Kind::kResult, {}, {}};
  if (results::is_google_benchmark(*text)) {
    input.kind = CompareInput::Kind::kGoogle;
    Expected<results::Result> result = results::parse_google_benchmark(*text, name, independent_repetitions);
    if (!result) return result.error();
    input.result = std::move(*result);
    return input;
  }
  Expected<results::Result> result = results::parse_result(*text, name);
  if (!result) return unreadable(name, result.error());
  input.result = std::move(*result);
  return input;
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
