#include "harness/judge/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <tuple>

#include "harness/base/digits.h"
#include "harness/judge/compare_exact.h"
#include "harness/judge/exact.h"
#include "harness/judge/summary.h"
#include "harness/results/metrics.h"
#include "harness/stats/layout_effect.h"
#include "harness/stats/power.h"
#include "harness/stats/quantile.h"
#include "harness/stats/spread.h"
#include "harness/stats/strata.h"

namespace lab::judge {

namespace {

using results::Arm;
using results::Process;
using results::Result;
using stats::BlockedArms;
using stats::Datum;

constexpr double kPowerOfAdvice = 0.8;
/// Number of benchmarks that a refusal names; it counts the rest.
constexpr std::size_t kNamed = 3;

/// One metric of the processes of one benchmark in one arm.
struct MetricData {
  std::vector<Datum> values;
  results::Metric metric;
  std::set<std::uint64_t> seeds;
  std::size_t warming_up = 0;  ///< processes that measured before their repetitions were stationary
};

/// One side of the comparison.
struct ComparedArm {
  const Result* result;
  std::string_view arm;
  std::map<std::string, MetricData> benchmarks;  ///< by name: "family/variant/workload" or with ":metric"
};

ComparedArm compared_arm(const Result& result, std::string_view arm, const CompareSettings& settings) {
  ComparedArm compared{&result, arm, {}};
  std::map<std::string, results::WorkloadInfo> workloads;  // by benchmark
  for (const Process& process : result.processes) {
    if (process.arm != arm) continue;
    auto known = workloads.find(process.benchmark);
    if (known == workloads.end())
      known = workloads.emplace(process.benchmark, results::workload_of(result, process.benchmark)).first;
    const results::WorkloadInfo& workload = known->second;
    for (const results::Metric& metric : results::judged_metrics(workload, settings.metrics)) {
      const std::optional<double> value = results::metric_value(workload, process, metric.name);
      if (!value) continue;
      MetricData& data = compared.benchmarks[results::metric_name(process.benchmark, workload, metric.name)];
      data.values.push_back({process.block, *value, process.layout});
      data.metric = metric;
      data.seeds.insert(process.seed);
      data.warming_up += process.warmup && !process.warmup->stationary;
    }
  }
  return compared;
}

ComparisonSide side_of(const ComparedArm& side) {
  const Arm* arm = results::find_arm(*side.result, side.arm);
  const results::Source& source = arm == nullptr ? side.result->source : arm->source;
  return {side.result->session.id, side.result->machine.id, source.commit.value_or(""), source.state,
          side.result->session.started};
}

std::map<std::string, int> versions_of(const ComparedArm& side) {
  if (const Arm* arm = results::find_arm(*side.result, side.arm); arm != nullptr && !arm->versions.empty())
    return arm->versions;
  std::map<std::string, int> versions;
  for (const results::WorkloadInfo& workload : side.result->workloads)
    versions[fmt::format("{}/{}", workload.family, workload.name)] = workload.version;
  return versions;
}

/// The hash of a benchmark's executable; "" if unknown.
std::string executable_of(const ComparedArm& side, std::string_view benchmark) {
  const Arm* arm = results::find_arm(*side.result, side.arm);
  if (arm == nullptr) return "";
  const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
  const auto found = arm->executables.find(fmt::format("{}/{}", parts.family, parts.variant));
  return found == arm->executables.end() ? "" : found->second;
}

/// Whether the same executable is the same code in both: the C library and kernel too must be known and the same.
bool has_same_environment(const ComparedArm& base, const ComparedArm& head) {
  if (base.result == head.result) return true;
  const results::MachineState &a = base.result->facts, &b = head.result->facts;
  const auto alike = [](const std::string& one, const std::string& other) {
    return one == other && !one.empty() && one != "unknown";
  };
  // Older results have only the version of the C library.
  const bool one_build = a.libc_build == b.libc_build || a.libc_build.empty() || b.libc_build.empty();
  return base.result->machine.id == head.result->machine.id && alike(a.kernel, b.kernel) && alike(a.libc, b.libc) &&
         one_build;
}

/// Whether the executable's hash is known and equal, and the environment too.
bool is_identical(const ComparedArm& base, const ComparedArm& head, std::string_view benchmark) {
  const std::string hash = executable_of(base, benchmark);
  return !hash.empty() && hash == executable_of(head, benchmark) && has_same_environment(base, head);
}

/// Whether both are one session, or a session and a part of it: its processes would be compared with themselves.
bool is_same_session(const ComparedArm& base, const ComparedArm& head) {
  const results::Session &one = base.result->session, &two = head.result->session;
  if (base.result->machine.id != head.result->machine.id) return false;
  if (one.id != two.id || one.started != two.started) return false;
  std::size_t common = 0;
  for (const auto& [benchmark, data] : base.benchmarks) {
    const auto other = head.benchmarks.find(benchmark);
    if (other == head.benchmarks.end()) continue;
    std::map<int, double> of_head;
    for (const Datum& datum : other->second.values) of_head.emplace(datum.block, datum.value);
    for (const Datum& datum : data.values) {
      const auto same_block = of_head.find(datum.block);
      if (same_block == of_head.end()) continue;
      if (same_block->second != datum.value) return false;
      ++common;
    }
  }
  return common > 0;
}

/// The seeds of a benchmark on both sides: exactly one if the two can be compared.
std::set<std::uint64_t> seeds_of(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  std::set<std::uint64_t> seeds;
  if (base.result->session.seed != head.result->session.seed)
    seeds = {base.result->session.seed, head.result->session.seed};
  for (const ComparedArm* side : {&base, &head})
    if (const auto found = side->benchmarks.find(benchmark); found != side->benchmarks.end())
      seeds.insert(found->second.seeds.begin(), found->second.seeds.end());
  return seeds;
}

bool is_measured_in_both(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  return base.benchmarks.contains(benchmark) && head.benchmarks.contains(benchmark);
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
  for (const auto& [benchmark, data] : base.benchmarks) {
    if (!is_measured_in_both(base, head, benchmark)) continue;
    if (!differs_in_seed(base, head, benchmark)) {
      all = false;
      continue;
    }
    seeds.merge(seeds_of(base, head, benchmark));
    found.push_back(benchmark);
  }
  if (found.empty()) return "";
  const std::string text = fmt::format("{}", fmt::join(seeds, " and "));
  if (all) return text;
  if (found.size() > kNamed) {
    const std::string more = fmt::format("{} more", found.size() - kNamed);
    found.resize(kNamed);
    found.push_back(more);
  }
  return fmt::format("{} in {}", text, fmt::join(found, ", "));
}

/// Workloads with different versions: "family/workload (1 and 2)".
std::vector<std::string> other_versions(const ComparedArm& base, const ComparedArm& head) {
  const std::map<std::string, int> of_base = versions_of(base), of_head = versions_of(head);
  std::set<std::string> timed;
  for (const auto& [benchmark, data] : base.benchmarks) {
    const results::BenchmarkParts parts = results::benchmark_parts(benchmark);
    if (head.benchmarks.contains(benchmark)) timed.insert(fmt::format("{}/{}", parts.family, parts.workload));
  }
  std::vector<std::string> found;
  for (const std::string& workload : timed) {
    const auto a = of_base.find(workload), b = of_head.find(workload);
    if (a != of_base.end() && b != of_head.end() && a->second != b->second)
      found.push_back(fmt::format("{} ({} and {})", workload, a->second, b->second));
  }
  return found;
}

/// The facts that differ: they may be the cause of the findings.
std::vector<std::string> differing_facts(const Result& base, const Result& head) {
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
      std::tuple{"compiler", &base.build.compiler, &head.build.compiler},
      std::tuple{"config", &base.build.config, &head.build.config},
      std::tuple{"flags", &base.build.flags, &head.build.flags},
  };
  std::vector<std::string> found;
  for (const auto& [what, before, after] : facts)
    if (*before != *after) found.push_back(fmt::format("{}: '{}' before, '{}' now", what, *before, *after));
  if (a.libc == b.libc && !a.libc_build.empty() && !b.libc_build.empty() && a.libc_build != b.libc_build)
    found.push_back(fmt::format("C library: build {} of '{}' before, {} now", a.libc_build, a.libc, b.libc_build));
  return found;
}

/// Rejects what cannot be compared, or notes it if it is allowed.
Expected<void> check_alike(const ComparedArm& base, const ComparedArm& head, const CompareSettings& settings,
                           Comparison& into) {
  const auto reject = [&](std::string what, std::string_view hint, bool allowed) -> Expected<void> {
    if (!allowed) return Error{std::move(what), std::string(hint), ExitStatus::kUsage};
    into.warnings.push_back(std::move(what));
    return {};
  };
  if (base.result->machine.id != head.result->machine.id) {
    const Expected<void> allowed = reject(fmt::format("expected sessions of one machine, found '{}' and '{}'",
                                                      base.result->machine.id, head.result->machine.id),
                                          kAllowMachines, settings.allow_machines);
    if (!allowed) return allowed;
  }
  if (const std::string seeds = other_seeds(base, head); !seeds.empty()) {
    const Expected<void> allowed = reject(fmt::format("expected one seed of the workloads, found {}", seeds),
                                          "--allow seeds shows them, not judged", settings.allow_seeds);
    if (!allowed) return allowed;
  }
  if (const std::vector<std::string> others = other_versions(base, head); !others.empty())
    return reject(fmt::format("expected one version of each workload, found two of {}", fmt::join(others, ", ")),
                  "--allow versions compares them all the same", settings.allow_versions);
  return {};
}

/// A row in progress: the test, and how far from 1 the null hypothesis reaches (logarithm).
struct RowTest {
  ComparisonRow row;
  std::optional<stats::ShiftedArms> arms;  ///< none if one side has no times
  double log_ratio = 0;
  std::optional<stats::Interval> logs;    ///< interval of log_ratio
  std::optional<stats::Interval> narrow;  ///< the same if layout had no effect
};

RowTest start_row(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark) {
  static const std::vector<Datum> kNone;
  const auto data = [&](const ComparedArm& side) -> const std::vector<Datum>& {
    const auto found = side.benchmarks.find(benchmark);
    return found == side.benchmarks.end() ? kNone : found->second.values;
  };
  RowTest tested;
  ComparisonRow& row = tested.row;
  row.benchmark = benchmark;
  row.base_processes = data(base).size();
  row.head_processes = data(head).size();
  row.base_value = median_of(data(base));
  row.head_value = median_of(data(head));
  const ComparedArm& described = head.benchmarks.contains(benchmark) ? head : base;
  if (const auto found = described.benchmarks.find(benchmark); found != described.benchmarks.end()) {
    row.unit = found->second.metric.unit;
    row.more_is_better = found->second.metric.better == bench::Better::kMore;
  }
  row.identical = is_identical(base, head, benchmark);
  if (base.result->machine.id != head.result->machine.id)
    row.reason = Reason::kMachine;
  else if (differs_in_seed(base, head, benchmark))
    row.reason = Reason::kSeeds;
  else if (row.identical)
    row.reason = Reason::kIdentical;
  return tested;
}

/// Puts everything in one stratum, because two sessions have no common block.
stats::ArmData in_one_stratum(stats::ArmData data) {
  for (Datum& datum : data.base) datum.block = 0;
  for (Datum& datum : data.head) datum.block = 0;
  return data;
}

using ComparedArms = std::vector<const ComparedArm*>;

/// The effect of each block that has all of `arms` on one benchmark: the logarithm of the arms' middle there, relative
/// to that of the middle block.
std::map<int, double> block_effects(const ComparedArms& arms, const std::string& benchmark) {
  std::map<int, std::vector<std::vector<double>>> blocks;
  for (std::size_t arm = 0; arm < arms.size(); ++arm)
    for (const Datum& datum : arms[arm]->benchmarks.at(benchmark).values) {
      auto& of = blocks[datum.block];
      of.resize(arms.size());
      of[arm].push_back(std::log(datum.value));
    }
  std::map<int, double> effects;
  std::vector<double> all;
  for (const auto& [block, values] : blocks) {
    if (std::any_of(values.begin(), values.end(), [](const auto& of) { return of.empty(); })) continue;
    double sum = 0;
    for (const std::vector<double>& of : values) sum += stats::median(of);
    all.push_back(effects[block] = sum / static_cast<double>(values.size()));
  }
  const double middle = all.empty() ? 0 : stats::median(all);
  for (auto& [block, effect] : effects) effect -= middle;
  return effects;
}

/// The common effect of each block on all benchmarks; empty if the table is too short.
std::map<int, double> session_drift(const std::vector<RowTest>& rows, const ComparedArms& arms) {
  std::map<int, std::vector<double>> blocks;
  for (const RowTest& tested : rows)
    if (!tested.row.identical && is_measured(tested.row))
      for (const auto& [block, effect] : block_effects(arms, tested.row.benchmark)) blocks[block].push_back(effect);
  std::map<int, double> drift;
  for (const auto& [block, effects] : blocks) {
    if (effects.size() < kEnoughRows) return {};
    drift[block] = stats::median(effects);
  }
  return drift;
}

std::vector<Datum> without(const std::map<int, double>& drift, std::vector<Datum> data) {
  for (Datum& datum : data)
    if (const auto at = drift.find(datum.block); at != drift.end()) datum.value *= std::exp(-at->second);
  return data;
}

/// The test method of every row of a comparison.
struct TestMethod {
  bool interleaved = true;
  std::size_t table = 1;
  double alpha = stats::kAlpha;
  std::map<int, double> base_drift, head_drift;  ///< equal if interleaved
};

stats::ArmData strata_of(const std::vector<Datum>& base, const std::vector<Datum>& head, const TestMethod& method) {
  const std::vector<Datum> from = without(method.base_drift, base), to = without(method.head_drift, head);
  if (!method.interleaved) return in_one_stratum({from, to});
  const std::size_t least = method.base_drift.empty() ? stats::kDrifting : stats::kSteady;
  return stats::to_strata(from, to,
                          stats::stratum_blocks(stats::common_blocks(from, to), method.table, method.alpha, least));
}

void run_test(RowTest& tested, const ComparedArm& base, const ComparedArm& head, const TestMethod& method) {
  const double alpha = method.alpha;
  const stats::ArmData data = strata_of(base.benchmarks.at(tested.row.benchmark).values,
                                        head.benchmarks.at(tested.row.benchmark).values, method);
  stats::LayoutEffect layout = stats::layout_effect(data.base, data.head);
  if (!layout.shift.empty()) tested.row.layout = LayoutShare{layout.sigma, layout.share};
  tested.arms.emplace(BlockedArms(data.base, data.head), std::move(layout.shift));
  tested.log_ratio = std::log(tested.arms->ratio());
  const auto logs = [](const std::optional<stats::Interval>& interval) {
    return interval ? std::optional(stats::Interval{std::log(interval->low), std::log(interval->high)}) : std::nullopt;
  };
  tested.logs = logs(tested.arms->interval(alpha));
  tested.narrow = tested.row.layout ? logs(tested.arms->arms().interval(alpha)) : tested.logs;
}

double two_sided_quantile(double alpha) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
}

