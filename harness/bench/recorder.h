/// Repeats one workload in this process and keeps what every repetition took.
#pragma once

#include "harness/base/error.h"
#include "harness/bench/protocol.h"
#include "harness/bench/variant.h"

namespace lab::bench {

/// A process repeats no more often.
inline constexpr std::size_t kMaxRepetitions = 100'000;

/// Prepares the workload and repeats it until `seconds` have passed, set-up included, at least five times in all. The
/// first two repetitions are warm-up, and so are those after them that were not yet like the rest. With `exact`, counts
/// instructions and asks for costly counters. An error where two repetitions read back different contents.
/// `workload` must outlive the measurement.
Expected<Measurement> measure(const Variant& variant, const Workload& workload, const Parameters& parameters,
                              double seconds, bool exact, const Clock& clock = {});

}  // namespace lab::bench
