/// Whether two sides, or a benchmark of both, can be compared: machine, seeds, versions of workloads, and which code
/// and which session are the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/judge/compared_arm.h"
#include "harness/judge/comparison.h"

namespace lab::judge {

/// Rejects two machines, two seeds and two versions of a workload. What the settings allow becomes a warning.
Expected<std::vector<Warning>> check_comparable(const ComparedArm& base, const ComparedArm& head,
                                                const CompareSettings& settings);

/// The error that two machines are not compared; `what`: "sessions", "files".
Error two_machines(const results::Result& base, const results::Result& head, std::string_view what);

/// Whether the hash of the benchmark's executable is known and equal, and the environment too: then no difference is
/// possible.
bool is_identical(const ComparedArm& base, const ComparedArm& head, std::string_view benchmark);

/// Why a benchmark is not tested: kMachine, kSeeds or kIdentical; kNone if it is.
Reason untested_reason(const ComparedArm& base, const ComparedArm& head, const std::string& benchmark);

/// Whether both are one session, or a session and a part of it: its processes would be compared with themselves.
bool is_same_session(const ComparedArm& base, const ComparedArm& head);

/// The facts that differ: ChangedFact, PatchedLibrary.
std::vector<Warning> changed_facts(const results::Result& base, const results::Result& head);

}  // namespace lab::judge
