/// Parses the output of variant executables (harness/bench/protocol.h). An executable may be of any commit, so every
/// value is checked before it is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/results/result.h"

namespace lab::measure {

/// The output of --describe.
struct Description {
  struct Offer {
    results::WorkloadInfo workload;
    std::string unsupported;  ///< why the variant does not support it; "" if it does
  };
  results::VariantCard variant;
  std::vector<Offer> offers;
};

/// Rejects other protocols, names that do not fit into `family/variant/workload:metric`, workloads without phases or
/// operations, sweeps without points, and metrics or exhibits of one name.
Expected<Description> parse_description(std::string_view output);

/// Most repetitions kept of one process; if there are more, this many are kept, evenly spread over the process.
/// real_time is the median of all repetitions.
inline constexpr std::size_t kKeptSamples = 1000;

/// The request to a process with --run.
struct ProcessRequest {
  std::string benchmark;
  const results::WorkloadInfo* workload = nullptr;
  std::uint64_t seed = 0;
  std::size_t kept_samples = kKeptSamples;  ///< fewer where the result would become too large
};

/// The output of --conformance, each as "CHECK: what is wrong".
struct FailedChecks {
  std::vector<std::string> failures;
  std::vector<std::string> remarks;  ///< of checks that do not decide
};

/// Rejects a list without checks.
Expected<FailedChecks> parse_conformance(std::string_view output);

/// Parses the output of --run into a process of a result: fills in real_time, cpu_time, timed_seconds, checksum,
/// samples, counters and points. Rejects output that does not match the request, impossible values (not finite, not
/// positive, phases that are missing or of unequal length, other points) and malformed checksums.
Expected<results::Process> parse_measurement(std::string_view output, const ProcessRequest& request);

}  // namespace lab::measure