/// The standard error of log_ratio that an interval shows; none without one.
std::optional<double> standard_error(const std::optional<stats::Interval>& logs, double alpha) {
  if (!logs) return std::nullopt;
  return (logs->high - logs->low) / 2 / two_sided_quantile(alpha);
}

/// The shift between two sessions without a cause in the code, as a logarithm, and its source.
std::pair<double, std::string> shift_between(const std::vector<RowTest>& rows, double alpha) {
  std::vector<double> identical, logs, errors;
  for (const RowTest& tested : rows) {
    if (!tested.arms || tested.row.reason == Reason::kSeeds) continue;
    if (tested.row.identical) identical.push_back(std::abs(tested.log_ratio));
    if (const auto error = standard_error(tested.logs, alpha)) {
      logs.push_back(tested.log_ratio);
      errors.push_back(*error);
    }
  }
  if (identical.size() >= kEnoughIdentical)
    return {std::max(kLeastShift, stats::quantile(identical, 0.95)),
            fmt::format("measured on {} benchmarks whose executables are identical", identical.size())};
  if (logs.size() >= kEnoughRows) {
    const double center = stats::median(logs), noise = stats::median(errors), spread = stats::mad_sigma(logs);
    const double beyond = std::sqrt(std::max(0.0, spread * spread - noise * noise));
    return {std::max(kLeastShift, std::abs(center) + two_sided_quantile(0.05) * beyond),
            fmt::format("measured on the table: its middle moved by {:+.2f} %", 100 * std::expm1(center))};
  }
  return {std::log1p(kAssumedShift), "assumed: too few benchmarks to measure it"};
}

