/// The bisect section of a report: the answer, the probabilities after each measurement, and the measurements.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/bisect_record.h"

namespace lab::report {

/// The probability at which a report concludes a bisect.
inline constexpr double kBisectProbability = 0.99;

/// One subsection per bisect, in the order given; an empty section without bisects.
Section bisects_section(std::span<const results::ParsedBisectRecord> records);

}  // namespace lab::report
