// results: what concerns the result files themselves.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "harness/app/keep.h"
#include "harness/app/migrate.h"
#include "harness/base/fit.h"
#include "harness/base/layout.h"
#include "harness/base/printable.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/results/result.h"

namespace lab::cli {

namespace {

std::string megabytes(std::uintmax_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// Problems go to standard error, because the files that have one are still there.
ExitStatus tell_problems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) fmt::print(stderr, "results: {}\n", printable(problem));
  return problems.empty() ? ExitStatus::kOk : ExitStatus::kFailed;
}

void print_one(const app::MigratedResult& one) {
  if (!one.problem.empty())
    fmt::print("{}: {}\n", one.path.string(), one.problem);
  else
    fmt::print("{}: schema {}{}\n", one.path.string(), one.schema,
               one.rewritten ? fmt::format(", now {}", results::kSchema) : ", good");
}

Expected<ExitStatus> run_migrate(const Options& options, std::span<const std::string> paths) {
  app::MigrateRequest request{{paths.begin(), paths.end()}, options.has("--check")};
  if (request.paths.empty()) request.paths.push_back(options.value("--results").value_or(results_dir().string()));
  const Expected<std::size_t> problems = app::migrate(request, print_one);
  if (!problems) return problems.error();
  return *problems == 0 ? ExitStatus::kOk : ExitStatus::kFailed;
}

Expected<ExitStatus> run_pack(const Options& options, bool unpack) {
  app::PackRequest request;
  request.unpack = unpack;
  if (const auto results = options.value("--results")) request.results = *results;
  std::uint64_t newest = request.newest;
  if (const auto read = options.read("--newest", newest, 0, 1'000'000); !read) return read.error();
  request.newest = newest;
  const Expected<app::Packing> done = app::pack(request);
  if (!done) return done.error();
  fmt::print("{} {}packed: {} before, {} now\n", counted(done->results, "result"), unpack ? "un" : "",
             megabytes(done->before), megabytes(done->after));
  return tell_problems(done->problems);
}

Expected<ExitStatus> run_keep(const Options& options) {
  app::KeepRequest request;
  if (const auto results = options.value("--results")) request.results = *results;
  const auto read = [&](const char* option, std::optional<double>& days) -> Expected<void> {
    const std::optional<std::string> text = options.value(option);
    if (!text) return {};
    const Expected<double> parsed = app::parse_days(option, *text);
    if (!parsed) return parsed.error();
    days = *parsed;
    return {};
  };
  if (const auto right = read("--samples", request.samples_days); !right) return right.error();
  if (const auto right = read("--exhibits", request.exhibits_days); !right) return right.error();
  if (!request.samples_days && !request.exhibits_days)
    return usage_error("expected --samples or --exhibits with an age, found neither",
                       "python3 make.py results keep --samples 90d --exhibits 30d");
  if (options.has("--yes") && options.has("--dry-run"))
    return usage_error("--yes and --dry-run cannot be combined", "give one of them");
  request.remove = options.has("--yes");
  StatusLine line(STDERR_FILENO);
  const app::HistoryObserver observer{
      [&](const results::StoreProgress& progress) {
        line.show(fmt::format("results: {}/{} results read", progress.done, progress.all));
      },
      [&] { line.clear(); }, [&](const std::string& sentence) { line.print("results: " + sentence); }};
  const Expected<app::Keeping> kept = app::keep(request, observer);
  if (!kept) return kept.error();
  std::uintmax_t before = 0, after = 0;
  for (const app::Removal& one : kept->removed) {
    before += one.before;
    after += one.after;
    if (!request.remove)
      fmt::print("{}: {}\n", printable(one.base.string()),
                 one.samples && one.exhibits ? "samples and exhibits"
                 : one.samples               ? "samples"
                                             : "exhibits");
  }
  fmt::print("{} {}: {} before, {} {}; {} of that age stay whole\n",
             request.remove ? "removed from" : "would be removed from", counted(kept->removed.size(), "result"),
             megabytes(before), megabytes(after), request.remove ? "now" : "then", counted(kept->kept, "session"));
  if (!request.remove && !kept->removed.empty()) fmt::print("nothing was changed: --yes removes it\n");
  return tell_problems(kept->problems);
}

Expected<ExitStatus> run_results(const Options& options) {
  const std::vector<std::string>& words = options.positional();
  const std::string verb = words.empty() ? "" : words.front();
  if (verb == "migrate") return run_migrate(options, std::span(words).subspan(1));
  constexpr std::array<std::string_view, 4> kVerbs{"migrate", "pack", "unpack", "keep"};
  if (std::ranges::find(kVerbs, verb) == kVerbs.end())
    return usage_error(verb.empty() ? "expected migrate, pack, unpack or keep, found nothing"
                                    : fmt::format("expected migrate, pack, unpack or keep, found '{}'", verb),
                       "python3 make.py results --help");
  if (words.size() > 1)
    return usage_error(fmt::format("results {}: expected options, found '{}'", verb, words[1]),
                       fmt::format("python3 make.py results {} --results DIR", verb));
  return verb == "keep" ? run_keep(options) : run_pack(options, verb == "unpack");
}

}  // namespace

Command results_command() {
  return {
      "results",
      "migrate [--check] [FILE|DIR]... | pack [--newest N] | unpack | keep [--samples AGE] [--exhibits AGE] [--yes]",
      "rewrite results of earlier schemas, pack them, and remove what is old",
      {{"--results", "DIR", "the results folder, with one subfolder per machine (default: results)"},
       {"--check", "", "migrate: write nothing: check that every result opens, compares and enters history"},
       {"--newest", "N",
        fmt::format("pack: leave the newest N of each machine as they are (default: {})", app::PackRequest().newest)},
       {"--samples", "AGE", "keep: remove the samples of sessions older than this, such as 90d, 12w or 1y"},
       {"--exhibits", "AGE", "keep: remove the exhibits of sessions older than this"},
       {"--dry-run", "", "keep: only say what would be removed (the default)"},
       {"--yes", "", "keep: remove it"}},
      run_results,
      "pack makes .json.zst of .json and one file of a folder of exhibits; all verbs read either. keep leaves "
      "medians, intervals, counters and provenance, so that no finding of history changes; of sessions at a change "
      "of level or of an alarm everything stays. Exit status: 0 fine, 1 a file could not be changed, 2 wrong usage."};
}

}  // namespace lab::cli
