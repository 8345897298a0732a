#include "harness/judge/compared_arm.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <tuple>

#include "harness/base/error.h"
#include "harness/base/fit.h"

namespace lab::judge {

using results::Process;
using results::WorkloadInfo;

namespace {

using results::Result;
using stats::Datum;

bool on_one_machine(const ComparedArm& base, const ComparedArm& head) {
  return base.machine() == head.machine();
}

/// Whether the same executable is the same code in both: the C library and kernel too must be known and the same.
bool has_same_environment(const ComparedArm& base, const ComparedArm& head) {
  if (&base.result() == &head.result()) return true;
  const results::MachineState &a = base.result().facts, &b = head.result().facts;
  const auto alike = [](const std::string& one, const std::string& other) {
    return one == other && !one.empty() && one != "unknown";
  };
  // Older results have only the version of the C library.
  const bool one_build = a.libc_build == b.libc_build || a.libc_build.empty() || b.libc_build.empty();
  return on_one_machine(base, head) && alike(a.kernel, b.kernel) && alike(a.libc, b.libc) && one_build;
}

bool is_measured_in_both(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  return base.has(benchmark) && head.has(benchmark);
}

/// The seeds of a benchmark on both sides: exactly one if the two can be compared.
std::set<std::uint64_t> seeds_of(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  std::set<std::uint64_t> seeds;
  const std::uint64_t before = base.result().session.seed, now = head.result().session.seed;
  if (before != now) seeds = {before, now};
  for (const ComparedArm* side : {&base, &head})
    seeds.insert(side->seeds(benchmark).begin(), side->seeds(benchmark).end());
  return seeds;
}

/// Whether a benchmark's two sides did different work.
bool differs_in_seed(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  return is_measured_in_both(base, head, benchmark) && seeds_of(base, head, benchmark).size() > 1;
}

/// "1 and 2", and in which benchmarks if not in all; "" if every benchmark has one seed.
std::string other_seeds(const ComparedArm& base, const ComparedArm& head) {
  std::set<std::uint64_t> seeds;
  std::vector<std::string> found;
  bool all = true;
  for (const std::string& benchmark : base.benchmarks()) {
    if (!differs_in_seed(base, head, benchmark)) {
      all = all && !head.has(benchmark);
      continue;
    }
    seeds.merge(seeds_of(base, head, benchmark));
    found.push_back(benchmark);
  }
  if (found.empty()) return "";
  const std::string text = fmt::format("{}", fmt::join(seeds, " and "));
  return all ? text : fmt::format("{} in {}", text, first_names(std::move(found)));
}

/// "family/workload" of the benchmarks that both measured.
std::set<std::string> common_workloads(const ComparedArm& base, const ComparedArm& head) {
  std::set<std::string> workloads;
  for (const std::string& benchmark : base.benchmarks()) {
    const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
    if (head.has(benchmark)) workloads.insert(fmt::format("{}/{}", parts.family, parts.workload));
  }
  return workloads;
}

/// Workloads with different versions: "family/workload (1 and 2)".
std::vector<std::string> other_versions(const ComparedArm& base, const ComparedArm& head) {
  const std::map<std::string, int> of_base = base.versions(), of_head = head.versions();
  std::vector<std::string> found;
  for (const std::string& workload : common_workloads(base, head)) {
    const auto a = of_base.find(workload), b = of_head.find(workload);
    if (a != of_base.end() && b != of_head.end() && a->second != b->second)
      found.push_back(fmt::format("{} ({} and {})", workload, a->second, b->second));
  }
  return found;
}

/// Number of blocks in which both have the same value; none if they differ in a block.
std::optional<std::size_t> common_values(const std::vector<Datum>& base, const std::vector<Datum>& head) {
  std::map<int, double> of_head;
  for (const Datum& datum : head) of_head.emplace(datum.block, datum.value);
  std::size_t common = 0;
  for (const Datum& datum : base) {
    const auto same_block = of_head.find(datum.block);
    if (same_block == of_head.end()) continue;
    if (same_block->second != datum.value) return std::nullopt;
    ++common;
  }
  return common;
}

}  // namespace

ComparedArm::ComparedArm(const results::Result& result, std::string_view arm, const CompareSettings& settings)
    : result_(&result), arm_(arm) {
  std::map<std::string, WorkloadInfo> workloads;  // by benchmark
  std::map<std::string, JudgedBlocks> blocks;     // by workload
  for (const Process& process : result.processes) {
    if (process.arm != arm) continue;
    auto known = workloads.find(process.benchmark);
    if (known == workloads.end())
      known = workloads.emplace(process.benchmark, results::workload_of(result, process.benchmark)).first;
    const results::BenchmarkParts parts = results::benchmark_parts(process.benchmark);
    const auto judged = blocks.try_emplace(fmt::format("{}/{}", parts.family, parts.workload), result,
                                           process.benchmark, settings.alpha);
    add(process, known->second, judged.first->second, settings.metrics);
  }
}

void ComparedArm::add(const Process& process, const WorkloadInfo& workload, const JudgedBlocks& blocks,
                      const std::vector<std::string>& also) {
  const bool judged = blocks.judges(process), level = blocks.is_level(process.benchmark);
  for (const results::Metric& metric : results::judged_metrics(workload, also)) {
    const bool is_time = metric.kind == results::MetricKind::kTime;
    if (is_time && !judged) continue;
    const std::optional<double> value = results::metric_value(workload, process, metric.name);
    if (!value) continue;
    Measured& measured = benchmarks_[results::metric_name(process.benchmark, workload, metric.name)];
    measured.values.push_back({process.block, *value, process.layout});
    measured.metric = metric;
    measured.seeds.insert(process.seed);
    measured.warming_up += process.warmup && !process.warmup->stationary;
    measured.level = level || !is_time;
  }
}

const ComparedArm::Measured& ComparedArm::find(const std::string& benchmark) const {
  static const Measured kNone;
  const auto found = benchmarks_.find(benchmark);
  return found == benchmarks_.end() ? kNone : found->second;
}

std::set<std::string> ComparedArm::benchmarks() const {
  std::set<std::string> names;
  for (const auto& [name, measured] : benchmarks_) names.insert(name);
  return names;
}

bool ComparedArm::is_warming_up(const std::string& benchmark) const {
  const Measured& measured = find(benchmark);
  return 2 * measured.warming_up > measured.values.size();
}

ComparisonSide ComparedArm::side() const {
  const results::Arm* arm = found_arm();
  const results::Source& source = arm == nullptr ? result_->source : arm->source;
  return {result_->session.id, result_->machine.id, source.commit.value_or(""), source.state, result_->session.started};
}

std::map<std::string, int> ComparedArm::versions() const {
  if (const results::Arm* arm = found_arm(); arm != nullptr && !arm->versions.empty()) return arm->versions;
  std::map<std::string, int> versions;
  for (const WorkloadInfo& workload : result_->workloads)
    versions[fmt::format("{}/{}", workload.family, workload.name)] = workload.version;
  return versions;
}

Error two_machines(const Result& base, const Result& head, std::string_view what) {
  return {fmt::format("expected {} of one machine, found '{}' and '{}'", what, base.machine.id, head.machine.id),
          "--allow machines shows them, not judged", ExitStatus::kUsage};
}

Expected<std::vector<Warning>> check_comparable(const ComparedArm& base, const ComparedArm& head,
                                                const CompareSettings& settings) {
  const std::string seeds = other_seeds(base, head);
  const std::vector<std::string> versions = other_versions(base, head);
  const struct {
    bool holds, allowed;
    Error refusal;
  } differences[]{
      {!on_one_machine(base, head), settings.allow_machines, two_machines(base.result(), head.result(), "sessions")},
      {!seeds.empty(), settings.allow_seeds,
       Error{fmt::format("expected one seed of the workloads, found {}", seeds), "--allow seeds shows them, not judged",
             ExitStatus::kUsage}},
      {!versions.empty(), settings.allow_versions,
       Error{fmt::format("expected one version of each workload, found two of {}", fmt::join(versions, ", ")),
             "--allow versions compares them all the same", ExitStatus::kUsage}}};
  std::vector<Warning> warnings;
  for (const auto& [holds, allowed, refusal] : differences) {
    if (holds && !allowed) return refusal;
    if (holds) warnings.emplace_back(AllowedRefusal{refusal.what});
  }
  return warnings;
}

bool is_identical(const ComparedArm& base, const ComparedArm& head, std::string_view benchmark) {
  const std::string hash = base.executable(benchmark);
  return !hash.empty() && hash == head.executable(benchmark) && has_same_environment(base, head);
}

Reason untested_reason(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  if (!on_one_machine(base, head)) return Reason::kMachine;
  if (differs_in_seed(base, head, benchmark)) return Reason::kSeeds;
  return is_identical(base, head, benchmark) ? Reason::kIdentical : Reason::kNone;
}

bool is_same_session(const ComparedArm& base, const ComparedArm& head) {
  const results::Session &one = base.result().session, &two = head.result().session;
  if (!on_one_machine(base, head) || one.id != two.id || one.started != two.started) return false;
  std::size_t common = 0;
  for (const std::string& benchmark : base.benchmarks()) {
    const auto values = common_values(base.values(benchmark), head.values(benchmark));
    if (!values) return false;
    common += *values;
  }
  return common > 0;
}

std::vector<Warning> changed_facts(const Result& base, const Result& head) {
  const results::MachineState &a = base.facts, &b = head.facts;
  const std::array facts{
      std::tuple{"kernel", &a.kernel, &b.kernel},
      std::tuple{"microcode", &a.microcode, &b.microcode},
      std::tuple{"governor", &a.governor, &b.governor},
      std::tuple{"turbo", &a.turbo, &b.turbo},
      std::tuple{"SMT", &a.smt, &b.smt},
      std::tuple{"ASLR", &a.aslr, &b.aslr},
      std::tuple{"transparent huge pages", &a.transparent_huge_pages, &b.transparent_huge_pages},
      std::tuple{"C library", &a.libc, &b.libc},
  };
  std::vector<Warning> found;
  for (const auto& [what, before, now] : facts)
    if (*before != *now) found.emplace_back(ChangedFact{what, *before, *now});
  if (a.libc == b.libc && !a.libc_build.empty() && !b.libc_build.empty() && a.libc_build != b.libc_build)
    found.emplace_back(PatchedLibrary{a.libc, a.libc_build, b.libc_build});
  return found;
}

std::vector<Warning> changed_builds(const ComparedArm& base, const ComparedArm& head) {
  const results::Build &a = base.build(), &b = head.build();
  const std::array facts{
      std::tuple{"toolchain", &a.toolchain, &b.toolchain},
      std::tuple{"compiler", &a.compiler, &b.compiler},
      std::tuple{"config", &a.config, &b.config},
      std::tuple{"flags", &a.flags, &b.flags},
      std::tuple{"march", &a.march, &b.march},
  };
  std::vector<Warning> found;
  for (const auto& [what, before, now] : facts)
    if (*before != *now) found.emplace_back(ChangedFact{what, *before, *now});
  return found;
}

}  // namespace lab::judge