/// A warning if identical code moved between two sessions by more than sessions usually do; else "".
std::string identical_code_warning(const std::vector<RowTest>& rows) {
  const RowTest* farthest = nullptr;
  for (const RowTest& tested : rows)
    if (tested.row.reason == Reason::kIdentical && tested.arms &&
        (farthest == nullptr || std::abs(tested.log_ratio) > std::abs(farthest->log_ratio)))
      farthest = &tested;
  if (farthest == nullptr || std::abs(farthest->log_ratio) <= std::log1p(kAssumedShift)) return "";
  return fmt::format("identical code moved by up to {:+.2f} % ({}): something else than the code differs",
                     100 * std::expm1(farthest->log_ratio), farthest->row.benchmark);
}

/// The largest p over all true ratios within `shift` of 1.
template <typename Arms>
double p_within(const Arms& arms, double log_ratio, double shift) {
  if (std::abs(log_ratio) <= shift) return 1;
  return arms.p_value(std::exp(log_ratio > 0 ? shift : -shift));
}

/// The equivalent number of processes per arm, if both arms had the same number.
double harmonic_mean_processes(const ComparisonRow& row) {
  const auto a = static_cast<double>(row.base_processes), b = static_cast<double>(row.head_processes);
  return 2 * a * b / (a + b);
}

