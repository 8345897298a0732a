/// Repeats one workload in this process and records the time of every repetition.
#pragma once

#include "harness/base/error.h"
#include "harness/bench/protocol.h"
#include "harness/bench/variant.h"

namespace lab::bench {

/// Most repetitions of one process.
inline constexpr std::size_t kMaxRepetitions = 100'000;

/// Prepares the workload and repeats it until `seconds` have passed, set-up included, but at least five times. The
/// first two repetitions are warm-up, and so are later ones that are not yet like the rest. `exact` also counts
/// instructions and collects costly counters. An error if two repetitions read back different contents. `workload` must
/// outlive the measurement.
Expected<Measurement> measure(const Variant& variant, const Workload& workload, const Parameters& parameters,
                              double seconds, bool exact, const Clock& clock = {});

}  // namespace lab::bench
