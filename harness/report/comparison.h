/// Verdicts in a report: base against head, and a session's A/A control.
#pragma once

#include "harness/judge/comparison.h"
#include "harness/judge/fitness.h"
#include "harness/report/document.h"

namespace lab::report {

/// One row per benchmark; verdicts come before numbers.
Section comparison_section(const judge::Comparison& comparison);

/// The differences between two arms of one build. An empty section if the session had no control.
Section control_section(const judge::Control& control);

}  // namespace lab::report