/// Noise between processes, from the test's interval, a share.
std::optional<double> noise_of(const RowTest& tested, double alpha) {
  const std::optional<double> error = standard_error(tested.narrow, alpha);
  if (!error) return std::nullopt;
  return *error * std::sqrt(harmonic_mean_processes(tested.row) / 2 * 3 / std::numbers::pi);
}

/// What the layouts widen a row's interval by on either side, as a logarithm.
double layout_shift(const RowTest& tested) {
  if (!tested.logs || !tested.narrow) return 0;
  return ((tested.logs->high - tested.logs->low) - (tested.narrow->high - tested.narrow->low)) / 2;
}

/// The number of processes per arm that would decide a row of this noise, if its ratio is the true one.
std::optional<std::size_t> needed_for(const RowTest& tested, double noise, double shift, std::size_t table,
                                      const CompareSettings& settings) {
  const double edge = std::log1p(settings.threshold), far = std::abs(tested.log_ratio);
  // More processes make the noise smaller, but not what the layouts differ by.
  shift += layout_shift(tested);
  // The shift narrows the range of either verdict.
  const double reach = far > edge ? edge + shift : edge - shift;
  if (far > edge ? far <= reach : far >= reach) return std::nullopt;
  const auto needed = stats::processes_to_decide(std::exp(far), {.sigma = noise,
                                                                 .table = table,
                                                                 .alpha = settings.alpha,
                                                                 .threshold = std::expm1(reach),
                                                                 .power = kPowerOfAdvice});
  if (!needed) return std::nullopt;
  return std::max(*needed, std::min(tested.row.base_processes, tested.row.head_processes) + 1);
}

/// The change above which the row would have got a verdict: p must be below alpha after the largest correction, and the
/// interval beyond the threshold.
std::optional<double> seen_by(const RowTest& tested, double shift, std::size_t table, const CompareSettings& settings) {
  if (!tested.row.interval) return std::nullopt;
  const std::optional<stats::Interval> strict = tested.arms->interval(settings.alpha / static_cast<double>(table));
  if (!strict) return std::nullopt;
  const double significant = (1 + stats::detectable_change(*strict, tested.row.ratio)) * std::exp(shift);
  const double beyond =
      (1 + stats::detectable_change(*tested.row.interval, tested.row.ratio)) * (1 + settings.threshold);
  return std::max(significant, beyond) - 1;
}

