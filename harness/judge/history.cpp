#include "harness/judge/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "harness/base/hash.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/judge/changes.h"
#include "harness/judge/common_changes.h"
#include "harness/judge/exact.h"
#include "harness/judge/fitness.h"
#include "harness/judge/judged_blocks.h"
#include "harness/judge/summary.h"

namespace lab::judge {

namespace {

/// The pins that a variant's executable is built with or from. No other pin can change a time.
constexpr std::array kPins{"gcc",      "binutils", "sysroot",    "benchmark", "fmt",        "boost",
                           "jemalloc", "mimalloc", "gperftools", "vma",       "plf-colony", "spirv-cross"};

results::MeasurementEnvironment environment_of(const results::Result& result) {
  const results::Machine& machine = result.machine;
  const results::MachineState& facts = result.facts;
  const results::Build& build = result.build;
  results::MeasurementEnvironment all{
      {"processor", machine.cpu_model},
      {"cores", fmt::format("{} physical, {} logical", machine.physical_cores, machine.logical_cores)},
      {"memory", fmt::format("{} GiB", machine.memory_gib)},
      {"gpus", fmt::format("{}", fmt::join(machine.gpus, ", "))},
      {kHost, result.context.host_name},
      {"kernel", facts.kernel},
      {"microcode", facts.microcode},
      {"governor", facts.governor},
      {"turbo", facts.turbo},
      {"smt", facts.smt},
      {"aslr", facts.aslr},
      {"transparent_huge_pages", facts.transparent_huge_pages},
      {"libc", facts.libc},
      {"distribution", facts.distribution},
      {"toolchain", build.toolchain},
      {"compiler", build.compiler},
      {"march", build.march},
      {"flags", build.flags},
      {kSeed, fmt::format("{}", result.session.seed)}};
  if (!facts.libc_build.empty()) all[kLibcBuild] = facts.libc_build;
  for (const char* pin : kPins)
    if (const auto found = result.pins.find(pin); found != result.pins.end())
      all[fmt::format("pin {}", pin)] = found->second.substr(0, 12);
  return all;
}

std::string why_skipped(const results::Result& result) {
  if (result.build.config != "release") return "no release build";
  if (result.session.state == "interrupted") return "interrupted session";
  if (result.source.dirty.value_or(false)) return "dirty source";
  // A session with a blind control stays: it is as noisy as its series, and the detector uses that noise.
  if (level_fitness(result).reason == kMachineReason) return kUnfitSession;
  return "";
}

}  // namespace

results::CondensedResult condense(const results::Result& result) {
  results::CondensedResult all{
      result.machine.id,      result.session.id,           result.session.started, result.source.commit,
      environment_of(result), result.session.medians_only, why_skipped(result),    {}};
  if (all.skipped.empty()) all.rows = condensed_rows(result);
  return all;
}

namespace {

/// The times of the fixed build: its executables never change, so what moves them is the machine.
void add_fixed(const results::Result& result, std::vector<results::CondensedRow>& rows) {
  const results::Arm* const fixed = results::find_arm(result, results::kFixed);
  if (fixed == nullptr) return;
  std::set<std::string> benchmarks;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kFixed) benchmarks.insert(process.benchmark);
  for (const std::string& benchmark : benchmarks) {
    const results::WorkloadInfo* const workload = results::find_workload(result, benchmark);
    const std::vector<stats::Datum> values = metric_values(result, benchmark, "", results::kFixed);
    if (workload == nullptr || values.empty() || !(median_of(values) > 0)) continue;
    if (!JudgedBlocks(result, benchmark).is_level(benchmark)) continue;
    results::CondensedRow& row = rows.emplace_back();
    row.benchmark = results::fixed_name(benchmark);
    row.value = estimate(values);
    row.metric = results::judged_metrics(*workload, {}).front();
    row.version = workload->version;
    row.executable = results::executable_of(fixed, benchmark);
  }
  std::ranges::sort(rows, {}, &results::CondensedRow::benchmark);
}

}  // namespace

std::vector<results::CondensedRow> condensed_rows(const results::Result& result) {
  std::vector<results::CondensedRow> rows;
  const auto exact = exact_counters(result, results::kHead);
  for (const SummaryRow& row : summarize(result)) {
    if (!(row.value.median > 0) || !row.level) continue;
    results::CondensedRow& kept = rows.emplace_back();
    kept.benchmark = row.benchmark;
    kept.value = row.value;
    kept.metric = row.metric;
    if (const results::WorkloadInfo* workload = results::find_workload(result, row.benchmark))
      kept.version = workload->version;
    // Once for each benchmark, not again for each of its metrics.
    if (row.benchmark == results::without_metric(row.benchmark)) kept.exact = exact.at(row.benchmark);
    kept.executable = results::executable_of(results::find_arm(result, results::kHead), row.benchmark);
  }
  add_fixed(result, rows);
  return rows;
}

