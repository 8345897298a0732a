// run: measures benchmarks and writes one result. Progress goes to standard error; standard output has the table and,
// as its last line, the result's path.
#include "harness/app/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <limits>

#include "harness/base/interrupt.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/cli/run_terminal.h"
#include "harness/report/forecast_text.h"

namespace lab::cli {

namespace {

/// The value of --target, in per cent ("0.5%" or "0.5"), as a share.
Expected<double> parse_target(const Options& options, double fallback) {
  const std::optional<std::string> text = options.value("--target");
  if (!text) return fallback;
  if (options.has("--processes"))
    return usage_error("--processes says how long, so --target has nothing to say", "one of the two");
  const std::string number = text->substr(0, text->size() - (text->ends_with('%') ? 1 : 0));
  double percent = 0;
  const auto [rest, problem] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (problem != std::errc{} || rest != number.data() + number.size() || !(percent >= 0.01 && percent <= 50))
    return usage_error(fmt::format("--target: expected a percentage from 0.01% to 50%, found '{}'", *text),
                       "--target 1%");
  return percent / 100;
}

Expected<measure::Pace> parse_pace(const Options& options) {
  if (options.has("--quick") + options.has("--full") + options.has("--processes") > 1)
    return usage_error("expected at most one of --quick, --full and --processes", "");
  measure::Pace pace = options.has("--quick")  ? measure::quick_pace()
                       : options.has("--full") ? measure::full_pace()
                                               : measure::default_pace();
  if (options.has("--processes")) {
    const Expected<std::int64_t> processes = options.integer("--processes", 0, 1, 10'000);
    if (!processes) return processes.error();
    pace = measure::processes_pace(static_cast<int>(*processes));
  }
  const Expected<double> budget = options.number("--budget", pace.budget_seconds, 0.1, 1e7);
  if (!budget) return budget.error();
  pace.budget_seconds = *budget;
  const Expected<double> target = parse_target(options, pace.target);
  if (!target) return target.error();
  pace.target = *target;
  return pace;
}

/// The request, from the command line alone.
Expected<app::RunRequest> parse_request(const Options& options) {
  if (!options.positional().empty())
    return usage_error(fmt::format("run takes no argument, found '{}'", options.positional().front()),
                       fmt::format("python3 make.py run --filter '{}'", options.positional().front()));
  app::RunRequest request;
  const Expected<measure::Pace> pace = parse_pace(options);
  if (!pace) return pace.error();
  request.pace = *pace;
  if (options.has("--target")) request.target = pace->target;
  request.filters = options.values("--filter");
  request.revision = options.value("--revision");
  request.against = options.value("--against");
  if (const std::optional<std::string> out = options.value("--out")) request.out = *out;
  const Expected<std::int64_t> seed = options.integer("--seed", 1, 0, std::numeric_limits<std::int64_t>::max());
  if (!seed) return seed.error();
  request.seed = static_cast<std::uint64_t>(*seed);
  const Expected<double> timeout = options.number("--timeout", 0, 0.1, 1e6);
  if (!timeout) return timeout.error();
  if (*timeout > 0) request.process_timeout = *timeout;
  if (options.has("--plan") && options.has("--revision"))
    return usage_error("--plan starts nothing, so it cannot build a --revision", "leave --revision out");
  if (options.has("--json") && !options.has("--plan"))
    return usage_error("--json belongs to --plan: a session's result is JSON anyhow", "leave --json out");
  for (const char* const name : {"--out", "--report"})
    if (options.has("--plan") && options.has(name))
      return usage_error(fmt::format("--plan writes nothing, found {}", name), fmt::format("leave {} out", name));
  return request;
}

Expected<ExitStatus> print_forecast(const app::RunRequest& request, const app::RunObserver& observer, bool as_json) {
  const Expected<judge::Forecast> forecast = app::forecast_run(request, observer);
  if (!forecast) return forecast.error();
  fmt::print("{}", as_json ? report::to_json(*forecast)
                           : report::to_text(*forecast, request.filters, output_width(STDOUT_FILENO)));
  return ExitStatus::kOk;
}

Expected<ExitStatus> run(const Options& options) {
  Expected<app::RunRequest> request = parse_request(options);
  if (!request) return request.error();
  const InterruptGuard guard;
  request->stop_file = guard.file();
  RunTerminal terminal(options.value("--report"));
  if (options.has("--plan")) return print_forecast(*request, terminal.observer(), options.has("--json"));
  const Expected<app::RunOutcome> outcome = app::run(*request, terminal.observer());
  if (!outcome) return outcome.error();
  terminal.end(*outcome);
  return app::exit_status(*outcome);
}

}  // namespace

Command run_command() {
  return {"run",
          "[--filter GLOB]... [--quick|--full|--processes N] [--budget SECONDS] [--revision REV] [--against REV|BUILD] "
          "[--seed N] [--out FILE]",
          "measure benchmarks, write a result; its path is the last line on standard output",
          {{"--filter", "GLOB", "only these benchmarks (family, family/variant or the whole name)"},
           {"--quick", "", "2 minutes of measuring (default: 8)"},
           {"--full", "", "until every interval is within 1 %, an hour at most"},
           {"--processes", "N", "N processes of every benchmark"},
           {"--budget", "SECONDS", "this much measuring instead"},
           {"--revision", "REV", "measure this revision instead, built by its own make.py in a worktree"},
           {"--against", "REV|BUILD", "measure this revision or build beside it, interleaved"},
           {"--target", "PERCENT", "until every interval is within it (default with --against: 0.25)"},
           {"--plan", "", "say which change this session could see, and start nothing"},
           {"--json", "", "with --plan: as one line of JSON"},
           {"--seed", "N", "of the workloads and of the order (default: 1)"},
           {"--timeout", "SECONDS", "kill a process that takes longer"},
           {"--out", "FILE", "write the result there instead of results/<machine>/"},
           {"--report", "DIR", "keep a report of what there is so far in DIR"}},
          run};
}

}  // namespace lab::cli
