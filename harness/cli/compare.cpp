// compare: what head is to base, and how sure that is.
#include "harness/judge/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/cli/commands.h"
#include "harness/cli/talk.h"
#include "harness/app/compare_inputs.h"
#include "harness/report/comparison_text.h"
#include "harness/base/child.h"
#include "harness/measure/machine.h"
#include "harness/results/journal.h"
#include "harness/measure/revisions.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;
using judge::Comparison;

/// "1%", "1 %" or "0.01".
Expected<double> share(const std::string& name, const std::string& text) {
  std::string_view rest = text;
  const auto trim = [&] {
    while (!rest.empty() && rest.back() == ' ') rest.remove_suffix(1);
  };
  trim();
  const bool percent = rest.ends_with('%');
  if (percent) rest.remove_suffix(1);
  trim();
  double number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc{} || end != rest.data() + rest.size() || !(number >= 0) || !((percent ? number / 100 : number) < 1))
    return usage_error(fmt::format("{}: expected a share from 0 to below 1, as '1%' or '0.01', found '{}'", name, text), "");
  return percent ? number / 100 : number;
}

Expected<judge::Settings> settings_from(const Options& options) {
  judge::Settings settings;
  const Expected<double> alpha = options.number("--alpha", settings.alpha, 1e-6, 0.5);
  if (!alpha) return alpha.error();
  settings.alpha = *alpha;
  if (const auto text = options.value("--threshold")) {
    const Expected<double> threshold = share("--threshold", *text);
    if (!threshold) return threshold.error();
    settings.threshold = *threshold;
  }
  const std::vector<std::pair<std::string, bool*>> allowances{{"machines", &settings.allow_machines},
                                                              {"seeds", &settings.allow_seeds},
                                                              {"versions", &settings.allow_versions},
                                                              {"unfit", &settings.allow_unfit}};
  for (const std::string& list : options.values("--allow")) {
    std::size_t from = 0;
    while (from <= list.size()) {
      const std::size_t comma = std::min(list.find(',', from), list.size());
      const std::string word = list.substr(from, comma - from);
      from = comma + 1;
      const auto found = std::find_if(allowances.begin(), allowances.end(), [&](const auto& a) { return a.first == word; });
      if (found == allowances.end())
        return usage_error(fmt::format("--allow: expected machines, seeds, versions or unfit, found '{}'", word), "");
      *found->second = true;
    }
  }
  return settings;
}

/// A name on the command line: a file or folder as it is, or a revision.
struct Name {
  std::string text;
  std::string commit;  ///< "" where it is a path
};

Expected<Name> resolve(const std::string& text) {
  if (std::error_code problem; fs::exists(text, problem)) return Name{text, ""};
  const Error neither = usage_error(fmt::format("'{}' is neither a file nor a revision", text), "");
  const auto runner = [](const ChildSpec& spec) { return run_child(spec); };
  const auto revisions = measure::Revisions::open(root_dir(), measure::Revisions::default_cache(), runner);
  if (!revisions) return neither;
  const Expected<std::string> commit = revisions->resolve(text);
  if (!commit) return Error{neither.what, commit.error().hint, ExitStatus::kUsage};
  return Name{text, *commit};
}

/// The results in `folder` that have `commit`'s first digits in their name; the newest first.
std::vector<fs::path> results_of(const std::string& commit, const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.stem().string().find(commit.substr(0, 12)) != std::string::npos)
      found.push_back(path);
  }
  std::sort(found.rbegin(), found.rend());
  return found;
}

bool is_clean(const results::Source& source, const std::string& commit) {
  return source.commit == commit && source.state == "clean";
}

/// The newest clean result of a commit; with `base`, one session that holds both. Empty where there is none.
std::string find_result(const fs::path& folder, const std::string& commit, const std::string& base = "") {
  for (const fs::path& path : results_of(commit, folder)) {
    const Expected<results::Result> result = results::load_result(path);
    if (!result || !is_clean(result->source, commit)) continue;
    const results::Arm* arm = results::find_arm(*result, results::kBase);
    if (base.empty() || (arm != nullptr && is_clean(arm->source, base))) return path.string();
  }
  return "";
}

/// Paths for the names: two revisions that were measured in one session are that session alone.
Expected<std::vector<std::string>> paths_for(const std::vector<std::string>& texts) {
  std::vector<Name> names;
  for (const std::string& text : texts) {
    const Expected<Name> name = resolve(text);
    if (!name) return name.error();
    names.push_back(*name);
  }
  const Expected<results::Machine> machine = measure::this_machine();
  if (!machine) return machine.error();
  const fs::path folder = results::machine_folder(root_dir(), *machine);
  if (names.size() == 2 && !names[0].commit.empty() && !names[1].commit.empty())
    if (const std::string both = find_result(folder, names[1].commit, names[0].commit); !both.empty())
      return std::vector<std::string>{both};
  std::vector<std::string> paths;
  for (const Name& name : names) {
    paths.push_back(name.commit.empty() ? name.text : find_result(folder, name.commit));
    if (paths.back().empty())
      return usage_error(fmt::format("expected a result of {} ({}) without local changes in '{}', found none", name.text,
                                     name.commit.substr(0, 12), folder.string()),
                         fmt::format("at HEAD: python3 make.py run --against {} measures both in one session",
                                     names.front().text));
  }
  return paths;
}

Expected<ExitStatus> run(const Options& options) {
  const Expected<judge::Settings> settings = settings_from(options);
  if (!settings) return settings.error();
  const std::vector<std::string>& names = options.positional();
  if (names.empty() || names.size() > 2)
    return usage_error(fmt::format("expected BASE and HEAD, or one session with both arms, found {} names", names.size()),
                       "python3 make.py compare --help");
  if (options.has("--json") && options.has("--markdown"))
    return usage_error("--json and --markdown are two ways to say the same", "give one of them");
  const Expected<std::vector<std::string>> paths = paths_for(names);
  if (!paths) return paths.error();
  const Expected<Comparison> comparison =
      app::compare_named(*paths, {*settings, options.has("--independent-repetitions")});
  if (!comparison) return comparison.error();
  if (const auto path = options.value("--junit")) {
    const Expected<void> written = write_file(*path, report::to_junit(*comparison));
    if (!written) return written.error();
  }
  const std::string text =
      options.has("--json")       ? report::to_json(*comparison)
      : options.has("--markdown") ? report::to_markdown(*comparison)
                                  : report::to_text(*comparison, {is_live_terminal(STDOUT_FILENO), options.has("--all"),
                                                           output_width(STDOUT_FILENO)});
  fmt::print("{}", text);
  return judge::exit_status(*comparison);
}

}  // namespace

Command compare_command() {
  return {"compare",
          "BASE HEAD|SESSION [--alpha A] [--threshold SHARE] [--json|--markdown]\n"
          "       [--junit FILE]",
          "what head is to base: regressed, improved, same or unknown, benchmark by benchmark",
          {{"--alpha", "A", "chance of any false finding in the table (default: 0.05)"},
           {"--threshold", "SHARE", "what is less is no finding: '1%' or 0.01 (default: 0.5%)"},
           {"--json", "", "one object"},
           {"--markdown", "", "for a comment on a pull request"},
           {"--junit", "FILE", "writes a test report too"},
           {"--all", "", "lists what is the same and every exact change too"},
           {"--independent-repetitions", "", "each repetition in a Google Benchmark file was a process of its own,"},
           {"", "", "by turns with the other file's"},
           {"--allow", "WORD,...", "machines, seeds: shows what differs, not judged;"},
           {"", "", "versions: compares them; unfit: judges all the same"}},
          run};
}

}  // namespace lab::cli
