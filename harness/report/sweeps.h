/// Charts of workloads that are swept over an axis: one line a variant.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/report/document.h"
#include "harness/results/family.h"
#include "harness/results/result.h"

namespace lab::report {

/// The points of a workload with an axis: "largest block, bytes: 16 to 65,536". Where the axis is named "... per core",
/// also how many each is with the logical cores that the processes had, if all had as many: "threads per core: 1 and 2;
/// here 2 threads and 4 threads".
std::string points_phrase(const results::WorkloadInfo& workload, const results::Result& result);

/// "16 bytes", "1 thread": a point of an axis.
std::string point_phrase(const bench::Axis& axis, double at);

/// Of a sweep over threads, what this machine has no cores for: "This machine has 2 logical cores: it cannot tell which
/// variant is best on more."; "" of another workload.
std::string cores_sentence(const results::WorkloadInfo& workload, const results::Result& result);

/// Where the order of a sweep turns round: the points at which another variant has a lower median time than `variant`,
/// which has the lowest mean over them, if the two are apart there or it is the last point: "at 4 threads c_library has
/// the lowest median, 30.4 ns (29.9 to 31.0) against 41.2 ns (40.1 to 42.0)". "" if there is none.
std::string turning_points(const results::WorkloadInfo& workload, const results::Family& described,
                           const results::Result& result, const std::string& variant);

/// One chart for each workload of the family with an axis and numbers.
std::vector<Chart> sweep_charts(const std::string& family, const results::Family& described,
                                const results::Result& result, const judge::Fitness& fitness = {});

}  // namespace lab::report
