#include "harness/judge/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "harness/base/error.h"
#include "harness/judge/compared_arm.h"
#include "harness/judge/drift.h"
#include "harness/judge/exact.h"
#include "harness/judge/verdict_table.h"
#include "harness/results/metrics.h"

namespace lab::judge {

namespace {

using results::Process;
using results::Result;
using stats::Datum;

/// A benchmark that `without` does not have, with the reason if it is known.
OneSided one_sided(const std::string& benchmark, const ComparedArm& without) {
  for (const results::Failure& failure : without.result().failures)
    if (failure.benchmark == benchmark) return {benchmark, failure.kind, failure.detail};
  for (const results::Unsupported& unsupported : without.result().unsupported)
    if (unsupported.benchmark == benchmark) return {benchmark, "", unsupported.reason};
  return {benchmark};
}

/// Compares two sides step by step. Each step adds to the comparison.
class SideComparison {
 public:
  SideComparison(ComparedArm base, ComparedArm head, bool interleaved, const CompareSettings& settings)
      : base_(std::move(base)), head_(std::move(head)), settings_(settings) {
    comparison_.interleaved = interleaved;
  }

  Expected<Comparison> result() {
    describe();
    take_out_unratioed();
    const Expected<std::vector<Warning>> allowed = check_comparable(base_, head_, settings_);
    if (!allowed) return allowed.error();
    std::ranges::copy(*allowed, std::back_inserter(comparison_.warnings));
    const std::set<std::string> common = common_benchmarks();
    if (const Expected<void> known = check_benchmarks(common); !known) return known.error();
    judge_sessions();
    std::ranges::move(changed_builds(base_, head_), std::back_inserter(comparison_.warnings));
    VerdictTable table(base_, head_, common);
    const bool twice = base_.arm() == head_.arm() && is_same_session(base_, head_);
    if (twice) {
      warn(SameSession{});
      table.set_same_session();
    }
    run_tests(table);
    if (!comparison_.interleaved && !twice) explain_sessions(table.moves());
    std::ranges::move(exact_changes(base_.result(), base_.arm(), head_.result(), head_.arm(), table.with_other_work()),
                      std::back_inserter(comparison_.exact));
    comparison_.rows = table.verdicts(rule());
    const auto is_judged = [](const ComparisonRow& row) {
      return row.p && row.reason != Reason::kUnfit && row.reason != Reason::kDisturbed &&
             row.reason != Reason::kWarmingUp;
    };
    if (std::ranges::any_of(comparison_.rows, [](const ComparisonRow& row) { return row.reason == Reason::kUnfit; }) &&
        std::ranges::none_of(comparison_.rows, is_judged))
      comparison_.judged = false;
    return std::move(comparison_);
  }

 private:
  template <typename One>
  void warn(One warning) {
    comparison_.warnings.emplace_back(std::move(warning));
  }

  void describe() {
    comparison_.base = base_.side();
    comparison_.head = head_.side();
    comparison_.alpha = settings_.alpha;
    comparison_.threshold = settings_.threshold;
  }

  /// All benchmarks of either side.
  std::set<std::string> benchmarks() const {
    std::set<std::string> all = base_.benchmarks();
    all.merge(head_.benchmarks());
    return all;
  }

  /// Takes the metrics with a value of 0 or less, which has no ratio, out of both sides.
  void take_out_unratioed() {
    const auto has_ratio = [](const Datum& datum) { return datum.value > 0; };
    for (const std::string& benchmark : benchmarks()) {
      const std::vector<Datum>&before = base_.values(benchmark), &after = head_.values(benchmark);
      if (std::ranges::all_of(before, has_ratio) && std::ranges::all_of(after, has_ratio)) continue;
      if (base_.has(benchmark) && head_.has(benchmark)) compare_unratioed(benchmark);
      base_.leave_out(benchmark);
      head_.leave_out(benchmark);
    }
  }

  /// Compares constant values as an exact metric; others are not judged.
  void compare_unratioed(const std::string& benchmark) {
    const results::Metric& metric = head_.metric(benchmark);
    const auto was = only_value(base_.values(benchmark)), is = only_value(head_.values(benchmark));
    if (!was || !is)
      warn(Unratioed{benchmark});
    else if (*was != *is)
      comparison_.exact.push_back({std::string(results::without_metric(benchmark)), metric.name,
                                   fmt::format("{}", *was), fmt::format("{}", *is),
                                   results::is_worse(metric, *was, *is)});
  }

  /// The benchmarks that both sides have, or identical code of them. Lists the others.
  std::set<std::string> common_benchmarks() {
    std::set<std::string> common;
    for (const std::string& benchmark : benchmarks())
      if ((base_.has(benchmark) && head_.has(benchmark)) || is_identical(base_, head_, benchmark))
        common.insert(benchmark);
      else if (base_.has(benchmark))
        comparison_.only_base.push_back(one_sided(benchmark, head_));
      else
        comparison_.only_head.push_back(one_sided(benchmark, base_));
    return common;
  }

