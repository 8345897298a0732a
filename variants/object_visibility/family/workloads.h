/// What is measured of a way to count.
#pragma once

#include <vector>

#include "harness/bench/variant.h"
#include "variants/object_visibility/family/registration.h"

namespace lab::object_visibility {

std::vector<bench::Workload> make_workloads(const MakeCounter& make, const Ability& ability);

/// A pool with a worker for each of `threads`, or with one.
designs::WorkerPool make_pool(const Ability& ability, unsigned threads);

}  // namespace lab::object_visibility
