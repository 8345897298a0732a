/// A session that is judged while it runs.
#pragma once

#include "harness/measure/session.h"

namespace lab::app {

/// measure::run_session with the stopping rule of judge. If the session is unfit for verdicts, its unusual sentences
/// finally include the reason.
Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                                  measure::SessionEvents& events, results::Result& result);

}  // namespace lab::app
