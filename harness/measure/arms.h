/// The arms of a session: head, the control that is head once more, and base.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/measure/session.h"
#include "harness/results/result.h"

namespace lab::measure {

/// SHA-1 of a file's content (32 hex digits of it, as a name-based UUID): what decides that two executables are the
/// same.
Expected<std::string> content_hash(const std::filesystem::path& file);

/// The arm of a name that `benchmarks` stand for: their executables' hashes and their workloads' versions, with the
/// build, the pins and the commit of `root`, the checkout that `build_dir` belongs to.
Expected<results::Arm> describe_arm(std::string_view name, const std::filesystem::path& build_dir,
                                    const std::filesystem::path& root, const std::vector<Benchmark>& benchmarks);

/// Head's benchmarks that run once more as the control, one a family: the first by name, of those that are not parallel
/// where there are any, of the reference where it is selected. Sorted by name.
std::vector<ArmBenchmark> choose_control(const std::vector<Benchmark>& head);

/// The same executables, hashes and all, for the control's benchmarks.
results::Arm control_arm(const results::Arm& head, const std::vector<ArmBenchmark>& control);

/// Which of head's benchmarks are timed in base too.
struct Pairing {
  std::vector<ArmBenchmark> timed;
  std::size_t identical = 0;           ///< benchmarks whose executables are the same: they are not timed in base
  std::vector<std::string> sentences;  ///< what else is not, and why
};

/// `arms`: head and base, as described. Base benchmarks must be of the same workload version, and their executable must
/// speak this build's protocol (what does not is among `base`'s failures).
Pairing pair_with_base(const std::vector<Benchmark>& head, const results::Arm& head_arm, const Catalog& base,
                       const results::Arm& base_arm);

}  // namespace lab::measure
