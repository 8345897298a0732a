#include "harness/judge/condense.h"

#include <fmt/format.h>

#include <array>

#include "harness/judge/changes.h"
#include "harness/judge/exact.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"

namespace lab::judge {

namespace {

/// The pins that a variant's executable is built with or from. No other pin can change a time.
constexpr std::array kPins{"gcc",      "binutils", "sysroot",    "benchmark", "fmt",        "boost",
                           "jemalloc", "mimalloc", "gperftools", "vma",       "plf-colony", "spirv-cross"};

results::MeasurementEnvironment environment_of(const results::Result& result) {
  const results::MachineState& facts = result.facts;
  const results::Build& build = result.build;
  results::MeasurementEnvironment all{{"kernel", facts.kernel},
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
  if (judge_fitness(result).reason == kMachineReason) return kUnfitSession;
  return "";
}

}  // namespace

results::CondensedResult condense(const results::Result& result) {
  results::CondensedResult all{result.machine.id,
                               result.session.id,
                               result.session.started,
                               result.source.commit,
                               environment_of(result),
                               why_skipped(result),
                               {}};
  if (all.skipped.empty()) all.rows = condensed_rows(result);
  return all;
}

std::vector<results::CondensedRow> condensed_rows(const results::Result& result) {
  std::vector<results::CondensedRow> rows;
  const auto exact = exact_counters(result, results::kHead);
  const results::Arm* head = results::find_arm(result, results::kHead);
  for (const SummaryRow& row : summarize(result)) {
    if (!(row.value.median > 0)) continue;
    results::CondensedRow& kept = rows.emplace_back();
    kept.benchmark = row.benchmark;
    kept.value = row.value;
    kept.metric = row.metric;
    if (const results::WorkloadInfo* workload = results::find_workload(result, row.benchmark))
      kept.version = workload->version;
    // Once for each benchmark, not again for each of its metrics.
    if (row.benchmark == results::without_metric(row.benchmark)) kept.exact = exact.at(row.benchmark);
    if (head == nullptr) continue;
    const results::BenchmarkParts parts = results::benchmark_parts(row.benchmark);
    const auto executable = head->executables.find(fmt::format("{}/{}", parts.family, parts.variant));
    if (executable != head->executables.end()) kept.executable = executable->second;
  }
  return rows;
}

}  // namespace lab::judge
