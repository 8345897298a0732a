#include "harness/report/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>

#include "harness/judge/exact.h"
#include "harness/judge/judged_blocks.h"
#include "harness/judge/summary.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/results/metrics.h"
#include "harness/stats/interval.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::Family;
using results::MetricChart;
using results::MetricColumn;
using results::NumberFormat;
using results::Result;
using stats::Interval;

std::string shown(const Interval& values, NumberFormat format) {
  const std::string low = formatted(values.low, format), high = formatted(values.high, format);
  return low == high ? low : range(low, high);
}

/// Minimum and maximum over a benchmark's judged processes, by counter.
using Counters = std::map<std::string, Interval, std::less<>>;

Counters counters_of(const Result& result, const std::string& benchmark) {
  Counters all;
  const judge::JudgedBlocks blocks(result, benchmark);
  for (const results::Process& process : result.processes) {
    if (process.benchmark != benchmark || process.arm != results::kHead) continue;
    for (const auto& [name, value] : process.counters) {
      if (!blocks.judges(process) && judge::is_time(result, benchmark, name)) continue;
      Interval& range = all.try_emplace(name, Interval{value, value}).first->second;
      range = {std::min(range.low, value), std::max(range.high, value)};
    }
  }
  return all;
}

struct BenchmarkCounters {
  const results::WorkloadInfo* workload;
  const results::VariantCard* variant;
  Counters counters;

  std::optional<double> value(std::string_view counter) const {
    const auto found = counters.find(counter);
    return found == counters.end() ? std::nullopt : std::optional(found->second.high);
  }
  /// The number that a chart shows.
  std::optional<double> value(const MetricChart& chart) const {
    const std::optional<double> part = value(std::string_view(chart.metric));
    if (!part || chart.over.empty()) return part;
    const std::optional<double> whole = value(std::string_view(chart.over));
    return whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
  }
  /// The least and the most that any pair of its processes could have.
  Interval range(const MetricChart& chart) const {
    const Interval part = counters.find(chart.metric)->second;
    if (chart.over.empty()) return part;
    const Interval whole = counters.find(chart.over)->second;
    return {part.low / whole.high, whole.low > 0 ? part.high / whole.low : part.high};
  }
  std::string benchmark() const { return results::benchmark_name(workload->family, variant->name, workload->name); }
};

/// Every benchmark of the family with counters, sorted by workload, then by the number of the family's first chart, the
/// smallest first.
std::vector<BenchmarkCounters> benchmarks_of(const std::string& family, const Family& described, const Result& result) {
  std::vector<BenchmarkCounters> benchmarks;
  for (const results::WorkloadInfo& workload : result.workloads) {
    if (workload.family != family) continue;
    const auto first = static_cast<std::ptrdiff_t>(benchmarks.size());
    for (const results::VariantCard& variant : result.variants) {
      if (variant.family != family) continue;
      BenchmarkCounters one{&workload, &variant, {}};
      one.counters = counters_of(result, one.benchmark());
      if (!one.counters.empty()) benchmarks.push_back(std::move(one));
    }
    if (described.charts.empty()) continue;
    const auto key = [&](const BenchmarkCounters& one) { return one.value(described.charts.front()).value_or(0); };
    std::stable_sort(benchmarks.begin() + first, benchmarks.end(),
                     [&](const BenchmarkCounters& a, const BenchmarkCounters& b) { return key(a) < key(b); });
  }
  return benchmarks;
}

/// The column of a counter that the family's file does not mention: as its workloads declare it, if they do.
MetricColumn declared_column(const std::vector<BenchmarkCounters>& benchmarks, const std::string& counter) {
  MetricColumn column = results::default_column(counter);
  for (const BenchmarkCounters& one : benchmarks) {
    const std::optional<results::Metric> metric = results::find_metric(*one.workload, counter);
    if (!metric || metric->title.empty()) continue;
    column.title = metric->unit.empty() ? metric->title : fmt::format("{}, {}", metric->title, metric->unit);
    break;
  }
  return column;
}

/// The counters that any benchmark has.
struct Columns {
  std::vector<MetricColumn> common;
  /// Of fewer than half of the benchmarks, and not in the family's file: a column each would be mostly empty.
  std::vector<MetricColumn> rare;
};

