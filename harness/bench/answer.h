/// Answers of workloads with a tolerance: values that are held against those of the reference variant.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/bench/description.h"
#include "harness/bench/variant.h"

namespace lab::bench {

/// By point of the workload's axis; one element without an axis.
using Answers = std::vector<std::vector<float>>;

/// Runs one repetition at each point. An error if an answer is empty.
Expected<Answers> answers_of(const Workload& workload, Case inputs);

/// A file in the byte order of the machine: both sides run on it.
Expected<void> write_answers(const std::filesystem::path& path, const Answers& answers);
Expected<Answers> read_answers(const std::filesystem::path& path);

/// An error if the sizes differ, or if a value is not finite.
Expected<double> distance_between(Distance distance, std::span<const float> answer, std::span<const float> reference);

/// The cases of a workload: one for each point of its axis, or `inputs` itself.
std::vector<Case> cases_of(const WorkloadInfo& workload, const Case& inputs);

}  // namespace lab::bench
