/// Verdicts in a report: base against head, and a session's own A/A.
#pragma once

#include "harness/judge/compare.h"
#include "harness/judge/control.h"
#include "harness/report/document.h"

namespace lab::report {

/// What was found, benchmark by benchmark; the verdict before any number.
Section comparison_section(const judge::Comparison& comparison);

/// What a session found between two arms that are the same executables. No blocks where it had no control.
Section control_section(const judge::Control& control);

}  // namespace lab::report
