#include "harness/report/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <map>
#include <optional>

#include "harness/report/claims.h"
#include "harness/report/format.h"
#include "harness/results/summary.h"
#include "harness/stats/interval.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::Result;
using results::Variant;
using results::Workload;
using stats::Estimate;

/// One variant's numbers on one workload.
struct Line {
  const Variant* variant = nullptr;
  Estimate time;                  ///< ns per operation
  std::optional<Estimate> ratio;  ///< its time over the reference's, within blocks
  std::vector<Estimate> phases;   ///< in the workload's order; empty for a workload of one phase
};

std::string interval(const std::optional<Estimate>& estimate, std::string (*show)(double)) {
  if (!estimate || !estimate->interval) return "none";
  return range(show(estimate->interval->low), show(estimate->interval->high));
}

const Variant* reference_of(const std::string& family, const Result& result) {
  for (const Variant& variant : result.variants)
    if (variant.family == family && variant.reference) return &variant;
  return nullptr;
}

std::vector<Line> lines_of(const Workload& workload, const Result& result) {
  const auto benchmark = [&](const Variant& variant) {
    return results::benchmark_name(workload.family, variant.name, workload.name);
  };
  const Variant* reference = reference_of(workload.family, result);
  const std::vector<stats::Datum> base =
      reference == nullptr ? std::vector<stats::Datum>{} : results::process_times(result, benchmark(*reference));
  std::vector<Line> lines;
  for (const Variant& variant : result.variants) {
    if (variant.family != workload.family) continue;
    const std::vector<stats::Datum> times = results::process_times(result, benchmark(variant));
    if (times.empty()) continue;
    Line line{&variant, results::estimate(times), {}, {}};
    if (!base.empty()) line.ratio = stats::estimate_ratio(times, base);
    if (workload.phases.size() > 1)
      for (const std::string& phase : workload.phases)
        line.phases.push_back(results::estimate(results::process_times(result, benchmark(variant), phase)));
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Where there is no interval its bar has no length: Vega draws no scale over fields without a number.
json::object with_interval(json::object row, const Estimate& estimate) {
  const stats::Interval point{estimate.median, estimate.median};
  row["median"] = estimate.median;
  row["low"] = estimate.interval.value_or(point).low;
  row["high"] = estimate.interval.value_or(point).high;
  row["shown"] = estimate.interval ? fmt::format("{} ({})", number(estimate.median), interval(estimate, number))
                                   : number(estimate.median);
  return row;
}

std::string against(const Line& line) {
  if (line.variant->reference) return "the reference";
  if (!line.ratio) return "no ratio";
  return line.ratio->interval ? fmt::format("{} ({})", ratio(line.ratio->median), interval(line.ratio, ratio))
                              : ratio(line.ratio->median);
}

std::string processes_phrase(const std::vector<Line>& lines) {
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const Line& line : lines) {
    least = std::min(least, line.time.count);
    most = std::max(most, line.time.count);
  }
  return least == most ? counted(most, "process", "processes") + " each"
                       : fmt::format("{} to {} processes each", least, most);
}

/// The finding of one workload: who needs the least, against the reference.
std::string finding(const Workload& workload, const std::vector<Line>& lines) {
  const auto best = std::min_element(lines.begin(), lines.end(),
                                     [](const Line& a, const Line& b) { return a.time.median < b.time.median; });
  const std::string time = fmt::format("{} ns a {}", number(best->time.median), workload.operation);
  if (lines.size() == 1) return fmt::format("{}: {} takes {}", workload.name, best->variant->name, time);
  if (best->variant->reference)
    return fmt::format("{}: the reference {} is not beaten, at {}", workload.name, best->variant->name, time);
  if (!best->ratio) return fmt::format("{}: {} has the lowest median, {}", workload.name, best->variant->name, time);
  const auto base = std::find_if(lines.begin(), lines.end(), [](const Line& line) { return line.variant->reference; });
  return fmt::format("{}: {} has the lowest median, {} of {}'s time", workload.name, best->variant->name,
                     ratio(best->ratio->median), base == lines.end() ? "the reference" : base->variant->name);
}

Chart time_chart(const Workload& workload, const std::vector<Line>& lines) {
  const bool phased = workload.phases.size() > 1;
  Chart chart(phased ? "phases" : "time", workload.family + "-" + workload.name);
  chart.title = finding(workload, lines);
  chart.note =
      fmt::format("{}. Median and 95 % interval over {}.{}", sentence(workload.title), processes_phrase(lines),
                  phased ? "" : " Dashed: the reference; beside each point its share of the reference's time.");
  json::array rows, reference;
  std::vector<std::string> told;
  for (const Line& line : lines) {
    told.push_back(fmt::format("{} {} ns", line.variant->name, number(line.time.median)));
    if (line.variant->reference && !phased) reference.push_back(json::object{{"median", line.time.median}});
    if (!phased) {
      json::object row = with_interval(
          {{"variant", line.variant->name}, {"phase", workload.phases.empty() ? "" : workload.phases.front()}},
          line.time);
      row["against"] = against(line);
      row["label"] = line.variant->reference || !line.ratio ? "" : ratio(line.ratio->median) + "\u00d7";
      rows.push_back(std::move(row));
      continue;
    }
    for (std::size_t phase = 0; phase < workload.phases.size(); ++phase) {
      json::object row =
          with_interval({{"variant", line.variant->name}, {"phase", workload.phases[phase]}}, line.phases[phase]);
      row["against"] = against(line);
      rows.push_back(std::move(row));
    }
  }
  chart.text = fmt::format("Dot plot of nanoseconds a {} by variant: {}.", workload.operation, fmt::join(told, ", "));
  chart.data = {{"rows", std::move(rows)}, {"reference", std::move(reference)}};
  chart.words = {{"operation", workload.operation}};
  return chart;
}

std::vector<Chart> time_charts(const std::string& family, const Result& result, const CommandBuckets&) {
  std::vector<Chart> charts;
  for (const Workload& workload : result.workloads)
    if (workload.family == family)
      if (const std::vector<Line> lines = lines_of(workload, result); !lines.empty())
        charts.push_back(time_chart(workload, lines));
  return charts;
}

std::vector<Chart> speedup_charts(const std::string& family, const Result& result, const CommandBuckets& published) {
  if (family != published.family) return {};
  std::optional<Chart> chart = speedup_chart(published, result);
  return chart ? std::vector<Chart>{std::move(*chart)} : std::vector<Chart>{};
}

/// The charts of a family, in order, each group on its own line of the page: a new chart is its specification, what
/// makes its rows, and a line here. None where there is nothing to draw.
using MakeCharts = std::vector<Chart> (*)(const std::string& family, const Result&, const CommandBuckets&);
constexpr MakeCharts kCharts[] = {speedup_charts, time_charts};

Table time_table(const Workload& workload, const std::vector<Line>& lines) {
  using enum Heading::Kind;
  Table table{
      fmt::format(
          "{}: {}. ns a {}; the ratio is a variant's time over the reference's in the same block, below 1 is faster",
          workload.name, workload.title, workload.operation),
      {{"Benchmark", kName},
       {"Median", kNumber},
       {"95 % interval", kNumber},
       {"Processes", kNumber},
       {"Ratio", kNumber},
       {"95 % interval", kNumber}},
      {}};
  if (workload.phases.size() > 1)
    for (const std::string& phase : workload.phases) table.columns.push_back({phase, kNumber});
  for (const Line& line : lines) {
    std::vector<Cell> row{results::benchmark_name(workload.family, line.variant->name, workload.name),
                          number(line.time.median),
                          interval(line.time, number),
                          whole(line.time.count),
                          line.variant->reference ? "reference"
                          : line.ratio            ? ratio(line.ratio->median)
                                                  : "none",
                          line.variant->reference ? "" : interval(line.ratio, ratio)};
    for (const Estimate& phase : line.phases) row.emplace_back(number(phase.median));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table variants_table(const std::string& family, const Result& result) {
  using enum Heading::Kind;
  Table table{"What the variants are",
              {{"Variant", kName}, {"Idea", kText}, {"Cost", kText}, {"Weakness", kText}, {"Source", kText}},
              {}};
  for (const Variant& variant : result.variants)
    if (variant.family == family)
      table.rows.push_back({variant.reference ? variant.name + " (reference)" : variant.name, variant.idea,
                            variant.cost, variant.weakness, variant.source});
  return table;
}

}  // namespace

std::vector<std::string> families_of(const Result& result) {
  std::vector<std::string> families;
  for (const Workload& workload : result.workloads)
    if (std::find(families.begin(), families.end(), workload.family) == families.end())
      families.push_back(workload.family);
  return families;
}

Section family_section(const std::string& family, const Result& result, const CommandBuckets& published) {
  Section section{"family-" + family, family, {}, {}};
  std::vector<Block> tables;
  std::vector<std::string> without;
  for (const Workload& workload : result.workloads) {
    if (workload.family != family) continue;
    const std::vector<Line> lines = lines_of(workload, result);
    if (lines.empty())
      without.push_back(workload.name);
    else
      tables.emplace_back(time_table(workload, lines));
  }
  if (!without.empty())
    section.blocks.emplace_back(Paragraph{fmt::format("No process of {} has given a number, so there is no plot of {}.",
                                                      fmt::join(without, ", "), without.size() == 1 ? "it" : "them")});
  for (const MakeCharts make : kCharts)
    if (std::vector<Chart> charts = make(family, result, published); !charts.empty())
      section.blocks.emplace_back(Charts{std::move(charts)});
  std::move(tables.begin(), tables.end(), std::back_inserter(section.blocks));
  section.blocks.emplace_back(variants_table(family, result));
  return section;
}

}  // namespace lab::report
