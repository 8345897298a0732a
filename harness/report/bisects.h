/// Bisects in a report: the answer, the belief as it moved, and what was measured.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/bisect_record.h"

namespace lab::report {

/// The answer that the records' readers are given.
inline constexpr double kBisectConfidence = 0.99;

/// One subsection a bisect, in the order given; no blocks and no sections where there is none.
Section bisects_section(std::span<const results::Story> stories);

}  // namespace lab::report
