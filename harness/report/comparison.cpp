#include "harness/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "harness/base/error.h"
#include "harness/report/comparison_sentences.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::Comparison;
using judge::Verdict;

/// A chart with more rows is unreadable: rows that are the same appear only in the table.
constexpr std::size_t kMostDrawn = 60;

const std::map<Verdict, Emphasis> kVerdictEmphasis{{Verdict::kRegressed, Emphasis::kBad},
                                                   {Verdict::kImproved, Emphasis::kGood},
                                                   {Verdict::kUnknown, Emphasis::kWeak},
                                                   {Verdict::kSame, Emphasis::kOpen}};

/// Four decimals, so that a change of 0.1 % is visible.
std::string fine(double ratio) {
  return fmt::format("{:.4f}", ratio);
}

std::string interval_text(const std::optional<stats::Interval>& interval) {
  return interval ? range(fine(interval->low), fine(interval->high)) : "none";
}

std::string p_text(const std::optional<double>& p) {
  if (!p) return "";
  return *p < 0.0001 ? "below 0.0001" : fmt::format("{:.4f}", *p);
}

/// A verdict's colour and shape in a chart.
struct VerdictMark {
  std::string_view verdict, colour, shape;
};
constexpr VerdictMark kVerdictMarks[] = {
    {"regressed", "var(--bad)", "triangle-right"}, {"improved", "var(--good)", "triangle-left"},
    {"unknown", "var(--weak)", "diamond"},         {"same", "var(--open)", "circle"},
    {"false alarm", "var(--bad)", "diamond"},      {"no alarm", "var(--open)", "circle"}};

json::object drawn(const std::string& benchmark, double ratio, const std::optional<stats::Interval>& interval,
                   const std::optional<double>& p, std::string_view verdict) {
  const stats::Interval shown = interval.value_or(stats::Interval{ratio, ratio});
  return {{"benchmark", benchmark},
          {"ratio", ratio},
          {"low", shown.low},
          {"high", shown.high},
          {"p", p_text(p)},
          {"verdict", verdict},
          {"shown", interval ? fmt::format("{} ({})", fine(ratio), interval_text(interval)) : fine(ratio)}};
}

/// Adds the verdicts that occur in the rows, in the order of kVerdictMarks, with their marks.
void add_marks(Chart& chart) {
  json::array verdicts, colours, shapes;
  for (const VerdictMark& mark : kVerdictMarks) {
    const json::array& rows = chart.data.at("rows").as_array();
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const json::value& row) { return row.at("verdict").as_string() == mark.verdict; }))
      continue;
    verdicts.emplace_back(mark.verdict);
    colours.emplace_back(mark.colour);
    shapes.emplace_back(mark.shape);
  }
  chart.values = {{"verdicts", verdicts}, {"colours", colours}, {"shapes", shapes}};
}

json::array band(double threshold) {
  return {json::object{{"low", 1 / (1 + threshold)}, {"high", 1 + threshold}, {"one", 1}}};
}

/// The finding of the chart: the benchmark that changed most.
std::string finding(const Comparison& comparison) {
  if (!comparison.judged)
    return fmt::format("{}: {} of head to base", capitalized(not_judged(judge::unfit_reason(comparison))),
                       counted(comparison.tested, "ratio"));
  const judge::ComparisonRow& first = comparison.rows.front();  // rows are sorted by verdict, the largest change first
  if (first.verdict != Verdict::kRegressed && first.verdict != Verdict::kImproved)
    return "No benchmark is known to have changed";
  const std::size_t alike = judge::count(comparison, first.verdict) - 1;
  const auto percent = [](double ratio) { return fmt::format("{:+.2f} %", 100 * (ratio - 1)); };
  return fmt::format("{} {}: {} ({}){}", first.benchmark, judge::to_string(first.verdict), percent(first.ratio),
                     range(percent(first.interval->low), percent(first.interval->high)),
                     alike == 0 ? "" : fmt::format(", and {} more", whole(alike)));
}

