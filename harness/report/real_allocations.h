/// The section on real allocations: what they proved, and their times, device by device.
#pragma once

#include <span>

#include "harness/report/document.h"
#include "harness/results/memory_findings.h"

namespace lab::report {

/// Empty (no elements and no sections) without findings.
Section real_allocations_section(std::span<const results::MemoryFindings> findings);

}  // namespace lab::report
