// results: what concerns the result files themselves.
#include <fmt/format.h>

#include "harness/app/migrate.h"
#include "harness/base/layout.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/results/result.h"

namespace lab::cli {

namespace {

void print_one(const app::MigratedResult& one) {
  if (!one.problem.empty())
    fmt::print("{}: {}\n", one.path.string(), one.problem);
  else
    fmt::print("{}: schema {}{}\n", one.path.string(), one.schema,
               one.rewritten ? fmt::format(", now {}", results::kSchema) : ", good");
}

Expected<ExitStatus> run_results(const Options& options) {
  const std::vector<std::string>& words = options.positional();
  if (words.empty() || words.front() != "migrate")
    return usage_error(
        words.empty() ? "expected migrate, found nothing" : fmt::format("expected migrate, found '{}'", words.front()),
        "python3 make.py results migrate --check");
  app::MigrateRequest request{{words.begin() + 1, words.end()}, options.has("--check")};
  if (request.paths.empty()) request.paths.push_back(results_dir());
  const Expected<std::size_t> problems = app::migrate(request, print_one);
  if (!problems) return problems.error();
  return *problems == 0 ? ExitStatus::kOk : ExitStatus::kFailed;
}

}  // namespace

Command results_command() {
  return {"results",
          "migrate [--check] [FILE|DIR]...",
          "rewrite results of earlier schemas (default: all in results/)",
          {{"--check", "", "write nothing: check that every result opens, compares and enters history"}},
          run_results};
}

}  // namespace lab::cli
