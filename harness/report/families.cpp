#include "harness/report/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include "harness/judge/summary.h"
#include "harness/report/charts.h"
#include "harness/report/choice.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/metrics.h"
#include "harness/report/standing.h"
#include "harness/report/sweeps.h"
#include "harness/report/trade_offs.h"
#include "harness/stats/interval.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::Result;
using results::VariantCard;
using results::WorkloadInfo;
using stats::Estimate;

/// The name for the sum of a workload's phases.
constexpr const char* kAllPhases = "all phases";

/// PhaseTime of one phase, or of the sum of all phases.
struct PhaseTime {
  Estimate time;                         ///< ns per operation
  std::optional<Estimate> ratio;         ///< over the reference's, within blocks
  std::vector<stats::Datum> times = {};  ///< of each process
};

/// One variant's numbers on one workload.
struct VariantTimes {
  const VariantCard* variant = nullptr;
  PhaseTime all;
  std::optional<judge::LayoutShare> layout;
  std::vector<PhaseTime> phases;  ///< in the workload's order; empty for a workload of one phase
  std::string lacks = {};         ///< lacked_by(): it is compared with those alone that lack the same
};

bool has_process(const WorkloadInfo& workload, const Result& result) {
  return std::ranges::any_of(result.processes, [&](const results::Process& process) {
    const results::BenchmarkParts parts = results::benchmark_parts(process.benchmark);
    return parts.family == workload.family && parts.workload == workload.name;
  });
}

std::vector<VariantTimes> measured_variants(const WorkloadInfo& workload, const results::Family& described,
                                            const Result& result) {
  const auto benchmark = [&](const VariantCard& variant) {
    return results::benchmark_name(workload.family, variant.name, workload.name);
  };
  const VariantCard* reference = results::find_reference(result, workload.family);
  const auto times_of = [&](const VariantCard& variant, const std::string& phase) -> std::optional<PhaseTime> {
    const std::vector<stats::Datum> times = judge::process_times(result, benchmark(variant), phase);
    if (times.empty()) return std::nullopt;
    PhaseTime found{judge::estimate(times), {}};
    if (reference != nullptr && lacked_by(described, variant) == lacked_by(described, *reference))
      found.ratio = stats::estimate_ratio(times, judge::process_times(result, benchmark(*reference), phase));
    found.times = times;
    return found;
  };
  std::vector<VariantTimes> measured;
  for (const VariantCard& variant : result.variants) {
    if (variant.family != workload.family) continue;
    const std::optional<PhaseTime> all = times_of(variant, "");
    if (!all) continue;
    VariantTimes one{&variant, *all, judge::layout_of(judge::process_times(result, benchmark(variant))), {}};
    if (workload.phases.size() > 1)
      for (const std::string& phase : workload.phases)
        one.phases.push_back(times_of(variant, phase).value_or(PhaseTime{}));
    one.lacks = lacked_by(described, variant);
    measured.push_back(std::move(one));
  }
  std::stable_sort(measured.begin(), measured.end(),
                   [](const VariantTimes& a, const VariantTimes& b) { return a.all.time.median < b.all.time.median; });
  return measured;
}

/// The composition of a workload's phases; "" for a single phase.
std::string phases_phrase(const WorkloadInfo& workload) {
  if (workload.phases.size() < 2) return "";
  std::vector<std::string> counts;
  bool alike = true;
  for (const std::string& phase : workload.phases) {
    const std::uint64_t operations = results::operations_of(workload, phase);
    counts.push_back(fmt::format("{} {}", phase, whole(operations)));
    alike = alike && operations == workload.operations;
  }
  if (alike)
    return fmt::format("The time of each phase, and of {}, is divided by {}.", kAllPhases,
                       counted(workload.operations, workload.operation));
  return fmt::format("The time of each phase is divided by its own number of {} ({}), and that of {} by {}.",
                     plural(workload.operation), fmt::join(counts, ", "), kAllPhases, whole(workload.operations));
}

