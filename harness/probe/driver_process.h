/// The process of one driver: how it is started, and why it ended early.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/probe/manifests.h"
#include "harness/results/atlas.h"

namespace lab::probe {

/// A process with exactly this environment, and a limit of silence instead of one of time. It dumps no core: a driver's
/// crash is recorded as a result.
ChildSpec driver_process(std::vector<std::string> command, const EnvironmentVariables& environment,
                         std::chrono::milliseconds silence);

/// The error if the process never ran: no such executable, or it could not be linked.
std::optional<Error> start_error(const ChildSpec& child, const ChildOutcome& outcome);

/// A crash, a hang or an unexpected exit, while it was `doing` something ("" if it said nothing).
results::ProbeFailure early_end(const ChildSpec& child, const ChildOutcome& outcome, const std::string& doing);

}  // namespace lab::probe
