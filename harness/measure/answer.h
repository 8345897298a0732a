/// The reading side of the words between run and a variant executable (harness/bench/protocol.h): what a stranger's
/// executable prints is checked to the last number before anything is made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/results/result.h"

namespace lab::measure {

/// What --describe says.
struct Description {
  struct Offer {
    results::Workload workload;
    std::string unsupported;  ///< why the variant cannot do it; "" where it can
  };
  results::Variant variant;  ///< reference is not its own to say
  std::vector<Offer> offers;
};

/// Refuses other protocols, names that do not fit into `family/variant/workload`, and workloads without phases or
/// operations.
Expected<Description> parse_description(std::string_view output);

/// What was asked of a process with --run.
struct Asked {
  std::string benchmark;
  const results::Workload* workload = nullptr;
  std::uint64_t seed = 0;
};

/// At most so many repetitions of a process are kept; of more, as many evenly spread over the process. Its real_time is
/// the median of them all.
inline constexpr std::size_t kKeptSamples = 1000;

/// What --conformance says: "CHECK: what is wrong" of each check that failed. Refuses a list without checks.
Expected<std::vector<std::string>> parse_conformance(std::string_view output);

/// Standard error and output are bytes; a result is UTF-8: what is not printable becomes '?'.
std::string printable(std::string text);

/// What --run says, as a process of a result: real_time, cpu_time, timed_seconds, checksum, samples and counters are
/// filled in.
/// Refuses what was not asked for, what no measurement gives (not finite, not positive, phases that are missing or of
/// unequal length), and checksums that are none.
Expected<results::Process> parse_measurement(std::string_view output, const Asked& asked);

}  // namespace lab::measure
