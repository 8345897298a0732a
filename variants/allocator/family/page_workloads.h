/// Workloads over blocks of many pages: what it costs to get them from the system, and what their page size costs who
/// reads them. They answer the question that the article on the buddy allocator leaves open. One operation takes far
/// longer than a virtual call, so they are compiled once for the family, over Subject.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/allocator/family/subject.h"

namespace lab::allocator {

/// Appends them. `repeatable` as in bench::Workload.
void add_page_workloads(const Subject& subject, bool repeatable, std::vector<bench::Workload>& workloads);

}  // namespace lab::allocator
