/// A session whose numbers are judged while it runs.
#pragma once

#include "harness/measure/session.h"

namespace lab::app {

/// How judge answers what a session asks.
measure::StoppingRule stopping_rule();

/// measure::run_session with stopping_rule(); at the end, the session's unusual sentences also say why it is unfit for
/// verdicts, where it is.
Expected<void> run_judged_session(const measure::SessionSpec& spec, const measure::World& world,
                                  const measure::Observer& observer, results::Result& result);

}  // namespace lab::app