  Expected<void> check_benchmarks(const std::set<std::string>& common) const {
    if (common.empty())
      return Error{fmt::format("no benchmark in common: base has {}, head has {}", base_.benchmarks().size(),
                               head_.benchmarks().size()),
                   "python3 make.py list", ExitStatus::kUsage};
    for (const std::string& metric : settings_.metrics)
      if (std::ranges::none_of(common, [&](const std::string& benchmark) {
            return base_.has(benchmark) && base_.metric(benchmark).name == metric;
          }))
        return Error{fmt::format("no benchmark that both sides have has a metric '{}'", metric),
                     "the phases of a workload, or the metrics in \"workloads\" of a result", ExitStatus::kUsage};
    return {};
  }

  void judge_sessions() {
    if (&base_.result() != &head_.result()) judge_session(base_.result());
    judge_session(head_.result());
  }

  void judge_session(const Result& result) {
    comparison_.fitness.push_back(comparison_.interleaved ? judge_fitness(result, settings_.alpha)
                                                          : level_fitness(result, settings_.alpha));
    if (result.session.state == "interrupted") warn(InterruptedSession{result.session.id});
  }

  void run_tests(VerdictTable& table) {
    comparison_.tested = table.tested();
    // If nothing is tested, there is no verdict to spoil.
    comparison_.judged = unfit_reason(comparison_).empty() || settings_.allow_unfit || comparison_.tested == 0;
    table.test(comparison_.interleaved, settings_.alpha);
    comparison_.noise = table.noise();
    comparison_.layout_shift = table.layout_shift();
    if (comparison_.interleaved || comparison_.tested == 0) return;
    const SessionShift shift = session_shift(table.moves(), settings_.alpha);
    comparison_.session_shift = shift.share;
    comparison_.shift_source = shift.source;
  }

  /// Warns of what else than the code differs between two sessions.
  void explain_sessions(const std::vector<RowMove>& moves) {
    std::ranges::move(changed_facts(base_.result(), head_.result()), std::back_inserter(comparison_.warnings));
    if (std::optional<MovedIdenticalCode> moved = moved_identical_code(moves)) warn(std::move(*moved));
  }

  VerdictRule rule() const {
    const Reason unfit = unfit_reason(comparison_) == kMachineReason ? Reason::kDisturbed : Reason::kUnfit;
    VerdictRule rule{.session_shift = comparison_.session_shift,
                     .alpha = settings_.alpha,
                     .threshold = settings_.threshold,
                     .unjudged = comparison_.judged ? Reason::kNone : unfit,
                     .needs_levels = !comparison_.interleaved && !settings_.allow_unfit};
    if (!settings_.allow_unfit)
      for (const Fitness& fitness : comparison_.fitness)
        rule.blind.insert(fitness.control.blind.begin(), fitness.control.blind.end());
    return rule;
  }

  ComparedArm base_, head_;
  const CompareSettings& settings_;
  Comparison comparison_;
};

Expected<Comparison> compare_heads(const Result& base, const Result& head, bool interleaved,
                                   const CompareSettings& settings) {
  return SideComparison({base, results::kHead, settings}, {head, results::kHead, settings}, interleaved, settings)
      .result();
}

/// Number of processes of each benchmark.
std::map<std::string, std::size_t> processes_of(const Result& result) {
  std::map<std::string, std::size_t> counts;
  for (const Process& process : result.processes) ++counts[process.benchmark];
  return counts;
}

/// Only blocks that both have: the side with more processes distributes them over the other side's blocks.
Result distributed(Result result, const Result& over) {
  const std::map<std::string, std::size_t> own = processes_of(result), others = processes_of(over);
  for (Process& process : result.processes) {
    const auto other = others.find(process.benchmark);
    const std::size_t count = own.at(process.benchmark);
    if (other != others.end() && other->second < count)
      process.block = static_cast<int>(static_cast<std::size_t>(process.block) * other->second / count);
  }
  return result;
}

}  // namespace

Expected<Comparison> compare_arms(const Result& session, const CompareSettings& settings) {
  const ComparedArm base(session, results::kBase, settings);
  if (base.benchmarks().empty() && results::find_arm(session, results::kBase) == nullptr)
    return Error{
        fmt::format("expected a session with the arms head and base, found only head in '{}'", session.session.id),
        "python3 make.py run --against REV, or compare it with a second result", ExitStatus::kUsage};
  return SideComparison(base, {session, results::kHead, settings}, true, settings).result();
}

Expected<Comparison> compare_sessions(const Result& base, const Result& head, const CompareSettings& settings) {
  return compare_heads(base, head, false, settings);
}

Expected<Comparison> compare_repetitions(const Result& base, const Result& head, const CompareSettings& settings) {
  if (base.machine.id != head.machine.id && !settings.allow_machines) return two_machines(base, head, "files");
  return compare_heads(distributed(base, head), distributed(head, base), true, settings);
}

}  // namespace lab::judge
