// history: shows changes from session to session, with their size and commit range. Its exit status does not depend on
// the changes shown; nightly fails on a new regression.
#include "harness/app/history.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

#include "harness/app/farm.h"
#include "harness/app/farm_check.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/cli/commands.h"
#include "harness/report/badge.h"
#include "harness/report/farm_text.h"
#include "harness/report/history_text.h"
#include "harness/report/openmetrics.h"

namespace lab::cli {

namespace {

/// The text has the range of the smallest detectable steps of so many series. All of them would take seconds.
constexpr std::size_t kAsked = 64;

void show(const results::StoreProgress& progress, StatusLine& line) {
  if (progress.waiting) return line.print("history: waiting for another process that reads the same results");
  line.show(fmt::format("history: {}/{} results read", progress.done, progress.all));
}

/// The value of --export; none without it.
Expected<std::optional<std::string>> format_from(const Options& options) {
  constexpr const char* kExportExample = "python3 make.py history --export openmetrics --results DIR";
  const std::optional<std::string> format = options.value("--export");
  if (!format) return format;
  if (*format != "csv" && *format != "openmetrics" && *format != "badge")
    return usage_error(fmt::format("--export: expected csv, openmetrics or badge, found '{}'", *format),
                       kExportExample);
  if (*format == "csv") return format;
  for (const char* const other : {"--json", "--csv", "--night", "--farm"})
    if (options.has(other))
      return usage_error(fmt::format("--export {} and {} cannot be combined", *format, other), kExportExample);
  if (*format == "badge" && options.has("--benchmark"))
    return usage_error("--export badge is of all benchmarks, found --benchmark", "leave out --benchmark");
  return format;
}

Expected<ExitStatus> export_metrics(const std::filesystem::path& results, const std::optional<std::string>& benchmark,
                                    const app::HistoryObserver& observer) {
  const Expected<report::FarmMetrics> metrics = app::farm_metrics({results}, benchmark, observer);
  if (!metrics) return metrics.error();
  fmt::print("{}", report::to_openmetrics(*metrics));
  return ExitStatus::kOk;
}

Expected<ExitStatus> export_badge(const std::filesystem::path& results, const app::HistoryObserver& observer) {
  const Expected<app::FarmCheck> check = app::look_at_farm({results}, observer);
  if (!check) return check.error();
  fmt::print("{}", report::to_svg(report::farm_badge(check->farm, check->alarms)));
  return ExitStatus::kOk;
}

Expected<ExitStatus> run_history(const Options& options) {
  if (const auto none = options.refuse_arguments("history", "python3 make.py history --results DIR"); !none)
    return none.error();
  const std::optional<std::string> session = options.value("--night");
  if (session && (options.has("--benchmark") || options.has("--farm")))
    return usage_error("--night cannot be combined with --benchmark or --farm", "give one of them");
  const bool for_script = options.has("--json");
  const Expected<std::optional<std::string>> format = format_from(options);
  if (!format) return format.error();
  const std::filesystem::path results = options.value("--results").value_or(results_dir().string());
  StatusLine line(STDERR_FILENO);
  const app::HistoryObserver observer{[&](const results::StoreProgress& progress) { show(progress, line); },
                                      [&] { line.clear(); },
                                      [&](const std::string& sentence) { line.print("history: " + sentence); }};
  if (*format == "openmetrics") return export_metrics(results, options.value("--benchmark"), observer);
  if (*format == "badge") return export_badge(results, observer);
  if (session) {
    const Expected<judge::NightFitness> night = app::judge_night(results, *session, observer);
    if (!night) return night.error();
    fmt::print("{}", for_script ? report::to_json(*night) : report::to_text(*night));
    return ExitStatus::kOk;
  }
  const std::optional<std::string> benchmark = options.value("--benchmark");
  if (options.has("--farm")) {
    if (benchmark) return usage_error("--farm and --benchmark cannot be combined", "give one of them");
    const Expected<judge::Farm> farm = app::farm({results}, observer);
    if (!farm) return farm.error();
    fmt::print("{}", for_script ? report::to_json(*farm) : report::to_text(*farm, output_width(STDOUT_FILENO)));
    return ExitStatus::kOk;
  }
  const bool as_csv = options.has("--csv") || *format == "csv";
  if (for_script || as_csv) {
    if (for_script && as_csv) return usage_error("--json and --csv cannot be combined", "give one of them");
    if (as_csv) fmt::print("{}", report::kHistoryCsvHead);
    const Expected<void> told =
        app::for_each_machine({results, benchmark, true, true, for_script ? SIZE_MAX : 0}, observer,
                              [&](const std::vector<judge::SeriesHistory>& machine) {
                                for (const judge::SeriesHistory& one : machine)
                                  fmt::print("{}", for_script ? report::to_json(one) : report::to_csv(one));
                              });
    if (!told) return told.error();
    return ExitStatus::kOk;
  }
  const Expected<std::vector<judge::SeriesHistory>> histories =
      app::history({results, benchmark, false, false, kAsked}, observer);
  if (!histories) return histories.error();
  fmt::print("{}", report::to_text(*histories, output_width(STDOUT_FILENO), std::time(nullptr)));
  return ExitStatus::kOk;
}

}  // namespace

Command history_command() {
  return {"history",
          "[--benchmark GLOB | --night SESSION.json | --farm] [--results DIR] [--json | --csv | --export FORMAT]",
          "show what changed, night by night, and between which commits",
          {{"--benchmark", "GLOB", "only these benchmarks (family, family/variant or family/variant/workload)"},
           {"--night", "FILE", "judge this session against the nights before it"},
           {"--farm", "", "all machines together: what they share is told once, and who is silent or wrong"},
           {"--results", "DIR", "the results folder, with one subfolder per machine (default: results)"},
           {"--json", "", "one object per benchmark and machine, with all points; none without results"},
           {"--csv", "", "one row per point, for a database or a spreadsheet"},
           {"--export", "FORMAT",
            "csv, as --csv; openmetrics, the last session of each series for Prometheus; badge, an SVG"}},
          run_history};
}

}  // namespace lab::cli