bool has_times_only(const Comparison& comparison) {
  return std::ranges::all_of(
      comparison.rows, [](const judge::ComparisonRow& row) { return row.unit.empty() || row.unit.starts_with("ns"); });
}

std::optional<Chart> ratio_chart(const Comparison& comparison) {
  Chart chart("ratios", "comparison");
  json::array rows;
  std::size_t left_out = 0;
  for (const judge::ComparisonRow& row : comparison.rows) {
    if (row.identical) continue;
    if (rows.size() >= kMostDrawn && row.verdict == Verdict::kSame)
      ++left_out;
    else
      rows.push_back(drawn(row.benchmark, row.ratio, row.interval, row.p, judge::to_string(row.verdict)));
  }
  if (rows.empty()) return std::nullopt;
  chart.title = finding(comparison);
  const bool times = has_times_only(comparison);
  chart.note = fmt::format(
      "Head's {0} divided by base's {0}, with {1:.3g} % intervals. Right of the line is {2}. Shaded: changes below the "
      "threshold of {3:.3g} %.",
      times ? "time" : "time or other metric", 100 * (1 - comparison.alpha), times ? "slower" : "more",
      100 * comparison.threshold);
  if (left_out != 0)
    chart.note += fmt::format(" {} more benchmarks are the same; the table has them.", whole(left_out));
  chart.text = fmt::format("Dot plot of {} by benchmark. {}", counted(rows.size(), "ratio"), chart.title);
  chart.data = {{"rows", std::move(rows)}, {"bands", band(comparison.threshold)}};
  chart.words = {{"axis", "head against base"}};
  add_marks(chart);
  return chart;
}

std::string needed_text(const judge::ComparisonRow& row) {
  if (row.verdict != Verdict::kUnknown || !row.p) return "";
  return row.needed ? fmt::format("{} per arm", whole(*row.needed)) : "unknown";
}

std::string value_text(double value) {
  return value > 0 ? number(value) : "";
}

Table rows_table(const Comparison& comparison) {
  const bool has_layouts =
      std::ranges::any_of(comparison.rows, [](const judge::ComparisonRow& row) { return row.layout.has_value(); });
  Table table{
      "comparison",
      fmt::format("Every benchmark that base and head have. The ratio is the median of head's {0} divided by base's "
                  "{0}, {1}, not the ratio of the two medians; p is adjusted for the whole table{2}{3}",
                  has_times_only(comparison) ? "times" : "values",
                  comparison.interleaved ? "each pair within a block" : "over all pairs of processes",
                  comparison.judged ? "" : "; " + not_judged(judge::unfit_reason(comparison)),
                  has_layouts ? fmt::format(". Layout: {}", kLayoutMeaning) : ""),
      {{"Verdict", kVerdict},
       {"Benchmark", kBenchmark},
       {"Ratio", kNumber},
       {fmt::format("{:.3g} % interval", 100 * (1 - comparison.alpha)), kNumber},
       {"p", kNumber},
       {has_times_only(comparison) ? "Base, ns" : "Base", kNumber},
       {has_times_only(comparison) ? "Head, ns" : "Head", kNumber},
       {"Layout", kNumber, true},
       {"Processes", kNumber, true},
       {"Needed", kNumber},
       {"Note", kText}}};
  for (const judge::ComparisonRow& row : comparison.rows)
    table.rows.push_back({TableCell(std::string(judge::to_string(row.verdict)), kVerdictEmphasis.at(row.verdict)),
                          row.benchmark, judge::is_measured(row) ? fine(row.ratio) : "",
                          row.p ? interval_text(row.interval) : "", p_text(row.p), value_text(row.base_value),
                          value_text(row.head_value), row.layout ? layout_text(*row.layout) : "",
                          row.identical ? "" : fmt::format("{} and {}", row.base_processes, row.head_processes),
                          needed_text(row), note_of(row)});
  table.drop_empty_columns();
  return table;
}

