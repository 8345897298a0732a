/// The workloads that a variant offers, from how it executes them.
#pragma once

#include <span>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/execution.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// What counters() and costly_counters() of the family's tasks may hold. An allocator may lack some of them.
std::vector<bench::Metric> family_metrics();

/// The tasks also have their costly counters, if the subject has a fixed capacity. `repeatable` as in bench::Workload.
std::vector<bench::Workload> offer(std::span<const Execution> executions, const Subject& subject, bool repeatable);

}  // namespace lab::allocator
