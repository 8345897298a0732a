/// A session that is judged while it runs.
#pragma once

#include "harness/measure/session.h"

namespace lab::app {

/// measure::run_session with the stopping rule of judge. Its unusual sentences finally say what other work
/// disturbed, and why the session is unfit for verdicts, if it is.
Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                                  measure::SessionEvents& events, results::Result& result);

}  // namespace lab::app
