// compare: compares head with base, with the certainty of each verdict.
#include "harness/app/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "harness/base/files.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/report/comparison_text.h"

namespace lab::cli {

namespace {

/// A share: "1%", "1 %" or "0.01".
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
  if (error != std::errc{} || end != rest.data() + rest.size() || !(number >= 0) ||
      !((percent ? number / 100 : number) < 1))
    return usage_error(fmt::format("{}: expected a share from 0 to below 1, as '1%' or '0.01', found '{}'", name, text),
                       "");
  return percent ? number / 100 : number;
}

Expected<judge::CompareSettings> settings_from(const Options& options) {
  judge::CompareSettings settings;
  if (const auto read = options.read("--alpha", settings.alpha, 1e-6, 0.5); !read) return read.error();
  if (const auto text = options.value("--threshold")) {
    const Expected<double> threshold = share("--threshold", *text);
    if (!threshold) return threshold.error();
    settings.threshold = *threshold;
  }
  settings.metrics = options.values("--metric");
  const std::vector<std::pair<std::string, bool*>> allowances{{"machines", &settings.allow_machines},
                                                              {"seeds", &settings.allow_seeds},
                                                              {"versions", &settings.allow_versions},
                                                              {"unfit", &settings.allow_unfit}};
  for (const std::string& list : options.values("--allow")) {
    for (const auto part : std::views::split(list, ',')) {
      const std::string_view word(part.begin(), part.end());
      const auto found =
          std::find_if(allowances.begin(), allowances.end(), [&](const auto& a) { return a.first == word; });
      if (found == allowances.end())
        return usage_error(fmt::format("--allow: expected machines, seeds, versions or unfit, found '{}'", word), "");
      *found->second = true;
    }
  }
  return settings;
}

Expected<ExitStatus> run_compare(const Options& options) {
  const Expected<judge::CompareSettings> settings = settings_from(options);
  if (!settings) return settings.error();
  const std::vector<std::string>& names = options.positional();
  if (names.empty() || names.size() > 2)
    return usage_error(
        fmt::format("expected BASE and HEAD, or one session with both arms, found {} names", names.size()),
        "python3 make.py compare --help");
  if (options.has("--json") && options.has("--markdown"))
    return usage_error("--json and --markdown cannot be combined", "give one of them");
  const Expected<judge::Comparison> comparison =
      app::compare({names, *settings, options.has("--independent-repetitions")});
  if (!comparison) return comparison.error();
  if (const auto path = options.value("--junit")) {
    const Expected<void> written = write_file(*path, report::to_junit(*comparison));
    if (!written) return written.error();
  }
  const std::string text = options.has("--json") ? report::to_json(*comparison)
                           : options.has("--markdown")
                               ? report::to_markdown(*comparison)
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
          "compare head with base: each benchmark regressed, improved, same or unknown",
          {{"--alpha", "A", "probability of any false finding in the table (default: 0.05)"},
           {"--threshold", "SHARE", "ignore smaller changes: '1%' or 0.01 (default: 0.5%)"},
           {"--metric", "NAME", "also judge this metric, for example a phase (may be repeated)"},
           {"--json", "", "one object"},
           {"--markdown", "", "for a comment on a pull request"},
           {"--junit", "FILE", "also write a test report"},
           {"--all", "", "also list unchanged benchmarks and every exact change"},
           {"--independent-repetitions", "", "each repetition in a Google Benchmark file was a separate process,"},
           {"", "", "interleaved with those of the other file"},
           {"--allow", "WORD,...", "machines, seeds: show different ones without verdicts;"},
           {"", "", "versions: compare them; unfit: give verdicts anyway"}},
          run_compare};
}

}  // namespace lab::cli