/// Without an interval the bar has length 0, because Vega cannot scale fields without a number.
json::object estimate_row(json::object row, const Estimate& estimate) {
  const stats::Interval shown = estimate.interval.value_or(stats::Interval{estimate.median, estimate.median});
  row["median"] = estimate.median;
  row["low"] = shown.low;
  row["high"] = shown.high;
  row["shown"] = duration_with_interval(estimate);
  return row;
}

std::string against(const VariantCard& variant, const PhaseTime& times) {
  if (variant.reference) return "the reference";
  return times.ratio ? with_interval(*times.ratio) : "no ratio";
}

/// "Median and 95 % interval over 12 processes each"
std::string estimate_phrase(const std::vector<VariantTimes>& measured) {
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0, sessions = 1;
  for (const VariantTimes& one : measured) {
    sessions = std::max(sessions, one.all.time.sessions);
    least = std::min(least, one.all.time.count);
    most = std::max(most, one.all.time.count);
  }
  const std::size_t needed = stats::least_count();
  const std::string each = least == most ? counted(most, "process", "processes") + " each"
                                         : fmt::format("{} to {} processes each", least, most);
  if (least >= needed)
    return "Median and 95 % interval over " + each + (sessions > 1 ? fmt::format(", in {} sessions", sessions) : "");
  if (most == 1) return fmt::format("One process each; an interval needs {}", needed);
  return fmt::format("Median over {}{}", each,
                     most < needed ? fmt::format("; an interval needs {}", needed)
                                   : fmt::format(", with a 95 % interval from {} processes on", needed));
}

/// The finding of one workload: the lowest median against the reference's. The variants are sorted by it.
std::string finding(const WorkloadInfo& workload, std::vector<VariantTimes> measured, const judge::Fitness& fitness) {
  if (std::ranges::any_of(measured, [](const VariantTimes& one) { return one.lacks.empty(); }))
    std::erase_if(measured, [](const VariantTimes& one) { return !one.lacks.empty(); });
  if (!fitness.fit)
    return fmt::format("{}: {}, {}", workload.name,
                       measured.size() == 1 ? "time of " + measured.front().variant->name
                                            : fmt::format("times of {} variants", measured.size()),
                       not_judged(fitness));
  const VariantTimes& best = measured.front();
  const std::string time =
      fmt::format("{} per {}{}{}", duration(best.all.time.median), workload.operation,
                  workload.phases.size() > 1 ? fmt::format(" in {}", kAllPhases) : "",
                  workload.axis ? fmt::format(" (geometric mean over {})", workload.axis->name) : "");
  if (measured.size() == 1) return fmt::format("{}: {} takes {}", workload.name, best.variant->name, time);
  std::vector<Contender> contenders;
  for (const VariantTimes& one : measured)
    contenders.push_back({(one.variant->reference ? "the reference " : "") + one.variant->name, one.all.time,
                          one.variant->reference && tells_apart(best.all.ratio)});
  const auto base =
      std::find_if(measured.begin(), measured.end(), [](const VariantTimes& one) { return one.variant->reference; });
  const std::string ratio =
      best.variant->reference || base == measured.end() || !best.all.ratio || !best.all.ratio->interval
          ? ""
          : fmt::format(", {} of {}'s time", with_interval(*best.all.ratio), base->variant->name);
  return fmt::format("{}: {}", workload.name, best_sentence(contenders, "the lowest median", time + ratio));
}

/// (block, ns) of each process, as Chart::processes has them; a drawing shows no more than four digits.
json::array process_values(const std::vector<stats::Datum>& times) {
  json::array values;
  for (const stats::Datum& one : times)
    values.push_back(json::array{one.block, std::strtod(fmt::format("{:.4g}", one.value).c_str(), nullptr)});
  return values;
}

std::string time_chart_name(const WorkloadInfo& workload) {
  return identifier(workload.family + "-" + workload.name);
}

