/// Families as data: variants/<family>/family.json, which says how a report shows a family. harness/docs/formats.md
/// describes the format.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::results {

/// How a value is shown.
enum class NumberFormat { kNumber, kPercent, kWhole };

/// A column of the family's table of metrics.
struct MetricColumn {
  std::string metric;
  std::string title;
  NumberFormat format = NumberFormat::kNumber;
  bool shown = true;
};

/// A chart of one number per benchmark: a metric, or its share of another.
struct MetricChart {
  std::string name;
  std::string metric;
  std::string over;  ///< "": the metric itself
  std::string axis;
  std::string unit;  ///< as in "buddy has the most: 1.33 <unit>"
  std::string note;
  std::optional<double> line;  ///< a value to mark
};

/// Variants that can do the same and are measured on the same workload.
struct ChoiceGroup {
  std::string title;
  std::string trait;  ///< of the variants' cards; "": any
  std::string like;   ///< a glob over its value
  std::string workload;
  std::string lacks = {};  ///< what its times do not contain, so that no other group's are compared; "": nothing
};

/// A column of the table that helps to choose.
struct ChoiceTrait {
  std::string trait;
  std::string title;
  std::string otherwise;  ///< for a variant without it
  std::string means;      ///< a sentence
};
struct ChoiceMetric {
  std::string metric;
  std::string over;  ///< "": the metric itself
  std::string title;
  std::string axis;  ///< where it is an axis of the plot; otherwise the title
  std::string means;
  NumberFormat format = NumberFormat::kNumber;
  std::string note;  ///< a sentence for the caption of the plot
};

/// What the longest latency should stay below.
struct LatencyLimit {
  double ns = 0;      ///< above 0
  std::string title;  ///< as in "stays below <title>"
};

/// "Which one for my case?": what a family's variants are chosen by, beside their time.
struct Choice {
  std::string title;
  std::string latency;  ///< an exhibit of the groups' workloads: p99.9 and the worst call; "": none
  std::optional<LatencyLimit> latency_limit;
  std::vector<ChoiceGroup> groups;    ///< a variant is in the first one that it matches
  std::vector<ChoiceMetric> metrics;  ///< the first one is plotted against time
  std::vector<ChoiceTrait> traits;
  std::string caution = {};  ///< a sentence below the answers: what their times do not contain; "": none
};

/// One picture of a comparison: an exhibit of kind image.
struct ComparedImage {
  std::string title;
  std::string workload;
  std::string exhibit;
  std::string variant;  ///< "": the family's reference
};

/// Pictures that the report shows side by side, and any two of them over each other.
struct ImageComparison {
  std::string name;
  std::string title;
  std::vector<ComparedImage> images;
  std::string note;
};

/// A value that a chart marks, or with `to` a range of them.
struct AxisMark {
  double x = 0;
  std::optional<double> to;  ///< above x
  std::string title;
};

/// A chart of one metric against another: a point for each workload and point of its sweep.
struct TradeOff {
  std::string name;
  std::string title;
  std::string x, y;  ///< metrics
  std::vector<std::string> workloads;
  std::string x_axis, y_axis;
  double x_scale = 1, y_scale = 1;  ///< above 0; a value is multiplied by it
  std::string note;
  std::vector<AxisMark> marks;  ///< on the x axis, in its unit
};

/// What users ask of a family, answered by its benchmarks: which variant is the fastest of each workload, or, with two
/// variants, what the second one takes of the first one's time.
struct Question {
  std::string question;
  std::vector<std::string> workloads;
  std::vector<std::string> between;  ///< two variants; empty: all
  /// Shown beside the time: of the fastest variant, or what the second variant has of the first one's.
  std::vector<std::string> metrics;
  std::string note;  ///< what else counts; ""
};

struct Family {
  std::string title;    ///< of its section
  std::string subject;  ///< as in "8 published claims about <subject>"
  std::string metrics_title;
  std::vector<MetricColumn> metrics;  ///< the first columns of the table; others follow under their own names
  std::vector<MetricChart> charts;
  std::optional<Choice> choice;
  std::vector<ImageComparison> comparisons;
  std::vector<TradeOff> trade_offs;
  std::vector<Question> questions;
  std::vector<std::string> core;  ///< the workloads that every session measures; none: all
};

/// By name.
using Families = std::map<std::string, Family>;

/// The description, or one in which the name is the title.
Family describe(const Families& families, const std::string& name);

/// The column of a counter that no description mentions: "used_bytes" is "Used, bytes".
MetricColumn default_column(const std::string& metric);

/// All families of a checkout; none if there is no folder variants/. An error names the file.
Expected<Families> load_families(const std::filesystem::path& root);

}  // namespace lab::results
