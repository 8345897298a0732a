#include "harness/cli/run_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <optional>

#include "harness/base/fit.h"
#include "harness/base/layout.h"
#include "harness/base/terminal.h"
#include "harness/judge/compare.h"
#include "harness/results/journal.h"
#include "harness/results/result.h"
#include "harness/judge/summary.h"
#include "harness/stats/power.h"
#include "harness/stats/spread.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// How sure a change of the size that is named would be found.
constexpr double kPower = 0.9;

/// The newest result of which any of the session's benchmarks has processes enough to know their noise.
std::optional<results::Result> newest_pilot(const measure::SessionSpec& spec, const fs::path& folder) {
  const std::vector<fs::path> paths = results::results_in(folder);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    Expected<results::Result> result = results::load_result(*path);
    if (!result) continue;
    for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
      if (judge::process_times(*result, benchmark.name).size() >= stats::kLeastForSpread) return std::move(*result);
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
int planned_blocks(const measure::SessionSpec& spec, const results::Result& pilot) {
  std::vector<std::optional<double>> overheads;
  for (const measure::Benchmark& benchmark : spec.selection.benchmarks)
    overheads.push_back(overhead_of(pilot, benchmark.name));
  for (const measure::ArmBenchmark& other : spec.beside) overheads.push_back(overhead_of(pilot, other.benchmark.name));
  return measure::planned_blocks(spec.pace, overheads);
}

/// What is known of one benchmark before the session.
struct Row {
  std::string benchmark;
  std::optional<double> noise;    ///< between processes, a share
  std::optional<double> visible;  ///< the smallest change that would be found, a share
};

std::vector<Row> rows_of(const measure::SessionSpec& spec, const std::optional<results::Result>& pilot, int blocks) {
  const std::vector<measure::Benchmark>& benchmarks = spec.selection.benchmarks;
  std::vector<Row> rows;
  for (const measure::Benchmark& benchmark : benchmarks) {
    Row& row = rows.emplace_back(Row{benchmark.name, {}, {}});
    if (pilot) row.noise = stats::spread_between(judge::process_times(*pilot, benchmark.name));
    if (!row.noise) continue;
    row.visible = stats::visible_change(
        {static_cast<std::size_t>(blocks), *row.noise, benchmarks.size(), measure::kAlpha, judge::kThreshold, kPower});
  }
  return rows;
}

void print_how_to_know(const fs::path& folder, const std::vector<std::string>& filters) {
  fmt::print("No result in {} has {} processes of any of these benchmarks, so their noise is not known.\n",
             folder.string(), stats::kLeastForSpread);
  fmt::print("A pilot is enough: python3 make.py run --processes 6 --budget 60");
  for (const std::string& filter : filters) fmt::print(" --filter '{}'", filter);
  fmt::print("\n");
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "unknown";
}

void print_table(const std::vector<Row>& rows, const results::Result& pilot, int blocks) {
  const std::size_t width = output_width(STDOUT_FILENO);
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows)
    cells.push_back({row.benchmark, percent(row.noise), std::to_string(blocks), percent(row.visible)});
  fmt::print("{}\n", table_text({{"benchmark", false, true}, {"noise", true}, {"processes", true}, {"smallest change", true}},
                                cells, width));
  const std::string terms = fmt::format(
      "Noise between processes is that of {}; a change of that size against a base is found in {:.0f} % of sessions, "
      "in a table of {} rows with a threshold of {:.2g} %.",
      pilot.session.id, 100 * kPower, rows.size(), 100 * judge::kThreshold);
  fmt::print("{}\n", wrapped_after(terms, width, 0));
}

void print_json(const std::vector<Row>& rows, const std::optional<results::Result>& pilot, int blocks,
                const std::string& machine, double budget_seconds) {
  const auto known = [](const std::optional<double>& share) {
    return share ? json::value(*share) : json::value(nullptr);
  };
  json::array list;
  for (const Row& row : rows)
    list.push_back(json::object{{"benchmark", row.benchmark},
                                {"noise", known(row.noise)},
                                {"processes", pilot ? json::value(blocks) : json::value(nullptr)},
                                {"smallest_change", known(row.visible)}});
  const json::object plan{{"machine", machine},
                          {"budget_seconds", budget_seconds},
                          {"pilot", pilot ? json::value(pilot->session.id) : json::value(nullptr)},
                          {"power", kPower},
                          {"threshold", judge::kThreshold},
                          {"rows", std::move(list)}};
  fmt::print("{}\n", json::serialize(plan));
}

}  // namespace

Expected<ExitStatus> print_plan(const measure::SessionSpec& spec, const std::vector<std::string>& filters,
                                const results::Machine& machine, bool as_json) {
  const fs::path folder = results::machine_folder(root_dir(), machine);
  const std::optional<results::Result> pilot = newest_pilot(spec, folder);
  const int blocks = pilot ? planned_blocks(spec, *pilot) : 0;
  const std::vector<Row> rows = rows_of(spec, pilot, blocks);
  if (as_json)
    print_json(rows, pilot, blocks, machine.id, spec.pace.budget_seconds);
  else if (pilot)
    print_table(rows, *pilot, blocks);
  else
    print_how_to_know(folder, filters);
  return ExitStatus::kOk;
}

}  // namespace lab::cli
