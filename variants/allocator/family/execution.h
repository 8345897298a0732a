/// From a task's class to a workload that a variant offers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/plans.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// What counters() and costly_counters() of the family's tasks may hold. An allocator may lack some of them.
std::vector<bench::Metric> family_metrics();

/// How a variant executes one of the family's workloads.
struct Execution {
  bench::Workload (*describe)();
  std::unique_ptr<bench::Task> (*prepare)(const bench::Case& inputs) = nullptr;
  const char* unsupported = "";  ///< why it cannot, where there is no `prepare`
};

inline constexpr const char* kFreesNoBlocks =
    "the workload frees single blocks; this allocator frees only all blocks at once";
inline constexpr const char* kMovesBlocks =
    "the workload frees every other block by its address; this allocator moves blocks";
inline constexpr const char* kKeepsAddresses =
    "the workload keeps the addresses of its blocks; this allocator moves blocks";
inline constexpr const char* kHasOneHeap = "the workload needs two heaps; this allocator has one for the whole process";

inline constexpr const char* kServesOneThread =
    "the workload runs on several threads; this allocator serves one thread at a time";

/// A workload whose task is also told how many threads to use.
template <typename Task>
Execution threaded_execution() {
  return {Task::Plan::describe, [](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
            return std::make_unique<Task>(typename Task::Plan(inputs.seed), threads_at(inputs.point, inputs.threads));
          }};
}

/// A workload whose plan is made for a point of its axis.
template <typename Task, typename Plan>
Execution swept_execution() {
  return {Plan::describe, [](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
            return std::make_unique<Task>(Plan(inputs.seed, inputs.point));
          }};
}

inline constexpr const char* kSearchesTooLong =
    "the workload frees among thousands of blocks of mixed sizes; this allocator would search thousands of free blocks "
    "for each, which takes seconds";

template <typename Task>
Execution execution() {
  return {Task::Plan::describe, [](const bench::Case& inputs) -> std::unique_ptr<bench::Task> {
            return std::make_unique<Task>(typename Task::Plan(inputs.seed));
          }};
}

/// The workload of `Task`, whose class is not named where the allocator lacks what it needs.
template <typename Plan>
Execution cannot(const char* why) {
  return {Plan::describe, nullptr, why};
}

/// The tasks also have their costly counters, if the subject has a fixed capacity. `repeatable` as in bench::Workload.
std::vector<bench::Workload> offer(std::initializer_list<Execution> executions, const Subject& subject,
                                   bool repeatable);

}  // namespace lab::allocator