Chart time_chart(const WorkloadInfo& workload, const std::vector<VariantTimes>& measured,
                 const judge::Fitness& fitness) {
  const bool phased = workload.phases.size() > 1;
  Chart chart(phased ? "phases" : "time", time_chart_name(workload));
  chart.title = finding(workload, measured, fitness);
  const auto any = [&](auto holds) { return std::ranges::any_of(measured, holds); };
  chart.note = fmt::format("{}. {}.", capitalized(workload.title), estimate_phrase(measured));
  if (phased) {
    chart.note += " " + phases_phrase(workload);
  } else {
    if (any([](const VariantTimes& one) { return one.variant->reference; })) chart.note += " Dashed: the reference.";
    if (any([](const VariantTimes& one) { return !one.variant->reference && one.all.ratio; }))
      chart.note += " At each point: the time ratio to the reference.";
  }
  for (const VariantTimes& one : measured)
    if (!one.lacks.empty())
      chart.note += fmt::format(" {} is not compared: its time is without {}.", one.variant->name, one.lacks);
  json::array rows, reference;
  stats::Interval range{std::numeric_limits<double>::max(), 0};
  std::vector<std::string> medians;
  for (const VariantTimes& one : measured) {
    const VariantCard& variant = *one.variant;
    const auto add = [&](const std::string& phase, const PhaseTime& times) {
      if (times.time.count == 0) return;  // a phase without samples
      json::object row =
          estimate_row({{"variant", variant.name},
                        {"benchmark", results::benchmark_name(workload.family, variant.name, workload.name)},
                        {"phase", phase}},
                       times.time);
      row["against"] = against(variant, times);
      if (!phased) row["label"] = variant.reference || !times.ratio ? "" : number(times.ratio->median) + "\u00d7";
      range.low = std::min(range.low, row.at("low").as_double());
      range.high = std::max(range.high, row.at("high").as_double());
      rows.push_back(std::move(row));
      json::value& processes = chart.processes.emplace(phase, json::object()).first->value();
      processes.as_object()[variant.name] = process_values(times.times);
    };
    medians.push_back(fmt::format("{} {}", variant.name, duration(one.all.time.median)));
    if (variant.reference && !phased) reference.push_back(json::object{{"median", one.all.time.median}});
    for (std::size_t phase = 0; phase < one.phases.size(); ++phase) add(workload.phases[phase], one.phases[phase]);
    add(phased ? kAllPhases : workload.phases.empty() ? "" : workload.phases.front(), one.all);
  }
  chart.text = fmt::format("Dot plot of the time per {} by variant{}: {}.", workload.operation,
                           phased ? " and phase; all phases" : "", fmt::join(medians, ", "));
  std::vector<std::string> references;
  for (const VariantTimes& one : measured)
    if (one.variant->reference) references.push_back(one.variant->name);
  chart.first = first_of(rows, references);
  chart.data = {{"rows", std::move(rows)}, {"reference", std::move(reference)}, {"published", json::array()}};
  chart.words = {{"operation", workload.operation}};
  set_unit(chart, time_axis(range.low, range.high));
  return chart;
}

/// The workload that a chart is about: its name begins with the family's and the workload's. "" if it is about several.
std::string workload_of(const Chart& chart, const std::string& family, const Result& result) {
  std::string found;
  for (const WorkloadInfo& workload : result.workloads) {
    const std::string name = time_chart_name(workload);
    if (workload.family == family && workload.name.size() > found.size() &&
        (chart.name == name || chart.name.starts_with(name + "-")))
      found = workload.name;
  }
  return found;
}

/// The median of a row of a chart of times.
std::optional<double> median_in(const Chart& chart, std::string_view variant, std::string_view phase) {
  for (const json::value& row : chart.data.at("rows").as_array())
    if (std::string_view(row.at("variant").as_string()) == variant &&
        (phase.empty() || std::string_view(row.at("phase").as_string()) == phase))
      return row.at("median").as_double();
  return std::nullopt;
}

