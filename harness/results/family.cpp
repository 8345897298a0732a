#include "harness/results/family.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/json_struct.h"
#include "harness/bench/description.h"
#include "harness/results/described.h"

namespace lab::results {

namespace fs = std::filesystem;

namespace {

void require_above(FieldReader& f, std::string_view name, double least, double found) {
  if (found <= least) f.refuse(name, fmt::format("expected a number above {}, found {}", least, found));
}

/// What a family's file leaves out.
Family completed(Family family, const std::string& name) {
  if (family.title.empty()) family.title = name;
  if (family.subject.empty()) family.subject = name;
  if (family.metrics_title.empty()) family.metrics_title = "Metrics other than time";
  return family;
}

}  // namespace

constexpr std::array<std::string_view, 3> names_of(NumberFormat) {
  return {"number", "percent", "whole"};
}

void fields(FieldReader& f, MetricColumn& column) {
  f("metric", column.metric);
  column = default_column(column.metric);
  f.added("title", column.title);
  f.added("shown", column.shown);
  f.added("format", column.format);
}

void fields(FieldReader& f, MetricChart& chart) {
  f("name", chart.name);
  f("metric", chart.metric);
  f.added("over", chart.over);
  f("axis", chart.axis);
  chart.unit = chart.axis;
  f.added("unit", chart.unit);
  f("note", chart.note);
  f.added("line", chart.line);
}

void fields(FieldReader& f, ChoiceGroup& group) {
  f("title", group.title);
  f("workload", group.workload);
  f.added("trait", group.trait);
  if (!group.trait.empty()) f("like", group.like);
  f.added("lacks", group.lacks);
}

LAB_JSON_STRUCT(ChoiceTrait, trait, title, means, (otherwise))

void fields(FieldReader& f, ChoiceMetric& column) {
  f("metric", column.metric);
  f("title", column.title);
  f("means", column.means);
  f.added("over", column.over);
  column.format = default_column(column.metric).format;
  if (!column.over.empty()) column.format = NumberFormat::kNumber;
  f.added("format", column.format);
  column.axis = column.title;
  f.added("axis", column.axis);
  f.added("note", column.note);
}

void fields(FieldReader& f, LatencyLimit& limit) {
  f("ns", limit.ns);
  f("title", limit.title);
  require_above(f, "ns", 0, limit.ns);
}

void fields(FieldReader& f, Choice& choice) {
  f("title", choice.title);
  f("groups", choice.groups);
  f.added("caution", choice.caution);
  f.added("latency_limit", choice.latency_limit);
  if (choice.latency_limit) f("latency", choice.latency);
  f.added("latency", choice.latency);
  f.added("metrics", choice.metrics);
  f.added("traits", choice.traits);
}

LAB_JSON_STRUCT(ComparedImage, title, workload, exhibit, (variant))

void fields(FieldReader& f, ImageComparison& comparison) {
  f("title", comparison.title);
  f("images", comparison.images);
  comparison.name = comparison.title;
  f.added("name", comparison.name);
  f.added("note", comparison.note);
}

void fields(FieldReader& f, AxisMark& mark) {
  f("x", mark.x);
  f("title", mark.title);
  f.added("to", mark.to);
  if (mark.to) require_above(f, "to", mark.x, *mark.to);
}

void fields(FieldReader& f, TradeOff& trade) {
  f("name", trade.name);
  f("title", trade.title);
  f("x", trade.x);
  f("y", trade.y);
  f("workloads", trade.workloads);
  f("x_axis", trade.x_axis);
  f("y_axis", trade.y_axis);
  f.added("x_scale", trade.x_scale);
  f.added("y_scale", trade.y_scale);
  require_above(f, "x_scale", 0, trade.x_scale);
  require_above(f, "y_scale", 0, trade.y_scale);
  f.added("note", trade.note);
  f.added("marks", trade.marks);
}

void fields(FieldReader& f, Question& question) {
  f("question", question.question);
  f("workloads", question.workloads);
  f.added("between", question.between);
  if (!question.between.empty() && question.between.size() != 2)
    f.refuse("between", fmt::format("expected two variants, found {}", question.between.size()));
  f.added("metrics", question.metrics);
  f.added("note", question.note);
}

LAB_JSON_STRUCT(Family, (title), (subject), (metrics_title), (metrics), (charts), (choice), (comparisons), (trade_offs),
                (questions), (core))

Family describe(const Families& families, const std::string& name) {
  const auto found = families.find(name);
  return completed(found == families.end() ? Family{} : found->second, name);
}

MetricColumn default_column(const std::string& metric) {
  constexpr std::string_view kSuffix = "_bytes";
  const bool bytes = metric.ends_with(kSuffix);
  std::string title = metric.substr(0, metric.size() - (bytes ? kSuffix.size() : 0));
  std::replace(title.begin(), title.end(), '_', ' ');
  const bool whole = bytes || metric == bench::kInstructionsMetric || metric == bench::kPageFaultsMetric;
  return {metric, capitalized(title) + (bytes ? ", bytes" : ""), whole ? NumberFormat::kWhole : NumberFormat::kNumber,
          true};
}

Expected<Families> load_families(const fs::path& root) {
  Families families;
  for (const fs::path& folder : sorted_files(root / "variants", "")) {
    const fs::path file = folder / "family.json";
    if (!fs::exists(file)) continue;
    Expected<Family> family = load_described<Family>(file);
    if (!family) return family.error();
    families[folder.filename().string()] = std::move(*family);
  }
  return families;
}

}  // namespace lab::results