Columns columns_of(const Family& described, const std::vector<BenchmarkCounters>& benchmarks) {
  std::map<std::string, std::size_t, std::less<>> counters;
  for (const BenchmarkCounters& one : benchmarks)
    for (const auto& [counter, range] : one.counters) ++counters[counter];
  if (std::ranges::none_of(benchmarks, [](const BenchmarkCounters& one) {
        return one.value(std::string_view(bench::kPageFaultsMetric)).value_or(0) >= kLeastPageFaults;
      }))
    counters.erase(bench::kPageFaultsMetric);
  Columns columns;
  for (const MetricColumn& column : described.metrics)
    if (counters.erase(column.metric) != 0 && column.shown) columns.common.push_back(column);
  for (const auto& [counter, count] : counters)
    (2 * count < benchmarks.size() ? columns.rare : columns.common).push_back(declared_column(benchmarks, counter));
  return columns;
}

/// "Smallest block, bytes: 64; Used part: 1,000"
std::string listed(const std::vector<MetricColumn>& columns, const Counters& counters) {
  std::string text;
  for (const MetricColumn& column : columns)
    if (const auto found = counters.find(column.metric); found != counters.end())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", column.title, shown(found->second, column.format));
  return text;
}

/// The benchmarks of a chart, sorted by the most that their variant has, then by its name.
std::vector<const BenchmarkCounters*> sorted_by_variant(const MetricChart& wanted,
                                                        const std::vector<BenchmarkCounters>& benchmarks) {
  std::map<std::string, double, std::less<>> most;  // by variant
  std::vector<const BenchmarkCounters*> sorted;
  for (const BenchmarkCounters& one : benchmarks)
    if (const std::optional<double> value = one.value(wanted)) {
      double& own = most.try_emplace(one.variant->name, *value).first->second;
      own = std::max(own, *value);
      sorted.push_back(&one);
    }
  if (most.size() < 2) return {};
  std::stable_sort(sorted.begin(), sorted.end(), [&](const BenchmarkCounters* a, const BenchmarkCounters* b) {
    const double left = most.at(a->variant->name), right = most.at(b->variant->name);
    return left != right ? left < right : a->variant->name < b->variant->name;
  });
  return sorted;
}

constexpr std::size_t kMostInTitle = 3;  ///< variants

/// The variants that have the most, in the order of their benchmarks.
std::vector<std::string> with_the_most(const MetricChart& wanted, const std::vector<BenchmarkCounters>& benchmarks) {
  std::optional<double> most;
  std::vector<std::string> names;
  for (const BenchmarkCounters& one : benchmarks) {
    const std::optional<double> value = one.value(wanted);
    if (!value || (most && *value < *most)) continue;
    if (!most || *value > *most) names.clear();
    most = value;
    if (std::ranges::find(names, one.variant->name) == names.end()) names.push_back(one.variant->name);
  }
  return names;
}

/// The finding: who has the most. With noise, where the processes of another benchmark may have as much, it says so.
std::string title_of(const MetricChart& wanted, const std::vector<BenchmarkCounters>& benchmarks, const Result& result,
                     const judge::Fitness& fitness) {
  std::vector<const BenchmarkCounters*> all;
  bool exact = true;
  for (const BenchmarkCounters& one : benchmarks) {
    if (!one.value(wanted)) continue;
    all.push_back(&one);
    for (const std::string& metric : {wanted.metric, wanted.over})
      exact = exact && (metric.empty() || judge::is_exact(result, one.benchmark(), metric));
  }
  if (!exact && !fitness.fit) return fmt::format("{}: {}", capitalized(wanted.axis), not_judged(fitness));
  const auto value = [&](const BenchmarkCounters* one) { return *one->value(wanted); };
  const double most = std::ranges::max(all | std::views::transform(value));
  const std::vector<std::string> who = with_the_most(wanted, benchmarks);
  const BenchmarkCounters* first = nullptr;
  std::size_t equal = 0, near = 0;
  for (const BenchmarkCounters* one : all) {
    near += number(value(one)) == number(most);
    if (value(one) != most) continue;
    ++equal;
    if (first == nullptr) first = one;
  }
  const std::string shown_most = fmt::format("{} {}", number(most), wanted.unit);
  if (equal == all.size()) return "Every variant has " + shown_most;
  if (near == all.size()) return "Every variant has about " + shown_most;
  const std::string where = equal == 1 ? fmt::format(", in {}", first->workload->name) : "";
  const std::string names =
      who.size() <= kMostInTitle ? enumerated(who) : fmt::format("{} and {} others", who.front(), who.size() - 1);
  std::string title = fmt::format("{} {} the most: {}{}", names, who.size() == 1 ? "has" : "have", shown_most, where);
  if (exact) return title;
  const bool overlaps = std::ranges::any_of(all, [&](const BenchmarkCounters* one) {
    return one->variant != first->variant && one->range(wanted).high >= first->range(wanted).low;
  });
  return overlaps ? title + ", but the ranges over processes overlap" : title;
}