Table exact_table(const Comparison& comparison) {
  Table table{
      "exact",
      "Changed metrics that have no noise: any change is a finding",
      {{"Verdict", kVerdict}, {"Benchmark", kBenchmark}, {"Metric", kName}, {"Base", kNumber}, {"Head", kNumber}}};
  for (const judge::ExactChange& change : comparison.exact)
    table.rows.push_back({change.worse ? TableCell("worse", Emphasis::kBad) : TableCell("changed", Emphasis::kWeak),
                          change.benchmark, change.metric, change.base.empty() ? "none" : change.base,
                          change.head.empty() ? "none" : change.head});
  return table;
}

std::string arm_text(const judge::ComparisonSide& side) {
  std::string text = side.commit.empty() ? side.name : fmt::format("commit {}", results::short_commit(side.commit));
  if (side.state == "dirty") text += " with changes";
  return text;
}

Emphasis emphasis_of(const Comparison& comparison) {
  switch (judge::exit_status(comparison)) {
    case ExitStatus::kRegression:
      return Emphasis::kBad;
    case ExitStatus::kUnfit:
      return Emphasis::kWeak;
    default:
      return judge::count(comparison, Verdict::kImproved) != 0 ? Emphasis::kGood : Emphasis::kOpen;
  }
}

void add_missing(Section& section, const std::vector<judge::OneSided>& benchmarks, std::string_view where) {
  if (benchmarks.empty()) return;
  section.add(
      Paragraph{fmt::format("Only in {}, so there is no verdict: {}.", where, fmt::join(names_of(benchmarks), ", "))});
}

}  // namespace

Section comparison_section(const Comparison& comparison) {
  Section section{"comparison", "Base against head"};
  section.add(Paragraph{sentence(comparison), emphasis_of(comparison)});
  section.add(Paragraph{fmt::format("Base is {}, head is {}{}.", arm_text(comparison.base), arm_text(comparison.head),
                                    comparison.interleaved ? ", interleaved in one session" : "")});
  section.add(List{warnings_of(comparison)});
  if (std::optional<Chart> chart = ratio_chart(comparison)) section.add(Charts{{std::move(*chart)}});
  section.add(exact_table(comparison));
  section.add(rows_table(comparison));
  add_missing(section, comparison.only_base, "base");
  add_missing(section, comparison.only_head, "head");
  return section;
}

Section control_section(const judge::Control& control) {
  Section section{"control", "A/A control"};
  if (control.rows.empty()) return section;
  section.add(Paragraph{control_sentence(control), control.fit ? Emphasis::kGood : Emphasis::kBad});
  Chart chart("ratios", "control");
  json::array rows;
  for (const judge::ControlRow& row : control.rows)
    rows.push_back(drawn(row.benchmark, row.ratio, row.interval, row.adjusted,
                         row.p < 1 - stats::kCoverage ? "false alarm" : "no alarm"));
  chart.title = fmt::format("{} in {} of equal builds", counted(control.false_alarms, "false alarm"),
                            counted(control.rows.size(), "comparison"));
  chart.note =
      "One benchmark of each family that the session measured ran as two arms of one build, each in links of its own, "
      "interleaved with all others. Any difference beyond what layouts differ by is an error of the session. The "
      "smallest detectable change is the least by which two builds must differ to be told apart here. Two variants are "
      "told apart by the interval of their own ratio, which may be narrower.";
  chart.text = fmt::format("Dot plot of the time ratios of {} to themselves.", counted(rows.size(), "benchmark"));
  chart.data = {{"rows", std::move(rows)}, {"bands", band(judge::kHarmlessBias)}};
  chart.words = {{"axis", "the second arm against the first"}};
  add_marks(chart);
  section.add(Charts{{std::move(chart)}});
  return section;
}

}  // namespace lab::report
