/// Whether a variant keeps its family's promises, asked of its executable before it is measured.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/catalog.h"

namespace lab::measure {

/// Longer than any executable's own checks take, those that hang included.
inline constexpr double kConformanceSeconds = 300;

struct Conformance {
  std::vector<std::string> failures;  ///< "CHECK: what is wrong", or how the executable ended; none: it conforms
  std::string output_tail;            ///< the end of what it said on standard error
};

/// Runs `executable --conformance` (harness/bench/protocol.h). Nothing where that was interrupted.
std::optional<Conformance> ask_conformance(const std::filesystem::path& executable, const Runner& run);

}  // namespace lab::measure