std::optional<Chart> chart_of(const MetricChart& wanted, const std::string& family,
                              const std::vector<BenchmarkCounters>& benchmarks, const Result& result,
                              const judge::Fitness& fitness) {
  const std::vector<const BenchmarkCounters*> sorted = sorted_by_variant(wanted, benchmarks);
  if (sorted.empty()) return std::nullopt;
  json::array rows, line;
  for (const BenchmarkCounters* one : sorted)
    rows.push_back(json::object{{"variant", one->variant->name},
                                {"benchmark", one->benchmark()},
                                {"workload", one->workload->name},
                                {"value", *one->value(wanted)},
                                {"shown", number(*one->value(wanted))}});
  // As many pairs of a colour and a shape as there are workloads.
  constexpr const char* kShapes[] = {"circle", "square", "triangle-up", "diamond", "cross", "triangle-down"};
  constexpr std::size_t kKinds = std::size(kShapes);
  json::array workloads, colors, shapes;
  for (const BenchmarkCounters* one : sorted) {
    if (std::ranges::find(workloads, json::value(one->workload->name)) != workloads.end()) continue;
    const std::size_t i = workloads.size();
    workloads.push_back(json::value(one->workload->name));
    colors.push_back(json::value(fmt::format("var(--c{})", i % kKinds + 1)));
    shapes.push_back(kShapes[(i + i / kKinds) % kKinds]);
  }
  if (wanted.line) line.push_back(json::object{{"x", *wanted.line}});
  Chart chart("metric", fmt::format("{}-{}", family, wanted.name));
  chart.title = title_of(wanted, benchmarks, result, fitness);
  chart.note = wanted.note;
  chart.text = fmt::format("Dot plot of {} by variant and workload. {}.", wanted.axis, chart.title);
  std::vector<std::string> kept = with_the_most(wanted, benchmarks);
  if (kept.size() > kMostInTitle) kept.resize(1);  // the title names no others
  for (const results::VariantCard& variant : result.variants)
    if (variant.family == family && variant.reference) kept.push_back(variant.name);
  chart.first = first_of(rows, kept);
  chart.data = {{"rows", std::move(rows)}, {"line", std::move(line)}};
  chart.words = {{"axis", wanted.axis}};
  chart.values = {{"workloads", std::move(workloads)}, {"colors", std::move(colors)}, {"shapes", std::move(shapes)}};
  return chart;
}

}  // namespace

std::string formatted(double value, NumberFormat format) {
  switch (format) {
    case NumberFormat::kPercent:
      return fmt::format("{} %", number(100 * value));
    case NumberFormat::kWhole:
      return whole(static_cast<std::uint64_t>(std::llround(value)));
    case NumberFormat::kNumber:
      break;
  }
  return number(value);
}

Table metrics_table(const std::string& family, const Family& described, const Result& result) {
  const std::vector<BenchmarkCounters> benchmarks = benchmarks_of(family, described, result);
  const auto [columns, rare] = columns_of(described, benchmarks);
  Table table{family + "-metrics", described.metrics_title, {{"Benchmark", kBenchmark}}};
  for (const MetricColumn& column : columns) table.columns.push_back({column.title, kNumber});
  if (!rare.empty()) table.columns.push_back({"Of few variants", kText});
  bool swept = false;
  for (const BenchmarkCounters& one : benchmarks) {
    std::vector<TableCell> row{one.benchmark()};
    bool any = false;
    for (const MetricColumn& column : columns) {
      const auto found = one.counters.find(column.metric);
      any = any || found != one.counters.end();
      row.emplace_back(found == one.counters.end() ? "" : shown(found->second, column.format));
    }
    if (!rare.empty()) {
      row.emplace_back(listed(rare, one.counters));
      any = any || !row.back().text.empty();
    }
    swept = swept || (any && one.workload->axis);
    if (any) table.rows.push_back(std::move(row));
  }
  if (swept) table.caption += "; of a sweep, the geometric mean over its points";
  return table;
}

std::vector<Chart> metric_charts(const std::string& family, const Family& described, const Result& result,
                                 const judge::Fitness& fitness) {
  const std::vector<BenchmarkCounters> benchmarks = benchmarks_of(family, described, result);
  std::vector<Chart> charts;
  for (const MetricChart& wanted : described.charts)
    if (std::optional<Chart> chart = chart_of(wanted, family, benchmarks, result, fitness))
      charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace lab::report
