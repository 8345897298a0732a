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
};

/// Runs `executable --conformance` (harness/bench/protocol.h). Nothing if interrupted.
std::optional<ConformanceResult> run_conformance(const std::filesystem::path& executable, const Runner& run);

}  // namespace lab::measure
