/// A fixed build: copies of a few executables that never change. Measured in every night, they tell the machine's own
/// level: what moves their times is not the code.
///
/// It is a folder like a build folder: variants.json, build_info.json, the executables, all links of them that head
/// drew, and fixed.json with where they came from and their hashes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/measure/catalog.h"
#include "harness/measure/session.h"
#include "harness/results/result.h"

namespace lab::measure {

/// A fixed build has one benchmark of each family, but at least so many if head has them: two executables that stay are
/// the fewest that prove something (judge/common_changes.h), and a workload may change its version.
inline constexpr std::size_t kFewestFixed = 4;

/// Head's benchmarks that a new fixed build gets: those of choose_control(), then core ones of other variants, by name.
std::vector<Benchmark> choose_fixed(const std::vector<Benchmark>& head);

struct FixedBuild {
  results::Arm arm;                    ///< kFixed; without executables if there is no fixed build
  std::vector<ArmBenchmark> timed;     ///< next to head's benchmarks of that name
  std::vector<std::string> sentences;  ///< which of its benchmarks are not timed, and why
  bool exists = false;                 ///< there is one, and it can be read
  std::size_t refused = 0;             ///< benchmarks of it that `head` has and that are not timed

  /// Whether a new one is better: there is none, or most of what could be timed of it is not. What is not selected
  /// tonight, and what a short session does not reach, is no reason.
  bool is_spent() const { return !exists || refused > timed.size(); }
};

/// Reads the fixed build in `folder` and asks its executables for their benchmarks. Benchmarks whose executable does
/// not have the hash that was kept, or whose workload is another one in `head`, are not timed. A folder that cannot be
/// read is a sentence.
FixedBuild read_fixed(const std::filesystem::path& folder, const std::vector<Benchmark>& head, const Runner& run);

/// Copies the executables of `chosen`, benchmarks of `head`'s arm in `build_dir`, into `folder`, in place of the fixed
/// build there. After a kill there is the old one or none.
Expected<void> keep_fixed(const std::filesystem::path& folder, const std::filesystem::path& build_dir,
                          const results::Arm& head, const std::vector<Benchmark>& chosen);

}  // namespace lab::measure