/// The sentence of a reason.
std::string_view sentence_of(Reason reason) {
  switch (reason) {
    case Reason::kIdentical:
      return "identical code, not judged";
    case Reason::kSeeds:
      return "different seeds, not judged";
    case Reason::kMachine:
      return "two machines, not judged";
    default:
      return "";
  }
}

/// Whether more than half of a benchmark's processes in an arm measured before they were warm.
bool is_warming_up(const ComparedArm& side, const std::string& benchmark) {
  const MetricData& processes = side.benchmarks.at(benchmark);
  return 2 * processes.warming_up > processes.values.size();
}

void set_unknown(ComparisonRow& row, Reason reason, std::string note) {
  row.verdict = Verdict::kUnknown;
  row.reason = reason;
  row.note = std::move(note);
}

/// Explains why a tested row is unknown, if there is more to report than that it lies between the verdicts.
void explain_unknown(RowTest& tested, std::size_t table, const CompareSettings& settings) {
  ComparisonRow& row = tested.row;
  if (!row.interval) return set_unknown(row, Reason::kTooYoung, "too few processes for an interval");
  if (tested.arms->arms().least_p() * static_cast<double>(table) >= settings.alpha)
    return set_unknown(row, Reason::kTooYoung,
                       fmt::format("too few processes to tell a change from chance in a table of {}", table));
  const double detectable = stats::detectable_change(*row.interval, row.ratio);
  if (detectable > std::max(kMaxDetectableChange, settings.threshold))
    set_unknown(row, Reason::kBlind,
                fmt::format("changes below {} are not detectable here", detectable_text(detectable)));
}

/// Holm's p of the tested rows, in a family of `family`, if layout had no effect.
std::vector<double> adjusted_without_layout(const std::vector<RowTest>& rows, double shift, std::size_t family) {
  std::vector<double> p;
  for (const RowTest& tested : rows)
    if (tested.row.reason == Reason::kNone) p.push_back(p_within(tested.arms->arms(), tested.log_ratio, shift));
  p.resize(family, 1);
  return stats::holm(p);
}

std::string layout_sentence(const LayoutShare& layout) {
  return fmt::format("the layout of code alone could explain it: layouts of one build differ by {} %",
                     significant(100 * layout.sigma, 2));
}

/// Sets the verdicts of all rows from their measurements.
void finish(std::vector<RowTest>& rows, const ComparedArm& base, const ComparedArm& head,
            const CompareSettings& settings, Comparison& into) {
  const double shift = std::log1p(into.session_shift);
  const auto is_tested = [](const RowTest& tested) { return tested.row.reason == Reason::kNone; };
  std::vector<double> p;
  for (const RowTest& tested : rows)
    if (is_tested(tested)) p.push_back(p_within(*tested.arms, tested.log_ratio, shift));
  p.resize(family_size(p.size()), 1);
  const std::vector<double> adjusted = stats::holm(p), without_layout = adjusted_without_layout(rows, shift, p.size());
  std::vector<double> noises, layouts;
  for (const RowTest& tested : rows)
    if (const auto noise = tested.arms ? noise_of(tested, settings.alpha) : std::nullopt) {
      noises.push_back(*noise);
      layouts.push_back(layout_shift(tested));
    }
  if (!noises.empty()) into.noise = stats::median(noises);
  if (!layouts.empty()) into.layout_shift = std::expm1(stats::median(layouts));
  std::size_t next = 0;
  for (RowTest& tested : rows) {
    ComparisonRow& row = tested.row;
    row.ratio = std::exp(tested.log_ratio);
    if (!is_tested(tested)) {
      const bool untimed = row.reason == Reason::kIdentical && !is_measured(row);
      set_unknown(row, row.reason, untimed ? "identical code, not timed" : std::string(sentence_of(row.reason)));
    } else {
      ComparisonRow same_layout = row;
      same_layout.p = without_layout[next];
      row.p = adjusted[next++];
      const auto widened = [&](const std::optional<stats::Interval>& logs) {
        return logs ? std::optional(stats::Interval{std::exp(logs->low - shift), std::exp(logs->high + shift)})
                    : std::nullopt;
      };
      row.interval = widened(tested.logs);
      same_layout.interval = widened(tested.narrow);
      row.verdict = judge(row, settings.alpha, settings.threshold);
      const Verdict alone = judge(same_layout, settings.alpha, settings.threshold);
      row.hidden_by_layout =
          row.verdict == Verdict::kUnknown && (alone == Verdict::kRegressed || alone == Verdict::kImproved);
      if (!into.judged) {
        const bool blind = into.fitness.reason == kBlindReason;
        set_unknown(row, blind ? Reason::kBlind : Reason::kMachine,
                    blind ? "unfit, not judged" : "disturbed, not judged");
      } else if (is_warming_up(base, row.benchmark) || is_warming_up(head, row.benchmark)) {
        set_unknown(row, Reason::kBlind, "still warming up: its repetitions kept becoming faster or slower");
      } else if (row.verdict == Verdict::kUnknown) {
        // A row with too few processes to estimate its noise gets the table's noise.
        const std::optional<double> own = noise_of(tested, settings.alpha), noise = own ? own : into.noise;
        if (noise) row.needed = needed_for(tested, *noise, shift, p.size(), settings);
        explain_unknown(tested, p.size(), settings);
      }
      if (row.hidden_by_layout && row.note.empty()) row.note = layout_sentence(*row.layout);
      if (row.reason == Reason::kNone) row.seen = seen_by(tested, shift, p.size(), settings);
    }
    into.rows.push_back(std::move(row));
  }
  std::sort(into.rows.begin(), into.rows.end(), [](const ComparisonRow& a, const ComparisonRow& b) {
    const auto key = [](const ComparisonRow& row) {
      return std::tuple(row.verdict, !row.p, -std::abs(std::log(row.ratio)), std::string_view(row.benchmark));
    };
    return key(a) < key(b);
  });
}

