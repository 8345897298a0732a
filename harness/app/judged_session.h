/// A session that is judged while it runs.
#pragma once

#include "harness/measure/session.h"

namespace lab::app {

/// The stopping rule of judge.
measure::StoppingRule stopping_rule();

/// measure::run_session with stopping_rule(). If the session is unfit for verdicts, its unusual sentences finally
/// include the reason.
Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::SessionEnvironment& environment,
                                  const measure::SessionObserver& observer, results::Result& result);

}  // namespace lab::app
