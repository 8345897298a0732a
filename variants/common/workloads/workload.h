/// What the families' workloads share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/variant.h"

namespace lab {

/// A workload with the fields that every one has (harness/bench/description.h).
inline bench::Workload make_workload(std::string name, std::string title, std::vector<std::string> phases,
                                     std::uint64_t operations, std::string operation) {
  bench::Workload workload;
  workload.name = std::move(name);
  workload.title = std::move(title);
  workload.phases = std::move(phases);
  workload.operations = operations;
  workload.operation = std::move(operation);
  return workload;
}

/// The workload if it is supported; else without what runs it, and with the reason.
inline bench::Workload supported_if(bool supported, std::string otherwise, bench::Workload workload) {
  if (supported) return workload;
  workload.unsupported = std::move(otherwise);
  workload.prepare = {};
  workload.exhibits.clear();
  workload.exhibit = {};
  return workload;
}

/// Of at least one value; the upper of two in the middle.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace lab
