#include "harness/report/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "harness/base/fit.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/stats/interval.h"

namespace lab::report {

namespace {

using Group = std::vector<judge::SummaryRow>;

std::string value_text(double value) {
  if (std::abs(value) >= 1000) return fmt::format("{:.0f}", value);
  return std::abs(value) < 1e-3 ? plain(value) : fmt::format("{:.4g}", value);
}

std::string ratio_text(double ratio) {
  if (ratio < 1e-3) return plain(ratio);
  return ratio >= 0.1 && ratio < 10 ? fmt::format("{:.2f}", ratio)
         : ratio < 999.5            ? fmt::format("{:.3g}", ratio)
                                    : fmt::format("{:.0f}", ratio);
}

/// The rows of each "family/workload", or "family/workload:metric", the best first.
std::map<std::string, Group> by_workload(const results::Result& result, const std::vector<std::string>& also) {
  std::map<std::string, Group> groups;
  for (judge::SummaryRow& row : judge::summarize(result, also)) {
    const results::BenchmarkParts parts = results::benchmark_parts(row.benchmark);
    groups[fmt::format("{}/{}{}{}", parts.family, parts.workload, parts.metric.empty() ? "" : ":", parts.metric)]
        .push_back(std::move(row));
  }
  for (auto& [name, group] : groups)
    std::stable_sort(group.begin(), group.end(), [](const judge::SummaryRow& a, const judge::SummaryRow& b) {
      return a.metric.better == bench::Better::kMore ? a.value.median > b.value.median
                                                     : a.value.median < b.value.median;
    });
  return groups;
}

/// The interval, both ends formatted by `of`: "[1.2, 1.3]".
template <typename Text>
std::string interval_text(const std::optional<stats::Estimate>& estimate, Text of) {
  if (!estimate || !estimate->interval) return "";
  return fmt::format("[{}, {}]", of(estimate->interval->low), of(estimate->interval->high));
}

/// "family/workload: ns per pair, 6 processes".
std::string heading(const std::string& workload, const Group& group, const judge::Fitness& fitness) {
  const auto [least, most] = std::minmax_element(
      group.begin(), group.end(),
      [](const judge::SummaryRow& a, const judge::SummaryRow& b) { return a.value.count < b.value.count; });
  const std::size_t fewest = least->value.count;
  const std::string count = fewest == most->value.count ? counted(fewest, "process", "processes")
                                                        : fmt::format("{} to {} processes", fewest, most->value.count);
  const std::string& unit = group.front().metric.unit;
  std::string text = fmt::format("{}: {}{}{}{}", workload, unit, unit.empty() ? "" : ", ", count,
                                 most->value.interval && !least->value.interval
                                     ? fmt::format(", an interval needs {}", stats::least_count())
                                 : least->value.interval ? ""
                                                         : ", too few for an interval");
  return group.front().metric.kind == results::MetricKind::kExact ? text : marked(std::move(text), fitness);
}

/// Why a workload's group has no ratios, and what would give them.
std::string why_no_ratio(const std::string& workload, const Group& group, const results::Result& result) {
  const results::BenchmarkParts parts = results::benchmark_parts(group.front().benchmark);
  const std::string family(parts.family);
  const results::VariantCard* const reference = results::find_reference(result, parts.family);
  if (reference == nullptr)
    return fmt::format(
        "no ratios in {}: its reference is not in this session; `list --json` names it, and a second --filter adds it",
        family);
  const std::string benchmark = results::benchmark_name(parts.family, reference->name, parts.workload);
  const auto ran = [&](std::string_view begin) {
    return std::ranges::any_of(result.processes, [&](const results::Process& process) {
      return process.arm == results::kHead && process.benchmark.starts_with(begin);
    });
  };
  const bool has_workload = std::ranges::any_of(result.processes, [&](const results::Process& process) {
    return process.arm == results::kHead && process.benchmark == benchmark;
  });
  if (has_workload)
    return fmt::format("no ratios in {}: its reference {} does not have this metric", workload, reference->name);
  if (const auto lacks = std::ranges::find(result.unsupported, benchmark, &results::Unsupported::benchmark);
      lacks != result.unsupported.end())
    return fmt::format("no ratios in {}: its reference {} does not run it: {}", workload, reference->name,
                       lacks->reason);
  if (std::ranges::any_of(result.failures, [&](const results::Failure& failure) {
        return failure.arm == results::kHead &&
               (failure.benchmark == benchmark || benchmark.starts_with(failure.benchmark + "/"));
      }))
    return fmt::format("no ratios in {}: its reference {} failed", workload, reference->name);
  if (!ran(fmt::format("{}/{}/", family, reference->name)))
    return fmt::format("no ratios in {}: its reference {} did not run; --filter '{}/{}' adds it", family,
                       reference->name, family, reference->name);
  return fmt::format("no ratios in {}: its reference {} did not run it", workload, reference->name);
}

}  // namespace

std::string run_table(const results::Result& result, std::size_t width, const std::vector<std::string>& also) {
  std::vector<Column> columns{
      {"variant", false, true}, {"median", true}, {"95 % interval", true}, {"ratio", true}, {"95 % interval", true}};
  const std::map<std::string, Group> groups = by_workload(result, also);
  const bool has_layouts = std::ranges::any_of(groups, [](const auto& named) {
    return std::ranges::any_of(named.second, [](const judge::SummaryRow& row) { return row.layout.has_value(); });
  });
  if (has_layouts) columns.push_back({"layout", true});
  std::vector<std::vector<std::string>> rows;
  const judge::Fitness fitness = judge::judge_fitness(result);
  std::vector<std::string> without;  // sentences
  for (const auto& [workload, group] : groups) {
    const auto reference =
        std::find_if(group.begin(), group.end(), [](const judge::SummaryRow& row) { return row.reference; });
    const std::vector<stats::Datum> base =
        reference == group.end() ? std::vector<stats::Datum>{} : judge::metric_values(result, reference->benchmark);
    if (reference == group.end())
      if (std::string why = why_no_ratio(workload, group, result); std::ranges::find(without, why) == without.end())
        without.push_back(std::move(why));
    for (std::string& line :
         wrapped(heading(workload, group, fitness.of(results::benchmark_parts(workload).family)), width))
      rows.push_back({std::move(line)});
    for (const judge::SummaryRow& row : group) {
      std::optional<stats::Estimate> ratio;
      if (!row.reference && !base.empty())
        ratio = stats::estimate_ratio(judge::metric_values(result, row.benchmark), base);
      rows.push_back({fmt::format("  {}", results::benchmark_parts(row.benchmark).variant),
                      value_text(row.value.median), interval_text(row.value, value_text),
                      row.reference ? "1.00x"
                      : ratio       ? ratio_text(ratio->median) + "x"
                                    : "",
                      row.reference ? "reference" : interval_text(ratio, ratio_text)});
      if (has_layouts) rows.back().push_back(row.layout ? layout_text(*row.layout) : "");
    }
  }
  std::string text = table_text(columns, rows, width);
  if (has_layouts) text += wrapped_after(fmt::format("layout: {}", kLayoutMeaning), width, 2) + "\n";
  for (const std::string& why : without) text += wrapped_after(why, width, 2) + "\n";
  return text;
}

}  // namespace lab::report
