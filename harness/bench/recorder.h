/// Repeats one workload in this process and records the time of every repetition.
#pragma once

#include "harness/base/error_fwd.h"
#include "harness/bench/answer.h"
#include "harness/bench/protocol.h"
#include "harness/bench/variant.h"

namespace lab::bench {

/// Most repetitions of one process.
inline constexpr std::size_t kMaxRepetitions = 100'000;

/// How to measure.
struct MeasureSettings {
  double seconds = 1;  ///< of the whole process, divided equally among the points of a sweep; 0: briefly
  bool exact = false;  ///< also counts instructions and page faults, and collects costly counters
  const Answers* reference = nullptr;  ///< of a workload with a tolerance; null: its distance is not computed
  std::size_t most_points = SIZE_MAX;  ///< of a sweep, the first ones
};

/// At each point: prepares the workload and repeats it until its share of the time has passed, set-up included, but at
/// least five times. The first two repetitions are warm-up, and so are later ones that are not yet like the rest.
/// Briefly is for a checksum, not for a time: two repetitions, of which the first is warm-up. An error if two
/// repetitions read back different contents, or if an answer cannot be held against the reference's. `workload` must
/// outlive the measurement.
Expected<Measurement> measure(const Variant& variant, const Workload& workload, const Case& inputs,
                              const MeasureSettings& settings, const Clock& clock = {});

}  // namespace lab::bench
