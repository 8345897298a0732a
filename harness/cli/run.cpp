// run: measures benchmarks and writes one result. The last line of standard output is its path.
#include "harness/app/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

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
  if (options.has("--processes")) return usage_error("--processes and --target cannot be combined", "give one of them");
  const std::string number = text->substr(0, text->size() - (text->ends_with('%') ? 1 : 0));
  double percent = 0;
  const auto [rest, problem] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (problem != std::errc{} || rest != number.data() + number.size() || !(percent >= 0.01 && percent <= 50))
    return usage_error(fmt::format("--target: expected a percentage from 0.01% to 50%, found '{}'", *text),
                       "--target 1%");
  return percent / 100;
}

Expected<measure::SessionLength> parse_length(const Options& options) {
  if (options.has("--quick") + options.has("--full") + options.has("--processes") > 1)
    return usage_error("expected at most one of --quick, --full and --processes", "");
  measure::SessionLength length = options.has("--quick")  ? measure::quick_length()
                                  : options.has("--full") ? measure::full_length()
                                                          : measure::default_length();
  std::optional<int> processes;
  if (const auto read = options.read("--processes", processes, 1, 10'000); !read) return read.error();
  if (processes) length = measure::processes_length(*processes);
  std::optional<double> budget;
  if (const auto read = options.read("--budget", budget, 0.1, 1e7); !read) return read.error();
  if (budget) length.set_budget(*budget);
  const Expected<double> target = parse_target(options, length.target);
  if (!target) return target.error();
  length.target = *target;
  return length;
}

/// The request, from the command line alone.
Expected<app::RunRequest> parse_request(const Options& options) {
  if (const auto none = options.refuse_arguments("run", "python3 make.py run --filter GLOB"); !none)
    return none.error();
  app::RunRequest request;
  const Expected<measure::SessionLength> length = parse_length(options);
  if (!length) return length.error();
  request.length = *length;
  if (options.has("--target")) request.target = length->target;
  request.filters = options.values("--filter");
  for (const std::string& file : options.values("--malloc")) request.mallocs.emplace_back(file);
  request.revision = options.value("--revision");
  request.against = options.value("--against");
  request.fixed = options.has("--fixed");
  request.until_stopped = options.has("--until-signal");
  if (const std::optional<std::string> out = options.value("--out")) request.out = *out;
  if (const auto read = options.read("--seed", request.seed, 0, kMostSeed); !read) return read.error();
  if (const auto read = options.read("--timeout", request.process_timeout, 0.1, 1e6); !read) return read.error();
  if (options.has("--plan") && options.has("--revision"))
    return usage_error("--plan starts nothing, so it cannot build a --revision", "leave out --revision");
  if (options.has("--json") && !options.has("--plan"))
    return usage_error("--json needs --plan; the result of a session is always JSON", "leave out --json");
  for (const char* const name : {"--out", "--report"})
    if (options.has("--plan") && options.has(name))
      return usage_error(fmt::format("--plan writes nothing, found {}", name), fmt::format("leave out {}", name));
  return request;
}

Expected<ExitStatus> print_forecast(const app::RunRequest& request, measure::SessionEvents& events, bool as_json) {
  const Expected<judge::Forecast> forecast = app::forecast_run(request, events);
  if (!forecast) return forecast.error();
  fmt::print("{}", as_json ? report::to_json(*forecast)
                           : report::to_text(*forecast, request.filters, output_width(STDOUT_FILENO)));
  return ExitStatus::kOk;
}

Expected<ExitStatus> run_session(const Options& options) {
  Expected<app::RunRequest> request = parse_request(options);
  if (!request) return request.error();
  const InterruptGuard guard;
  request->stop_file = guard.file();
  RunTerminal terminal(options.value("--report"));
  if (options.has("--plan")) return print_forecast(*request, terminal, options.has("--json"));
  const Expected<app::RunOutcome> outcome = app::run(*request, terminal);
  if (!outcome) return outcome.error();
  terminal.end(*outcome);
  return app::exit_status(*outcome);
}

}  // namespace

Command run_command() {
  return {"run",
          "[--filter GLOB]... [--malloc FILE]... [--quick|--full|--processes N] [--budget SECONDS] [--revision REV] "
          "[--against REV|BUILD] [--seed N] [--out FILE]",
          "measure benchmarks and write a result; the last line of output is its path",
          {{"--filter", "GLOB", "only these benchmarks (family, family/variant or family/variant/workload)"},
           {"--malloc", "FILE", "also measure this shared library, preloaded as malloc"},
           {"--quick", "", "measure the core workloads for 2 minutes, 3 if slow (default: 8, the others in turns)"},
           {"--full", "", "measure until every interval is within 1 %, for an hour at most"},
           {"--processes", "N", "N processes of each benchmark"},
           {"--budget", "SECONDS", "measure for this long instead"},
           {"--revision", "REV", "measure this revision instead, built by its own make.py in a worktree"},
           {"--against", "REV|BUILD", "also measure this revision or build, interleaved"},
           {"--target", "PERCENT", "measure until every interval is within it (default with --against: 0.25)"},
           {"--fixed", "", "also measure the machine's fixed build (nightly)"},
           {"--until-signal", "", "SIGTERM ends the budget, as in a Slurm job"},
           {"--plan", "", "print which changes this session could detect; start nothing"},
           {"--json", "", "with --plan: one line of JSON"},
           {"--seed", "N", "for the workloads and the order (default: 1)"},
           {"--timeout", "SECONDS", "kill a process after this time"},
           {"--out", "FILE", "write the result to FILE instead of results/<machine>/"},
           {"--report", "DIR", "a page in DIR after each block, a report at the end"}},
          run_session,
          "If the time is too short for all benchmarks, the core workloads of each family are always measured, and "
          "the others take turns over the sessions of this machine; the output names those that wait. --quick and "
          "--against measure core workloads. --filter and --processes measure exactly what they select.\n\n"
          "--malloc ./libmine.so is measured as the variant libmine.so@HASH (of its content) in each family that has a "
          "host for it: --filter '*/libmine.so@*/*' selects it. Exit status 2: FILE is no shared library for this "
          "machine. 1: it does not conform. 4: the session is unfit, and no time of it is judged."};
}

}  // namespace lab::cli