/// Adds what articles say about this workload: a time is that of the other variant here, divided by the article's
/// ratio.
void add_published(Chart& chart, const WorkloadInfo& workload, std::span<const results::Article> articles) {
  std::vector<std::string> sources;
  for (const results::Article& article : articles)
    for (const results::Claim& claim : article.claims) {
      const auto* about = std::get_if<results::RatioClaim>(&claim.kind);
      if (about == nullptr || !about->stated || article.family != workload.family) continue;
      const results::Ratio& ratio = about->ratio;
      if ((ratio.workload.empty() ? article.workload : ratio.workload) != workload.name) continue;
      const std::string phase = ratio.metric != "time" ? ratio.metric : workload.phases.size() > 1 ? kAllPhases : "";
      for (const results::RatioCase& one : ratio.cases) {
        const std::optional<double> from = median_in(chart, one.from, phase), to = median_in(chart, one.to, phase);
        if (!from || !to) continue;
        const std::string source = fmt::format("{} ({})", article.source.author, article.source.year);
        if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
        chart.data.at("published")
            .as_array()
            .push_back(
                json::object{{"variant", one.to},
                             {"benchmark", results::benchmark_name(workload.family, one.to, workload.name)},
                             {"phase", phase.empty() && !workload.phases.empty() ? workload.phases.front() : phase},
                             {"value", *from / *about->stated},
                             {"what", fmt::format("{} times as fast as {}", number(*about->stated), one.from)},
                             {"shown", duration(*from / *about->stated)},
                             {"source", source}});
      }
    }
  if (!sources.empty())
    chart.note +=
        fmt::format(" Hollow diamonds: where the ratios that {} states would put a variant.", enumerated(sources));
}

std::vector<Chart> time_charts(const std::string& family, const results::Family& described, const Result& result,
                               const judge::Fitness& fitness) {
  std::vector<std::pair<const WorkloadInfo*, std::vector<VariantTimes>>> all;
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family)
      if (std::vector<VariantTimes> measured = measured_variants(workload, described, result); !measured.empty())
        all.emplace_back(&workload, std::move(measured));
  // A time with nothing beside it is in the table of the run; a family of one variant has nothing else.
  if (std::ranges::any_of(all, [](const auto& one) { return one.second.size() > 1; }))
    std::erase_if(all, [](const auto& one) { return one.second.size() == 1; });
  std::vector<Chart> charts;
  for (const auto& [workload, measured] : all) charts.push_back(time_chart(*workload, measured, fitness));
  return charts;
}

/// The charts of a family, in order; each group is one line of the page. To add a chart, add its specification, a
/// function that makes its rows, and a line here. A function returns no charts without data.
using MakeFamilyCharts = std::vector<Chart> (*)(const std::string& family, const results::Family&, const Result&,
                                                const judge::Fitness&);
constexpr MakeFamilyCharts kCharts[] = {time_charts, sweep_charts, trade_off_charts, metric_charts};

