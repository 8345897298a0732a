// nightly: the cron job. make.py builds, then executes this. Standard output is the summary line only.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "harness/app/night.h"
#include "harness/app/night_world.h"
#include "harness/base/layout.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

constexpr int kKeep = 30;
constexpr double kMost = 999'999'999;

/// A number that make.py passes in the environment variable `name`, or `fallback`.
template <typename Number>
Number from_make(const char* name, Number fallback) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return fallback;
  const std::string_view digits = text;
  Number number = fallback;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

Expected<app::NightRequest> request_from(const Options& options) {
  if (!options.positional().empty())
    return usage_error(fmt::format("nightly takes no argument, found '{}'", options.positional().front()), "");
  app::NightRequest request;
  request.results = fs::absolute(options.value("--results").value_or(results_dir().string())).lexically_normal();
  request.spent_seconds = from_make("LAB_NIGHT_SPENT", 0.0);
  if (options.has("--budget")) {
    const Expected<double> seconds = options.number("--budget", 1, 1, kMost);
    if (!seconds) return seconds.error();
    request.budget_seconds = *seconds;
  }
  const Expected<std::int64_t> backfill = options.integer("--backfill", 0, 0, static_cast<std::int64_t>(kMost));
  if (!backfill) return backfill.error();
  const Expected<std::int64_t> keep = options.integer("--keep", kKeep, 1, static_cast<std::int64_t>(kMost));
  if (!keep) return keep.error();
  request.backfill = static_cast<int>(*backfill);
  request.keep = static_cast<int>(*keep);
  return request;
}

Expected<ExitStatus> run(const Options& options) {
  const Expected<app::NightRequest> request = request_from(options);
  if (!request) return request.error();
  const int lock = from_make("LAB_NIGHT_LOCK", -1);
  if (lock < 0 || ::fcntl(lock, F_GETFD) < 0)
    return usage_error("nightly is started by make.py, which holds its lock while it builds",
                       "python3 make.py nightly");
  std::error_code ignored;
  app::HarnessNightWorld world({fs::read_symlink("/proc/self/exe", ignored), root_dir(), request->results, lock},
                               [](std::string_view line) { fmt::print(stderr, "{}\n", line); });
  const Expected<app::NightVerdict> verdict = app::run_night(*request, world, [](const app::NightSummary& summary) {
    fmt::print("{}\n", summary.line);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
  });
  if (!verdict) return verdict.error();
  return app::status_of(*verdict);
}

}  // namespace

Command nightly_command() {
  return {"nightly",
          "[--budget SECONDS] [--results DIR] [--backfill N] [--keep N]",
          "what cron calls: fetch, build, run, judge, report; the last line sums up",
          {{"--budget", "SECONDS",
            "of the whole night: two thirds of what building leaves for measuring, the rest to bisect"},
           {"--results", "DIR", "results, reports and state: a folder that outlives the checkout (default: results)"},
           {"--backfill", "N", "first measure up to N commits that came after the last one this machine measured"},
           {"--keep", "N", fmt::format("reports that stay (default: {}); results always do", kKeep)}},
          run,
          "Exit status: 0 fine, 1 failed, 3 something became slower, 4 unfit for a verdict."};
}

}  // namespace lab::cli
