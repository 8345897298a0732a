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
struct Column {
  std::string counter, title;
  std::string (*show)(double);
};
const Column kColumns[] = {{std::string(kRounding), "Bytes in blocks a byte requested", ratio},
                           {"external_fragmentation", "Free memory outside the largest free block", in_percent},
                           {"metadata_bytes", "Metadata, bytes", in_bytes},
                           {std::string(judge::kMinimumHeap), "Minimum heap, bytes", in_bytes},
                           {std::string(kDemand), "Requested at most, bytes", in_bytes},
                           {"buffer_bytes", "Buffer given, bytes", in_bytes},
                           {"packet_memory_bytes", "Packet memory, bytes", in_bytes}};

/// "used_bytes": "Used, bytes".
std::string title_of(std::string_view counter) {
  std::string title = sentence(std::string(counter.substr(0, counter.rfind('_')))) + ", bytes";
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

struct Line {
  const results::Workload* workload;
  const results::Variant* variant;
  Counters counters;

  std::optional<double> value(std::string_view counter) const {
    const auto found = counters.find(counter);
    return found == counters.end() ? std::nullopt : std::optional(found->second.high);
  }
  std::string benchmark() const { return results::benchmark_name(workload->family, variant->name, workload->name); }
};

/// Every benchmark of the family with counters, sorted by workload, then by rounding, the smallest first.
std::vector<Line> lines_of(const std::string& family, const Result& result) {
  std::vector<Line> lines;
  for (const results::Workload& workload : result.workloads) {
    if (workload.family != family) continue;
    const auto first = static_cast<std::ptrdiff_t>(lines.size());
    for (const results::Variant& variant : result.variants) {
      if (variant.family != family) continue;
      Line line{&workload, &variant, {}};
      line.counters = counters_of(result, line.benchmark());
      if (!line.counters.empty()) lines.push_back(std::move(line));
    }
    std::stable_sort(lines.begin() + first, lines.end(), [](const Line& a, const Line& b) {
      return a.value(kRounding).value_or(0) < b.value(kRounding).value_or(0);
    });
  }
  return lines;
}

std::vector<Column> columns_of(const std::vector<Line>& lines) {
  std::set<std::string, std::less<>> counters;
  for (const Line& line : lines)
    for (const auto& [counter, range] : line.counters) counters.insert(counter);
  std::vector<Column> columns;
  for (const Column& column : kColumns)
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
struct Measure {
  std::string_view name, axis, unit, note;
  std::optional<double> (*of)(const Line&);
};

std::optional<double> heap_factor(const Line& line) {
  const std::optional<double> heap = line.value(judge::kMinimumHeap), demand = line.value(kDemand);
  if (!heap || !demand || *demand <= 0) return std::nullopt;
  return *heap / *demand;
}

constexpr Measure kMeasures[] = {
    {"rounding", "bytes in blocks a byte requested", "bytes in blocks for each byte requested",
     "What rounding block sizes up costs (internal fragmentation). 1: nothing. Metadata is in the table.",
     [](const Line& line) { return line.value(kRounding); }},
    {"heap", "minimum heap over requested at most", "times the bytes requested at most as a heap",
     "The least heap in which the workload succeeds, over the most bytes that it has requested at once.", heap_factor}};

std::optional<Chart> chart_of(const Measure& measure, const std::string& family, const std::vector<Line>& lines) {
  std::map<std::string, double, std::less<>> most;  // by variant
  const Line *best = nullptr, *worst = nullptr;
  for (const Line& line : lines) {
    const std::optional<double> value = measure.of(line);
    if (!value) continue;
    double& own = most.try_emplace(line.variant->name, *value).first->second;
    own = std::max(own, *value);
    if (best == nullptr || *value < *measure.of(*best)) best = &line;
    if (worst == nullptr || *value > *measure.of(*worst)) worst = &line;
  }
  if (most.size() < 2) return std::nullopt;
  std::vector<const Line*> sorted;
  for (const Line& line : lines)
    if (measure.of(line)) sorted.push_back(&line);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Line* a, const Line* b) {
    const double left = most.at(a->variant->name), right = most.at(b->variant->name);
    return left != right ? left < right : a->variant->name < b->variant->name;
  });
  json::array rows;
  for (const Line* line : sorted)
    rows.push_back(json::object{{"variant", line->variant->name},
                                {"benchmark", line->benchmark()},
                                {"workload", line->workload->name},
                                {"value", *measure.of(*line)},
                                {"shown", ratio(*measure.of(*line))}});
  Chart chart("memory", fmt::format("{}-{}", family, measure.name));
  chart.title = ratio(*measure.of(*worst)) == ratio(*measure.of(*best))
                    ? fmt::format("Every variant takes {} {}", ratio(*measure.of(*worst)), measure.unit)
                    : fmt::format("{} takes the most, {} {} in {}", worst->variant->name, ratio(*measure.of(*worst)),
                                  measure.unit, worst->workload->name);
  chart.note = measure.note;
  chart.text = fmt::format("Dot plot of {} by variant and workload. {}.", measure.axis, chart.title);
  chart.data = {{"rows", std::move(rows)}};
  chart.words = {{"axis", std::string(measure.axis)}};
  return chart;
}

}  // namespace

Table memory_table(const std::string& family, const Result& result) {
  using enum Heading::Kind;
  const std::vector<Line> lines = lines_of(family, result);
  const std::vector<Column> columns = columns_of(lines);
  Table table{
      family + "-memory", "Memory: what rounding, free lists and bookkeeping cost", {{"Benchmark", kBenchmark}}, {}};
  for (const Column& column : columns) table.columns.push_back({column.title, kNumber});
  for (const Line& line : lines) {
    std::vector<Cell> row{line.benchmark()};
    bool any = false;
    for (const Column& column : columns) {
      const auto found = line.counters.find(column.counter);
      any = any || found != line.counters.end();
      row.emplace_back(found == line.counters.end() ? "" : shown(found->second, column.show));
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Chart> memory_charts(const std::string& family, const Result& result) {
  const std::vector<Line> lines = lines_of(family, result);
  std::vector<Chart> charts;
  for (const Measure& measure : kMeasures)
    if (std::optional<Chart> chart = chart_of(measure, family, lines)) charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace lab::report
