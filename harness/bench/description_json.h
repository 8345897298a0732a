/// The JSON fields of description.h, for --describe, for results and for base/json_fields.h. Apart from description.h,
/// because a variant's source file needs no JSON.
#pragma once

#include <array>
#include <string_view>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/bench/description.h"

namespace lab::bench {

inline constexpr std::array<std::string_view, 4> kMetricKinds{"time", "exact", "quality", "memory"};
inline constexpr std::array<std::string_view, 3> kBetter{"less", "more", "neither"};
inline constexpr std::array<std::string_view, 2> kDistances{"maximum", "root mean square"};
inline constexpr std::array<std::string_view, 4> kExhibitKinds{"latency", "series", "image", "events"};

constexpr const auto& names_of(MetricKind) {
  return kMetricKinds;
}
constexpr const auto& names_of(Better) {
  return kBetter;
}
constexpr const auto& names_of(Distance) {
  return kDistances;
}
constexpr const auto& names_of(ExhibitKind) {
  return kExhibitKinds;
}

LAB_JSON_STRUCT(Metric, name, title, unit, kind, better, costly)
LAB_JSON_STRUCT(AxisPoint, at, operations)
LAB_JSON_STRUCT(Axis, name, unit, points)
LAB_JSON_STRUCT(Tolerance, distance, most, unit)
LAB_JSON_STRUCT(ExhibitInfo, name, title, kind)

/// All fields but the family, which --describe states once. `added` fields are not in files and executables before
/// result schema 2 and protocol 3.
template <typename Fields>
void workload_fields(Fields& f, WorkloadInfo& workload) {
  f("name", workload.name);
  f("title", workload.title);
  f("version", workload.version);
  f("phases", workload.phases);
  f("operations", workload.operations);
  f("operation", workload.operation);
  f("parallel", workload.parallel);
  f.added("phase_operations", workload.phase_operations);
  f.added("metrics", workload.metrics);
  f.added("primary", workload.primary);
  f.added("axis", workload.axis);
  f.added("tolerance", workload.tolerance);
  f.added("exhibits", workload.exhibits);
}

/// What --describe and a result say of a variant after its name.
template <typename Fields>
void card_fields(Fields& f, VariantCard& card) {
  f("idea", card.idea);
  f("cost", card.cost);
  f("source", card.source);
  f("weakness", card.weakness);
  f("traits", card.traits);
}

template <typename Fields>
void fields(Fields& f, WorkloadInfo& workload) {
  f("family", workload.family);
  workload_fields(f, workload);
}

template <typename Fields>
void fields(Fields& f, VariantCard& card) {
  f("family", card.family);
  f("name", card.name);
  f("reference", card.reference);
  card_fields(f, card);
}

}  // namespace lab::bench
