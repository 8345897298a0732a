/// From a task's class to how a variant executes a workload.
#pragma once

#include <memory>

#include "harness/bench/task.h"

namespace lab::allocator {

/// How a variant executes one of the family's workloads.
struct Execution {
  bench::Workload (*describe)();
  std::unique_ptr<bench::Task> (*prepare)(const bench::Case& inputs) = nullptr;
  const char* unsupported = "";  ///< why it cannot, where there is no `prepare`
};

// Why an allocator lacks a workload, or several: the report counts those with one reason.
inline constexpr const char* kFreesNoBlocks = "it frees everything at once, and no single block";
inline constexpr const char* kMovesBlocks = "it moves blocks, so they cannot be freed in the order of their addresses";
inline constexpr const char* kKeepsAddresses = "it moves blocks, so their addresses cannot be kept";
inline constexpr const char* kHasOneHeap = "it has one heap for the whole process, not two";
inline constexpr const char* kServesOneThread = "it serves one thread at a time";
inline constexpr const char* kWaitsTooLong =
    "a free of another thread's block waits for all threads, so a repetition takes seconds";
inline constexpr const char* kSearchesTooLong =
    "it searches free blocks one by one, which takes seconds among thousands of mixed sizes";

/// Makes a task, for Execution::prepare.
template <typename Task>
std::unique_ptr<bench::Task> prepare(const bench::Case& inputs) {
  return std::unique_ptr<bench::Task>(new Task(inputs));
}

template <typename Task>
constexpr Execution execution() {
  return {Task::Plan::describe, prepare<Task>};
}

/// The workload of `Plan`; its task is not named where the allocator lacks what it needs.
template <typename Plan>
constexpr Execution cannot(const char* why) {
  return {Plan::describe, nullptr, why};
}

}  // namespace lab::allocator