template <typename F>
void fields(F& f, LevelChange& c) {
  std::optional<double> low, high;
  if (c.interval) low = c.interval->low, high = c.interval->high;
  std::size_t nights = c.nights();  // written for scripts, not read
  f("index", c.index);
  f("detected_at", c.detected_at);
  f("before", c.before);
  f("after", c.after);
  f("ratio", c.ratio);
  f("more_is_better", c.more_is_better);
  f("low", low);
  f("high", high);
  f("confidence", c.confidence);
  f("nights", nights);
  f("started", c.started);
  f("earliest", c.earliest);
  f("latest", c.latest);
  f("commits", c.commits);
  f("cause", c.cause);
  f("changed", c.changed);
  f("in_hindsight", c.in_hindsight);
  f("settled", c.settled);
  if (low && high) c.interval = stats::Interval{*low, *high};
}

LAB_JSON_STRUCT(MetricChange, index, metric, before, after, commits, started)
LAB_JSON_STRUCT(JudgedRange, nights_missing, from, reason)
LAB_JSON_STRUCT(SeriesPattern, switching, drifting, noise_ratio, noise_at, noise_started)
LAB_JSON_STRUCT(SeriesFindings, sessions, first, last, median, changes, metric_changes, judged, pattern, hosts)

namespace {

/// Contexts with the same key give the same findings.
std::string key_of(std::span<const WatchedSince> contexts) {
  std::string all;
  for (const WatchedSince& one : contexts) {
    all += fmt::format("{} {}", one.started, one.context.series);
    if (const std::optional<stats::SharedNoise>& shared = one.context.shared)
      all += fmt::format(" {} {} {} {}", shared->autocorrelation, shared->sigma, shared->worth,
                         fmt::join(shared->shape, " "));
    all += "\n";
  }
  return content_name(all);
}

std::vector<std::string> told_together(std::vector<results::JudgedSeries> all) {
  std::vector<SeriesHistory> histories;
  for (results::JudgedSeries& one : all)
    histories.push_back({std::move(one.key), parse_findings(one.findings), std::move(one.points)});
  tell_common(histories);
  std::vector<std::string> told;
  for (const SeriesHistory& one : histories) told.push_back(json::serialize(to_json(one.findings)));
  return told;
}

results::MachineRules rules_of(std::span<const results::TimedSeries> series, std::string& memory) {
  Memories of_machine = parse_memories(memory);
  const std::vector<WatchedSince> contexts = watched_machine(series, of_machine);
  memory = memories_text(of_machine);
  return {key_of(contexts),
          [contexts](std::span<const results::SeriesPoint> points, std::string& of_series) {
            Memories memories = parse_memories(of_series);
            std::string findings = json::serialize(to_json(find(points, contexts, memories)));
            std::erase_if(memories, [](const auto& one) { return one.second.empty(); });
            of_series = memories_text(memories);
            return findings;
          },
          told_together};
}

}  // namespace

SeriesFindings find(std::span<const results::SeriesPoint> points, std::span<const WatchedSince> contexts) {
  Memories none;
  return find(points, contexts, none);
}

SeriesFindings find(std::span<const results::SeriesPoint> points, std::span<const WatchedSince> contexts,
                    Memories& memories) {
  SeriesFindings findings{points.size(),
                          points.front().started,
                          points.back().started,
                          points.back().median,
                          find_changes(points, contexts, memories),
                          find_metric_changes(points),
                          {},
                          pattern_of(points),
                          hosts_of(points),
                          {}};
  findings.judged = judged_of(points, findings.changes);
  return findings;
}

json::value change_json(const LevelChange& change) {
  return to_json(change);
}

json::value change_json(const MetricChange& change) {
  return to_json(change);
}

results::StoreRules store_rules() {
  return {kFindingsVersion, condense, rules_of};
}

SeriesFindings parse_findings(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "findings");
  const Expected<SeriesFindings> findings = value ? from_json<SeriesFindings>(*value) : SeriesFindings{};
  return findings ? *findings : SeriesFindings{};
}

}  // namespace lab::judge