/// What makes the sessions unfit, all together; names the session if there are two.
Fitness fitness_of(const ComparedArm& base, const ComparedArm& head, const std::vector<Control>& controls) {
  if (base.result == head.result) return judge_fitness(*head.result, controls.back());
  Fitness both;
  for (const auto& [name, side, control] :
       {std::tuple("base", &base, &controls.front()), std::tuple("head", &head, &controls.back())}) {
    const Fitness one = judge_fitness(*side->result, *control);
    if (both.fit) both.reason = one.reason;
    both.fit = both.fit && one.fit;
    for (const std::string& sentence : one.sentences) both.sentences.push_back(fmt::format("{} {}", name, sentence));
  }
  return both;
}

/// "family/variant/workload", with the reason of its failure if known.
std::string with_reason(const Result& result, const std::string& benchmark) {
  for (const results::Failure& failure : result.failures)
    if (failure.benchmark == benchmark) return fmt::format("{} ({}: {})", benchmark, failure.kind, failure.detail);
  for (const results::Unsupported& unsupported : result.unsupported)
    if (unsupported.benchmark == benchmark) return fmt::format("{} ({})", benchmark, unsupported.reason);
  return benchmark;
}

/// Takes the metrics with a value of 0 or less, which has no ratio, out of both sides. Constant ones are compared as
/// exact metrics; the others are named in a warning.
void take_out_unratioed(ComparedArm& base, ComparedArm& head, Comparison& into) {
  const auto has_ratio = [](const MetricData& data) {
    return std::ranges::all_of(data.values, [](const Datum& datum) { return datum.value > 0; });
  };
  std::set<std::string> out;
  for (const ComparedArm* side : {&base, &head})
    for (const auto& [name, data] : side->benchmarks)
      if (!has_ratio(data)) out.insert(name);
  for (const std::string& name : out) {
    const auto before = base.benchmarks.extract(name), after = head.benchmarks.extract(name);
    if (!before || !after) continue;
    const results::Metric& metric = after.mapped().metric;
    const auto was = only_value(before.mapped().values), is = only_value(after.mapped().values);
    if (!was || !is)
      into.warnings.push_back(fmt::format("{} is not judged: it has values of 0 or less, which have no ratio", name));
    else if (*was != *is)
      into.exact.push_back({std::string(results::without_metric(name)), metric.name, fmt::format("{}", *was),
                            fmt::format("{}", *is), results::is_worse(metric, *was, *is)});
  }
}

