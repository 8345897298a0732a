/// The workloads of the family and their exhibits, compiled once for all variants.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"
#include "variants/object_pool/family/task_table.h"

namespace lab::object_pool {

std::vector<bench::Workload> workloads(const TaskTable& tasks);

/// The timed part of the workload `soak` and of those about sizes.
std::unique_ptr<bench::Task> soak_task(bool is_heap, MakeSoak make, std::uint64_t seed, SizeMix mix);

/// What the process's malloc holds free, and the largest piece of it: no larger request can be served from it.
struct FreeMemory {
  std::size_t bytes = 0, largest = 0;
};
FreeMemory free_memory();
/// Only the largest piece, from what glibc's malloc_info() writes.
FreeMemory free_memory_of(const std::string& malloc_info);

/// The long run of the exhibit of `soak`.
struct SoakSeries {
  bench::Series memory;  ///< bytes: live, and held by the heap and by the pools
  bench::Series share;   ///< held per live byte
};
/// `operations`: creations and destructions together.
SoakSeries soak_series(const TaskTable& tasks, std::uint64_t seed, std::size_t operations);

}  // namespace lab::object_pool
