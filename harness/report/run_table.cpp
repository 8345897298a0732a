#include "harness/report/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/base/fit.h"
#include "harness/judge/summary.h"
#include "harness/stats/interval.h"

namespace lab::report {

namespace {

using Group = std::vector<judge::SummaryRow>;

std::string value_text(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string ratio_text(double ratio) {
  return ratio >= 0.1 && ratio < 10 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.3g}", ratio);
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
std::string heading(const std::string& workload, const Group& group) {
  const auto [least, most] = std::minmax_element(
      group.begin(), group.end(),
      [](const judge::SummaryRow& a, const judge::SummaryRow& b) { return a.value.count < b.value.count; });
  const std::size_t fewest = least->value.count;
  const std::string count = fewest == most->value.count ? counted(fewest, "process", "processes")
                                                        : fmt::format("{} to {} processes", fewest, most->value.count);
  const std::string& unit = group.front().metric.unit;
  return fmt::format("{}: {}{}{}{}", workload, unit, unit.empty() ? "" : ", ", count,
                     least->value.interval ? "" : ", too few for an interval");
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
  std::set<std::string> without;  // families without a measured reference
  for (const auto& [workload, group] : groups) {
    const auto reference =
        std::find_if(group.begin(), group.end(), [](const judge::SummaryRow& row) { return row.reference; });
    const std::vector<stats::Datum> base =
        reference == group.end() ? std::vector<stats::Datum>{} : judge::metric_values(result, reference->benchmark);
    if (reference == group.end()) without.emplace(results::benchmark_parts(group.front().benchmark).family);
    for (std::string& line : wrapped(heading(workload, group), width)) rows.push_back({std::move(line)});
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
      if (has_layouts) rows.back().push_back(row.layout ? judge::layout_text(*row.layout) : "");
    }
  }
  std::string text = table_text(columns, rows, width);
  if (has_layouts) text += wrapped_after(fmt::format("layout: {}", judge::kLayoutMeaning), width, 2) + "\n";
  for (const std::string& family : without)
    text +=
        wrapped_after(fmt::format("no ratios in {}: its reference did not run; `list --json` names it, and a second "
                                  "--filter adds it",
                                  family),
                      width, 2) +
        "\n";
  return text;
}

}  // namespace lab::report