Table time_table(const WorkloadInfo& workload, const Result& result, const std::vector<VariantTimes>& measured,
                 const judge::Fitness& fitness) {
  const std::string phases = phases_phrase(workload);
  const bool has_layouts =
      std::ranges::any_of(measured, [](const VariantTimes& one) { return one.layout.has_value(); });
  Table table{
      fmt::format("{}-{}", workload.family, workload.name),
      fmt::format(
          "{}: {}. Times are ns per {}{}; the lowest median is first{}. The ratio is the median over blocks of a "
          "variant's time divided by the reference's time in the same block, not the ratio of the two medians; below 1 "
          "is faster{}{}{}",
          workload.name, workload.title, workload.operation,
          workload.axis
              ? fmt::format(", the geometric mean over the points of the sweep ({})", points_phrase(workload, result))
              : "",
          fitness.fit ? "" : "; " + not_judged(fitness), has_layouts ? fmt::format(". Layout: {}", kLayoutMeaning) : "",
          phases.empty() ? "" : ". ", phases.substr(0, phases.empty() ? 0 : phases.size() - 1)),
      {{"Benchmark", kBenchmark},
       {"Ratio", kNumber},
       {"95 % interval", kNumber},
       {workload.phases.size() > 1 ? "All phases" : "Median", kNumber},
       {"95 % interval", kNumber}}};
  if (workload.phases.size() > 1)
    for (const std::string& phase : workload.phases) table.columns.push_back({phase, kNumber, true});
  table.columns.push_back({"Layout", kNumber, true});
  table.columns.push_back({"Processes", kNumber, true});
  for (const VariantTimes& one : measured) {
    const PhaseTime& all = one.all;
    std::vector<TableCell> row{results::benchmark_name(workload.family, one.variant->name, workload.name),
                               one.variant->reference ? "reference"
                               : all.ratio            ? number(all.ratio->median)
                                                      : "none",
                               one.variant->reference ? "" : interval_of(all.ratio), number(all.time.median),
                               interval_of(all.time)};
    for (const PhaseTime& phase : one.phases)
      row.emplace_back(phase.time.count == 0 ? "none" : number(phase.time.median));
    row.emplace_back(one.layout ? layout_text(*one.layout) : "");
    row.emplace_back(whole(all.time.count));
    table.rows.push_back(std::move(row));
  }
  table.drop_empty_columns();
  return table;
}

Table variants_table(const std::string& family, const Result& result) {
  Table table{family + "-variants",
              "What the variants are",
              {{"Variant", kName}, {"Idea", kText}, {"Cost", kText}, {"Weakness", kText}, {"Source", kText, true}}};
  for (const VariantCard& variant : result.variants)
    if (variant.family == family)
      table.rows.push_back({variant.reference ? variant.name + " (reference)" : variant.name, variant.idea,
                            variant.cost, capitalized(variant.weakness), capitalized(variant.source)});
  return table;
}

/// "12 processes", or "10 to 16 processes".
/// "12 to 20 processes, spread over 40 blocks": of the family, in all sessions.
std::string processes_phrase(const std::string& family, const Result& result) {
  std::map<std::string, std::size_t> counts;
  std::set<int> blocks;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && results::benchmark_parts(process.benchmark).family == family) {
      ++counts[process.benchmark];
      blocks.insert(process.block);
    }
  std::size_t least = std::numeric_limits<std::size_t>::max(), most = 0;
  for (const auto& [benchmark, count] : counts) {
    least = std::min(least, count);
    most = std::max(most, count);
  }
  return fmt::format(
      "{}, spread over {}",
      least >= most ? counted(most, "process", "processes") : fmt::format("{} to {} processes", least, most),
      counted(blocks.size(), "block"));
}

}  // namespace

std::vector<std::string> families_of(const Result& result) {
  std::vector<std::string> families;
  for (const WorkloadInfo& workload : result.workloads)
    if (std::find(families.begin(), families.end(), workload.family) == families.end())
      families.push_back(workload.family);
  return families;
}

std::string family_finding(const std::string& family, const results::Family& described, const Result& result) {
  std::vector<const WorkloadInfo*> workloads;
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family) workloads.push_back(&workload);
  std::ranges::stable_partition(workloads, [&](const WorkloadInfo* one) {
    return std::ranges::find(described.core, one->name) != described.core.end();
  });
  std::string first;
  for (const WorkloadInfo* const workload : workloads) {
    const std::vector<VariantTimes> measured = measured_variants(*workload, described, result);
    if (measured.size() > 1) return finding(*workload, measured, {});
    if (first.empty() && !measured.empty()) first = finding(*workload, measured, {});
  }
  return first;
}

