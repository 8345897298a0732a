// nightly: the cron job. make.py builds, then executes this. Standard output is the summary line only, or its object.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "harness/app/keep.h"
#include "harness/app/night.h"
#include "harness/app/night_environment.h"
#include "harness/base/layout.h"
#include "harness/base/own_loader.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/cli/notify_options.h"
#include "harness/measure/provenance.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

constexpr int kMost = 999'999'999;

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
  if (const auto none = options.refuse_arguments("nightly"); !none) return none.error();
  app::NightRequest request;
  request.results = fs::absolute(options.value("--results").value_or(results_dir().string())).lexically_normal();
  request.deliver_to = options.value("--deliver").value_or("");
  Expected<std::optional<app::NotifyRequest>> notify = notify_request(options);
  if (!notify) return notify.error();
  request.notify = std::move(*notify);
  request.spent_seconds = from_make("LAB_NIGHT_SPENT", 0.0);
  if (const auto read = options.read("--budget", request.budget_seconds, 1, kMost); !read) return read.error();
  if (const auto read = options.read("--backfill", request.backfill, 0, kMost); !read) return read.error();
  if (const auto read = options.read("--keep", request.keep, 1, kMost); !read) return read.error();
  for (const auto& [option, days] :
       {std::pair{"--keep-samples", &request.samples_days}, std::pair{"--keep-exhibits", &request.exhibits_days}})
    if (const std::optional<std::string> text = options.value(option)) {
      const Expected<double> parsed = app::parse_days(option, *text);
      if (!parsed) return parsed.error();
      *days = *parsed;
    }
  return request;
}

Expected<ExitStatus> run_nightly(const Options& options) {
  const Expected<app::NightRequest> request = request_from(options);
  if (!request) return request.error();
  if (measure::is_bundle(root_dir()))
    return usage_error("nightly builds and bisects, for which a bundle has no compiler; expected a checkout",
                       "python3 make.py run --budget 3600, then python3 make.py deliver --to DEST");
  const int lock = from_make("LAB_NIGHT_LOCK", -1);
  if (lock < 0 || ::fcntl(lock, F_GETFD) < 0)
    return usage_error("nightly must be started by make.py, which locks the results folder first",
                       "python3 make.py nightly");
  app::HarnessNightEnvironment environment({own_executable(), root_dir(), request->results, lock},
                                           [](std::string_view line) { fmt::print(stderr, "{}\n", line); });
  Expected<ExitStatus> verdict = app::run_night(*request, environment, [&](const app::NightSummary& summary) {
    fmt::print("{}\n", options.has("--json") ? app::night_json(summary) : summary.line);
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
  });
  // make.py wrote who holds the lock. What the next run finds there was killed.
  if (::ftruncate(lock, 0) != 0) fmt::print(stderr, "nightly: the lock is not emptied: {}\n", std::strerror(errno));
  return verdict;
}

}  // namespace

Command nightly_command() {
  std::vector<command::Option> options{
      {"--budget", "SECONDS",
       "for the whole night; of the time left after the build, measuring gets two thirds and bisects, or a "
       "second session after an unfit one, the rest. "
       "If it is too short for all benchmarks, those that are not core take turns over the nights"},
      {"--results", "DIR", "folder for results, reports and state; should outlive the checkout (default: results)"},
      {"--backfill", "N", "first measure up to N commits newer than the last one measured on this machine"},
      {"--keep", "N",
       fmt::format("number of reports to keep (default: {}); all results are kept", app::NightRequest().keep)},
      {"--keep-samples", "AGE", "remove the samples of this machine's sessions older than this, such as 90d"},
      {"--keep-exhibits", "AGE", "the same for their exhibits; results keep says which stay"},
      {"--deliver", "DEST", "then `deliver --to DEST`: this night's results, and those of earlier nights that wait"},
      {"--json", "", "one object in place of the summary line"}};
  for (command::Option& one : notify_options("")) options.push_back(std::move(one));
  return {"nightly",
          "[--budget SECONDS] [--results DIR] [--backfill N] [--keep N] [--keep-samples AGE] [--keep-exhibits AGE] "
          "[--deliver DEST] [--notify COMMAND] [--json]",
          "for cron: fetch, build, run, judge, report; the last line is a summary",
          std::move(options),
          run_nightly,
          "Exit status: 0 fine, 1 failed, 2 wrong usage, 3 regression, 4 unfit for a verdict."};
}

}  // namespace lab::cli
