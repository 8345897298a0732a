/// The metrics of a workload, and their values in a process. A benchmark's name may end in ":metric"; without, it means
/// its primary metric.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/result.h"

namespace lab::results {

/// All metrics of a workload, its primary one first: the time, its phases if there are several, the error if it has a
/// tolerance, the instructions of a repetition, and those that it declares. A declared metric replaces one of the same
/// name.
std::vector<Metric> metrics_of(const WorkloadInfo& workload);

/// The metric of this name; the primary one for "". None if the workload does not have it.
std::optional<Metric> find_metric(const WorkloadInfo& workload, std::string_view name);

/// The metrics that are judged: the primary one first, then those with noise that the family declares, then those of
/// `also` that the workload has. Phases are parts of the time: judged by default, they would cost every row of the
/// table certainty.
std::vector<Metric> judged_metrics(const WorkloadInfo& workload, const std::vector<std::string>& also = {});

/// Whether a change of the value is for the worse.
bool is_worse(const Metric& metric, double before, double after);

/// The benchmark's workload; one with the operations and phases of its first process if the result does not list it, as
/// an imported file.
WorkloadInfo workload_of(const Result& result, std::string_view benchmark);

/// "family/variant/workload" for the primary metric, else "family/variant/workload:metric".
std::string metric_name(std::string_view benchmark, const WorkloadInfo& workload, std::string_view metric);

/// The value of a metric ("": the primary one) in a process of `workload`: of a sweep, the geometric mean over the
/// points. None if the process does not have it.
std::optional<double> metric_value(const WorkloadInfo& workload, const Process& process, std::string_view metric);

/// The same at one point of a sweep.
std::optional<double> metric_value(const WorkloadInfo& workload, const ProcessPoint& point, std::string_view metric);

/// Nanoseconds per operation of one phase, or of all phases if `phase` is "": the median over the repetitions, of a
/// sweep the geometric mean over the points. None if the process does not have the phase, or no times.
std::optional<double> phase_time(const WorkloadInfo& workload, const Process& process, const std::string& phase);

/// The result without its samples: of each process and point, the median of each phase is left as its only sample, and
/// every metric_value() and phase_time() is the same.
Result without_samples(Result result);

}  // namespace lab::results