std::vector<Section> family_sections(const std::string& family, const results::Family& described, const Result& result,
                                     const ExhibitContents& exhibits, const judge::Fitness& fitness,
                                     std::span<const results::Article> articles) {
  std::vector<std::vector<Chart>> groups;
  for (const MakeFamilyCharts make : kCharts) groups.push_back(make(family, described, result, fitness));
  groups.push_back(exhibit_charts(family, described, result, exhibits, fitness));
  std::set<std::string> published;
  for (const WorkloadInfo& workload : result.workloads)
    for (std::vector<Chart>& charts : groups)
      for (Chart& chart : charts)
        if (workload.family == family && chart.name == time_chart_name(workload)) {
          add_published(chart, workload, articles);
          if (!chart.data.at("published").as_array().empty()) published.insert(workload.name);
        }
  // A family names its charts, and a workload may have the same name.
  std::set<std::string> names;
  for (std::vector<Chart>& charts : groups)
    for (Chart& chart : charts)
      while (!names.insert(chart.name).second) {
        chart.name += "-2";
        if (chart.table) chart.table->name += "-2";
      }
  const auto waits = [&](const Chart& chart) {
    const std::string workload = workload_of(chart, family, result);
    return names.size() > kPlotsInSight && !workload.empty() && !described.core.empty() &&
           !published.contains(workload) && std::ranges::find(described.core, workload) == described.core.end();
  };
  Section section{"family-" + family, "Plots"}, others{"plots-" + family, "Plots of other workloads"};
  others.folded = true;
  std::vector<std::string> unmeasured, without_times;
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family && measured_variants(workload, described, result).empty())
      (has_process(workload, result) ? without_times : unmeasured).push_back(workload.name);
  if (!unmeasured.empty())
    section.add(Paragraph{fmt::format("No process of {} has finished, so there is no plot of {}.",
                                      fmt::join(unmeasured, ", "), unmeasured.size() == 1 ? "it" : "them")});
  if (!without_times.empty())
    section.add(Paragraph{fmt::format("No time of {} is judged here, so there is no plot of {}.",
                                      fmt::join(without_times, ", "), without_times.size() == 1 ? "it" : "them")});
  for (std::vector<Chart>& charts : groups) {
    const auto last =
        std::stable_partition(charts.begin(), charts.end(), [&](const Chart& one) { return !waits(one); });
    others.add(Charts{{std::make_move_iterator(last), std::make_move_iterator(charts.end())}});
    charts.erase(last, charts.end());
    section.add(Charts{std::move(charts)});
  }
  for (PictureComparison& comparison : picture_comparisons(family, described, result, exhibits))
    section.add(std::move(comparison));
  section.add(Pictures{exhibit_pictures(family, described, result, exhibits)});
  return {std::move(section), std::move(others)};
}

Section variants_section(const std::string& family, const Result& result) {
  Section section{"variants-" + family, "The variants: idea, cost, weakness and source"};
  section.folded = true;
  section.add(variants_table(family, result));
  return section;
}

Section figures_section(const std::string& family, const results::Family& described, const Result& result,
                        const judge::Fitness& fitness) {
  Section section{"figures-" + family, "All figures as tables"};
  section.folded = true;
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family)
      if (const std::vector<VariantTimes> measured = measured_variants(workload, described, result); !measured.empty())
        section.add(time_table(workload, result, measured, fitness));
  section.add(metrics_table(family, described, result));
  return section;
}

Section method_section(const std::string& family, const Result& result) {
  Section section{"method-" + family, "How it was measured"};
  section.folded = true;
  Table table{family + "-workloads",
              "The workloads, and what one operation of each is",
              {{"Workload", kName}, {"What it does", kText}, {"Operation", kShort}, {"Operations", kNumber}}};
  for (const WorkloadInfo& workload : result.workloads)
    if (workload.family == family)
      table.rows.push_back({workload.name, workload.title, workload.operation, whole(workload.operations)});
  section.add(Paragraph{fmt::format(
      "Each benchmark ran in {} in random order (seed {}). A process runs one benchmark, in one of the "
      "layouts of its build. A time is the median over a process's repetitions, then over the processes; intervals are "
      "over processes. A ratio compares benchmarks of the same block.",
      processes_phrase(family, result), result.session.seed)});
  section.add(std::move(table));
  return section;
}

}  // namespace lab::report