Expected<Comparison> compare_sides(ComparedArm base, ComparedArm head, bool interleaved,
                                   const CompareSettings& settings) {
  Comparison comparison;
  take_out_unratioed(base, head, comparison);
  comparison.base = side_of(base);
  comparison.head = side_of(head);
  comparison.alpha = settings.alpha;
  comparison.threshold = settings.threshold;
  comparison.interleaved = interleaved;
  if (const Expected<void> alike = check_alike(base, head, settings, comparison); !alike) return alike.error();

  std::set<std::string> benchmarks;
  for (const ComparedArm* side : {&base, &head})
    for (const auto& [benchmark, data] : side->benchmarks) benchmarks.insert(benchmark);
  std::vector<RowTest> rows;
  for (const std::string& benchmark : benchmarks) {
    const bool in_base = base.benchmarks.contains(benchmark), in_head = head.benchmarks.contains(benchmark);
    if ((in_base && in_head) || is_identical(base, head, benchmark))
      rows.push_back(start_row(base, head, benchmark));
    else
      (in_base ? comparison.only_base : comparison.only_head)
          .push_back(with_reason(in_base ? *head.result : *base.result, benchmark));
  }
  if (rows.empty())
    return Error{
        fmt::format("no benchmark in common: base has {}, head has {}", base.benchmarks.size(), head.benchmarks.size()),
        "python3 make.py list", ExitStatus::kUsage};

  for (const std::string& metric : settings.metrics)
    if (std::ranges::none_of(rows, [&](const RowTest& row) {
          return base.benchmarks.contains(row.row.benchmark) &&
                 base.benchmarks.at(row.row.benchmark).metric.name == metric;
        }))
      return Error{fmt::format("no benchmark that both sides have has a metric '{}'", metric),
                   "the phases of a workload, or the metrics in \"workloads\" of a result", ExitStatus::kUsage};

  const bool one_session = base.result == head.result;
  comparison.controls.push_back(judge_control(*head.result));
  if (!one_session) comparison.controls.insert(comparison.controls.begin(), judge_control(*base.result));
  comparison.fitness = fitness_of(base, head, comparison.controls);
  for (const ComparedArm* side : {&base, &head})
    if (side->result->session.state == "interrupted" && (side == &base || !one_session))
      comparison.warnings.push_back(fmt::format("the session {} was interrupted", side->result->session.id));
  const bool twice = base.arm == head.arm && is_same_session(base, head);
  if (twice) {
    comparison.warnings.push_back("base and head are the same session: nothing is compared");
    for (RowTest& row : rows) {
      row.row.identical = true;
      if (row.row.reason == Reason::kNone) row.row.reason = Reason::kIdentical;
    }
  }
  comparison.tested = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const RowTest& row) { return row.row.reason == Reason::kNone; }));
  // If nothing is tested, there is no verdict to spoil.
  comparison.judged = comparison.fitness.fit || settings.allow_unfit || comparison.tested == 0;
  TestMethod method{interleaved, family_size(comparison.tested), settings.alpha, {}, {}};
  method.base_drift = session_drift(rows, interleaved ? ComparedArms{&base, &head} : ComparedArms{&base});
  method.head_drift = interleaved ? method.base_drift : session_drift(rows, {&head});
  for (RowTest& row : rows)
    if (is_measured(row.row)) run_test(row, base, head, method);
  if (!interleaved && comparison.tested > 0) {
    const auto [shift, source] = shift_between(rows, settings.alpha);
    comparison.session_shift = std::expm1(shift);
    comparison.shift_source = source;
  }
  if (!interleaved && !twice) {
    for (std::string& fact : differing_facts(*base.result, *head.result))
      comparison.warnings.push_back(std::move(fact));
    if (std::string warning = identical_code_warning(rows); !warning.empty())
      comparison.warnings.push_back(std::move(warning));
  }
  std::set<std::string> uncounted;
  for (const RowTest& row : rows)
    if (row.row.reason == Reason::kSeeds || row.row.reason == Reason::kMachine) uncounted.insert(row.row.benchmark);
  std::ranges::move(exact_changes(*base.result, base.arm, *head.result, head.arm, uncounted),
                    std::back_inserter(comparison.exact));
  finish(rows, base, head, settings, comparison);
  return comparison;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames{"regressed", "improved", "unknown", "same"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(Reason reason) {
  constexpr std::array<std::string_view, 6> kNames{"", "identical", "too_young", "blind", "seeds", "machine"};
  return kNames[static_cast<std::size_t>(reason)];
}

bool is_measured(const ComparisonRow& row) {
  return row.base_processes > 0 && row.head_processes > 0;
}

Verdict judge(const ComparisonRow& row, double alpha, double threshold) {
  if (!row.interval || !row.p) return Verdict::kUnknown;
  const double most = 1 + threshold;
  if (*row.p < alpha && row.interval->low > most) return row.more_is_better ? Verdict::kImproved : Verdict::kRegressed;
  if (*row.p < alpha && row.interval->high < 1 / most)
    return row.more_is_better ? Verdict::kRegressed : Verdict::kImproved;
  return row.interval->low > 1 / most && row.interval->high < most ? Verdict::kSame : Verdict::kUnknown;
}

Expected<Comparison> compare_arms(const Result& session, const CompareSettings& settings) {
  const ComparedArm base = compared_arm(session, results::kBase, settings);
  if (base.benchmarks.empty() && results::find_arm(session, results::kBase) == nullptr)
    return Error{
        fmt::format("expected a session with the arms head and base, found only head in '{}'", session.session.id),
        "python3 make.py run --against REV, or compare it with a second result", ExitStatus::kUsage};
  return compare_sides(base, compared_arm(session, results::kHead, settings), true, settings);
}

Expected<Comparison> compare_sessions(const Result& base, const Result& head, const CompareSettings& settings) {
  return compare_sides(compared_arm(base, results::kHead, settings), compared_arm(head, results::kHead, settings),
                       false, settings);
}

Expected<Comparison> compare_interleaved(const Result& base, const Result& head, const CompareSettings& settings) {
  return compare_sides(compared_arm(base, results::kHead, settings), compared_arm(head, results::kHead, settings), true,
                       settings);
}

std::size_t count(const Comparison& comparison, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [&](const ComparisonRow& row) { return row.verdict == verdict && row.p.has_value(); }));
}

