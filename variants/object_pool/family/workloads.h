/// The workloads of the family and their exhibits, compiled once for all variants.
#pragma once

#include <vector>

#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"
#include "variants/object_pool/family/task_table.h"

namespace lab::object_pool {

std::vector<bench::Workload> workloads(const TaskTable& tasks);

/// The timed part of the workload `soak`, and the long one of its exhibit.
std::unique_ptr<bench::Task> soak_task(const TaskTable& tasks, std::uint64_t seed);
struct SoakSeries {
  bench::Series memory;  ///< bytes: live, and held by the heap and by the pools
  bench::Series share;   ///< held per live byte
};
/// `operations`: creations and destructions together.
SoakSeries soak_series(const TaskTable& tasks, std::uint64_t seed, std::size_t operations);

}  // namespace lab::object_pool
