#include "harness/report/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "harness/judge/exact.h"
#include "harness/report/format.h"
#include "harness/stats/interval.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::Result;
using stats::Interval;

constexpr std::string_view kRounding = "internal_fragmentation";
constexpr std::string_view kDemand = "peak_requested_bytes";

std::string in_bytes(double value) {
  return whole(static_cast<std::uint64_t>(std::llround(value)));
}

std::string in_percent(double share) {
  return fmt::format("{} %", number(100 * share));
}

/// The table's counters, in column order; other byte counters follow under their own names.
struct CounterColumn {
  std::string counter, title;
  std::string (*show)(double);
};
const CounterColumn kColumns[] = {{std::string(kRounding), "Bytes in blocks per byte requested", number},
                                  {"external_fragmentation", "Free memory outside the largest free block", in_percent},
                                  {"metadata_bytes", "Metadata, bytes", in_bytes},
                                  {std::string(judge::kMinimumHeap), "Minimum heap, bytes", in_bytes},
                                  {std::string(kDemand), "Peak of requested bytes", in_bytes},
                                  {"buffer_bytes", "Buffer, bytes", in_bytes},
                                  {"packet_memory_bytes", "Packet memory, bytes", in_bytes}};

/// "used_bytes": "Used, bytes".
std::string title_of(std::string_view counter) {
  std::string title = capitalized(std::string(counter.substr(0, counter.rfind('_')))) + ", bytes";
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

/// Minimum and maximum over a benchmark's processes, by counter.
using Counters = std::map<std::string, Interval, std::less<>>;

Counters counters_of(const Result& result, const std::string& benchmark) {
  Counters all;
  for (const results::Process& process : result.processes) {
    if (process.benchmark != benchmark || process.arm != results::kHead) continue;
    for (const auto& [name, value] : process.counters) {
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
  std::string benchmark() const { return results::benchmark_name(workload->family, variant->name, workload->name); }
};

/// Every benchmark of the family with counters, sorted by workload, then by rounding, the smallest first.
std::vector<BenchmarkCounters> benchmarks_of(const std::string& family, const Result& result) {
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
    std::stable_sort(benchmarks.begin() + first, benchmarks.end(),
                     [](const BenchmarkCounters& a, const BenchmarkCounters& b) {
                       return a.value(kRounding).value_or(0) < b.value(kRounding).value_or(0);
                     });
  }
  return benchmarks;
}

std::vector<CounterColumn> columns_of(const std::vector<BenchmarkCounters>& benchmarks) {
  std::set<std::string, std::less<>> counters;
  for (const BenchmarkCounters& one : benchmarks)
    for (const auto& [counter, range] : one.counters) counters.insert(counter);
  std::vector<CounterColumn> columns;
  for (const CounterColumn& column : kColumns)
    if (counters.erase(column.counter) != 0) columns.push_back(column);
  for (const std::string& counter : counters)
    if (counter.ends_with("_bytes")) columns.push_back({counter, title_of(counter), in_bytes});
  return columns;
}

std::string shown(const Interval& range, std::string (*show)(double)) {
  const std::string low = show(range.low), high = show(range.high);
  return low == high ? low : lab::report::range(low, high);
}

/// The quantity of a chart: one number per benchmark, lower is better.
struct MemoryQuantity {
  std::string_view name, axis, unit, note;
  std::optional<double> (*of)(const BenchmarkCounters&);
};

std::optional<double> heap_factor(const BenchmarkCounters& one) {
  const std::optional<double> heap = one.value(judge::kMinimumHeap), demand = one.value(kDemand);
  if (!heap || !demand || *demand <= 0) return std::nullopt;
  return *heap / *demand;
}

constexpr MemoryQuantity kMemoryQuantities[] = {
    {"rounding", "bytes in blocks per byte requested", "bytes in blocks per byte requested",
     "The cost of rounding block sizes up (internal fragmentation); 1: no cost. The table has the metadata.",
     [](const BenchmarkCounters& one) { return one.value(kRounding); }},
    {"heap", "minimum heap / peak of requested bytes", "times the peak of requested bytes as a heap",
     "The smallest heap in which the workload succeeds, divided by the most bytes that are requested at once.",
     heap_factor}};

std::optional<Chart> chart_of(const MemoryQuantity& quantity, const std::string& family,
                              const std::vector<BenchmarkCounters>& benchmarks) {
  std::map<std::string, double, std::less<>> most;  // by variant
  const BenchmarkCounters *best = nullptr, *worst = nullptr;
  for (const BenchmarkCounters& one : benchmarks) {
    const std::optional<double> value = quantity.of(one);
    if (!value) continue;
    double& own = most.try_emplace(one.variant->name, *value).first->second;
    own = std::max(own, *value);
    if (best == nullptr || *value < *quantity.of(*best)) best = &one;
    if (worst == nullptr || *value > *quantity.of(*worst)) worst = &one;
  }
  if (most.size() < 2) return std::nullopt;
  std::vector<const BenchmarkCounters*> sorted;
  for (const BenchmarkCounters& one : benchmarks)
    if (quantity.of(one)) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const BenchmarkCounters* a, const BenchmarkCounters* b) {
    const double left = most.at(a->variant->name), right = most.at(b->variant->name);
    return left != right ? left < right : a->variant->name < b->variant->name;
  });
  json::array rows;
  for (const BenchmarkCounters* one : sorted)
    rows.push_back(json::object{{"variant", one->variant->name},
                                {"benchmark", one->benchmark()},
                                {"workload", one->workload->name},
                                {"value", *quantity.of(*one)},
                                {"shown", number(*quantity.of(*one))}});
  Chart chart("memory", fmt::format("{}-{}", family, quantity.name));
  chart.title = number(*quantity.of(*worst)) == number(*quantity.of(*best))
                    ? fmt::format("Every variant needs {} {}", number(*quantity.of(*worst)), quantity.unit)
                    : fmt::format("{} needs the most: {} {}, in {}", worst->variant->name, number(*quantity.of(*worst)),
                                  quantity.unit, worst->workload->name);
  chart.note = quantity.note;
  chart.text = fmt::format("Dot plot of {} by variant and workload. {}.", quantity.axis, chart.title);
  chart.data = {{"rows", std::move(rows)}};
  chart.words = {{"axis", std::string(quantity.axis)}};
  return chart;
}

}  // namespace

Table memory_table(const std::string& family, const Result& result) {
  using enum TableColumn::Kind;
  const std::vector<BenchmarkCounters> benchmarks = benchmarks_of(family, result);
  const std::vector<CounterColumn> columns = columns_of(benchmarks);
  Table table{
      family + "-memory", "Memory: the cost of rounding, free lists and metadata", {{"Benchmark", kBenchmark}}, {}};
  for (const CounterColumn& column : columns) table.columns.push_back({column.title, kNumber});
  for (const BenchmarkCounters& one : benchmarks) {
    std::vector<TableCell> row{one.benchmark()};
    bool any = false;
    for (const CounterColumn& column : columns) {
      const auto found = one.counters.find(column.counter);
      any = any || found != one.counters.end();
      row.emplace_back(found == one.counters.end() ? "" : shown(found->second, column.show));
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Chart> memory_charts(const std::string& family, const Result& result) {
  const std::vector<BenchmarkCounters> benchmarks = benchmarks_of(family, result);
  std::vector<Chart> charts;
  for (const MemoryQuantity& quantity : kMemoryQuantities)
    if (std::optional<Chart> chart = chart_of(quantity, family, benchmarks)) charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace lab::report
