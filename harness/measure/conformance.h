/// Checks whether a variant's executable keeps its family's promises, before it is measured.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/catalog.h"

namespace lab::measure {

/// Longer than all checks of any executable take, even if some hang.
inline constexpr double kConformanceSeconds = 300;

struct ConformanceResult {
  std::vector<std::string> failures;  ///< "CHECK: what is wrong", or how the executable ended; empty: it conforms
  std::string output_tail;            ///< the end of its standard error
  /// The same of checks that do not decide: it breaks a promise on which no workload depends.
  std::vector<std::string> remarks = {};
};

/// Runs `executable --conformance` (harness/bench/protocol.h). Nothing if interrupted. With a preloaded `malloc` that
/// fails more than one check, there is one failure, which names the others: they usually have one cause.
std::optional<ConformanceResult> run_conformance(const std::filesystem::path& executable, const Runner& run,
                                                 const MallocLibrary* malloc = nullptr);

}  // namespace lab::measure
