#include "harness/cli/run_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "harness/compare/compare.h"
#include "harness/results/journal.h"
#include "harness/results/result.h"
#include "harness/results/summary.h"
#include "harness/stats/power.h"
#include "harness/stats/spread.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

/// How sure a change of the size that is named would be found.
constexpr double kPower = 0.9;

/// The newest result of which any of the session's benchmarks has processes enough to know their noise.
std::optional<results::Result> newest_pilot(const exec::SessionSpec& spec, const fs::path& folder) {
  const std::vector<fs::path> paths = results::results_in(folder);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    Expected<results::Result> result = results::load_result(*path);
    if (!result) continue;
    for (const exec::Benchmark& benchmark : spec.selection.benchmarks)
      if (results::process_times(*result, benchmark.name).size() >= stats::kLeastForSpread) return std::move(*result);
  }
  return std::nullopt;
}

/// What a process of `benchmark` cost beside its timed part, on average; none where it did not run.
std::optional<double> overhead_of(const results::Result& pilot, const std::string& benchmark) {
  double seconds = 0;
  int processes = 0;
  for (const results::Process& process : pilot.processes) {
    if (process.benchmark != benchmark || process.timed_seconds <= 0) continue;
    seconds += std::max(0.0, process.wall_seconds - process.timed_seconds);
    ++processes;
  }
  return processes == 0 ? std::nullopt : std::optional(seconds / processes);
}

/// How many blocks the session would have, with what its processes have cost before.
int planned_blocks(const exec::SessionSpec& spec, const results::Result& pilot) {
  std::vector<std::optional<double>> overheads;
  for (const exec::Benchmark& benchmark : spec.selection.benchmarks)
    overheads.push_back(overhead_of(pilot, benchmark.name));
  for (const exec::ArmBenchmark& other : spec.beside) overheads.push_back(overhead_of(pilot, other.benchmark.name));
  return exec::planned_blocks(spec.pace, overheads);
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "unknown";
}

}  // namespace

Expected<ExitStatus> print_plan(const exec::SessionSpec& spec, const std::vector<std::string>& filters,
                                const fs::path& machine_folder) {
  const std::optional<results::Result> pilot = newest_pilot(spec, machine_folder);
  if (!pilot) {
    fmt::print("No result in {} has {} processes of any of these benchmarks, so their noise is not known.\n",
               machine_folder.string(), stats::kLeastForSpread);
    fmt::print("A pilot is enough: python3 make.py run --processes 6 --budget 60");
    for (const std::string& filter : filters) fmt::print(" --filter '{}'", filter);
    fmt::print("\n");
    return ExitStatus::kOk;
  }
  const int blocks = planned_blocks(spec, *pilot);
  const std::vector<exec::Benchmark>& benchmarks = spec.selection.benchmarks;
  std::size_t width = std::string_view("benchmark").size();
  for (const exec::Benchmark& benchmark : benchmarks) width = std::max(width, benchmark.name.size());
  fmt::print("{:<{}}  {:>8}  {:>9}  {:>15}\n", "benchmark", width, "noise", "processes", "smallest change");
  for (const exec::Benchmark& benchmark : benchmarks) {
    const auto noise = stats::spread_between(results::process_times(*pilot, benchmark.name));
    const stats::Plan plan{static_cast<std::size_t>(blocks),
                           noise.value_or(0),
                           benchmarks.size(),
                           exec::kAlpha,
                           compare::kThreshold,
                           kPower};
    fmt::print("{:<{}}  {:>8}  {:>9}  {:>15}\n", benchmark.name, width, percent(noise), blocks,
               noise ? percent(stats::visible_change(plan)) : "unknown");
  }
  fmt::print(
      "\nNoise between processes is that of {}; a change of that size against a base is found in {:.0f} % of sessions, "
      "in a table of {} rows with a threshold of {:.2g} %.\n",
      pilot->session.id, 100 * kPower, benchmarks.size(), 100 * compare::kThreshold);
  return ExitStatus::kOk;
}

}  // namespace lab::cli