namespace {

/// ", 33 have identical code and were not judged", for each reason of untested rows.
std::string untested_phrase(const Comparison& comparison) {
  constexpr std::array kPhrases{std::tuple(Reason::kIdentical, "has identical code", "have identical code"),
                                std::tuple(Reason::kSeeds, "ran with different seeds", "ran with different seeds"),
                                std::tuple(Reason::kMachine, "ran on two machines", "ran on two machines")};
  std::string text;
  for (const auto& [reason, one, several] : kPhrases) {
    const auto rows = std::count_if(comparison.rows.begin(), comparison.rows.end(),
                                    [&](const ComparisonRow& row) { return row.reason == reason && !row.p; });
    if (rows > 0)
      text += fmt::format(", {} {} and {} not judged", rows, rows == 1 ? one : several, rows == 1 ? "was" : "were");
  }
  return text;
}

/// What is needed to call an unchanged benchmark the same.
std::string same_phrase(const Comparison& comparison, stats::ComparisonPlan plan) {
  const double edge = std::log1p(comparison.threshold),
               shift = std::log1p(comparison.session_shift) + std::log1p(comparison.layout_shift);
  if (comparison.threshold <= 0) return "with a threshold of 0 no benchmark gets the verdict same";
  if (edge <= shift)
    return fmt::format("no number of processes gives the verdict same: {}",
                       comparison.session_shift > comparison.layout_shift
                           ? "measure both in one session"
                           : "what layouts alone can do is wider than the threshold");
  plan.threshold = std::expm1(edge - shift);
  if (const auto processes = stats::processes_to_decide(1, plan))
    return fmt::format("{} processes per arm give the verdict same for 4 of 5 unchanged benchmarks", *processes);
  return fmt::format("more than {} processes per arm would be needed for the verdict same: give a larger --threshold",
                     stats::kMostProcesses);
}

}  // namespace

std::string sentence(const Comparison& comparison) {
  const auto worse =
      std::count_if(comparison.exact.begin(), comparison.exact.end(), [](const auto& c) { return c.worse; });
  const std::string exact = comparison.exact.empty()
                                ? "no exact metric changed"
                                : fmt::format("{} exact metric{} changed, {} of them for the worse",
                                              comparison.exact.size(), comparison.exact.size() == 1 ? "" : "s", worse);
  if (comparison.exact_only) return fmt::format("{}.", exact);
  std::string verdicts;
  for (const Verdict verdict : {Verdict::kRegressed, Verdict::kImproved, Verdict::kUnknown, Verdict::kSame})
    verdicts += fmt::format("{}{} {}", verdicts.empty() ? "" : ", ", count(comparison, verdict), to_string(verdict));
  if (!comparison.judged)
    return fmt::format("No verdict, {}; {}.", fmt::join(comparison.fitness.sentences, "; "), exact);
  return fmt::format("Of {} benchmark{} {}{}; {}.", comparison.rows.size(), comparison.rows.size() == 1 ? "" : "s",
                     verdicts, untested_phrase(comparison), exact);
}

std::string outlook(const Comparison& comparison) {
  if (!comparison.noise || !comparison.judged || count(comparison, Verdict::kUnknown) == 0) return "";
  std::size_t processes = 0;
  for (const ComparisonRow& row : comparison.rows)
    if (row.p) processes = std::max(processes, std::min(row.base_processes, row.head_processes));
  const double edge = std::log1p(comparison.threshold),
               shift = std::log1p(comparison.session_shift) + std::log1p(comparison.layout_shift);
  const stats::ComparisonPlan plan{processes,        *comparison.noise,        family_size(comparison.tested),
                                   comparison.alpha, std::expm1(edge + shift), kPowerOfAdvice};
  const std::optional<double> detectable = stats::detectable_change(plan);
  return fmt::format("With {} process{} per arm and a noise of {} % {}; {}.", processes, processes == 1 ? "" : "es",
                     significant(100 * *comparison.noise, 2),
                     detectable
                         ? fmt::format("a change of {} % is found in 4 of 5 cases", significant(100 * *detectable, 2))
                         : "no change can be found",
                     same_phrase(comparison, plan));
}

ExitStatus exit_status(const Comparison& comparison) {
  // Exact metrics have no noise that could spoil them.
  const bool worse =
      std::any_of(comparison.exact.begin(), comparison.exact.end(), [](const auto& c) { return c.worse; });
  if (!comparison.judged && !worse) return ExitStatus::kUnfit;
  return worse || count(comparison, Verdict::kRegressed) > 0 ? ExitStatus::kRegression : ExitStatus::kOk;
}

Expected<Comparison> compare_repetitions(const Result& base, const Result& head, const CompareSettings& settings) {
  if (base.machine.id != head.machine.id && !settings.allow_machines)
    return Error{fmt::format("expected files of one machine, found '{}' and '{}'", base.machine.id, head.machine.id),
                 std::string(kAllowMachines), ExitStatus::kUsage};
  const auto processes_of = [](const Result& result) {
    std::map<std::string, std::size_t> counts;
    for (const Process& process : result.processes) ++counts[process.benchmark];
    return counts;
  };
  const auto of_base = processes_of(base), of_head = processes_of(head);
  // Only blocks that both have: the side with more processes distributes them over the other side's blocks.
  const auto distributed = [&](Result result, const std::map<std::string, std::size_t>& own,
                               const std::map<std::string, std::size_t>& others) {
    for (Process& process : result.processes) {
      const auto other = others.find(process.benchmark);
      const std::size_t count = own.at(process.benchmark);
      if (other != others.end() && other->second < count)
        process.block = static_cast<int>(static_cast<std::size_t>(process.block) * other->second / count);
    }
    return result;
  };
  const Result from = distributed(base, of_base, of_head), to = distributed(head, of_head, of_base);
  return compare_interleaved(from, to, settings);
}

}  // namespace lab::judge
