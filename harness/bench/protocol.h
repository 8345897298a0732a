/// The output of a variant executable: one JSON object on standard output.
///
/// --describe: {"protocol": 2, "family", "variant", "idea", "cost", "source", "weakness", "traits": {},
///   "workloads": [{"name", "title", "version", "phases": [], "operations", "operation", "parallel",
///   "phase_operations": {"<phase>": N}, "unsupported"}]}
///   (unsupported: the reason, or null; phase_operations: of phases whose times are not divided by `operations`)
/// --run: {"protocol": 2, "benchmark", "version", "seed", "threads", "checksum": "16 hex digits", "operations",
///   "repetitions", "samples": {"<phase>": [ns, ...], ...}, "warmup": {"repetitions", "seconds", "stationary"},
///   "counters": {}, "cpu_time"}
///   samples hold nanoseconds per repetition; cpu_time is the main thread's mean over them, in nanoseconds. warmup
///   covers the repetitions before the first sample: all until they are alike, but at most half of the time. stationary
///   is false if the samples still become faster or slower (stationary.h). With LAB_EXACT=1 in the environment,
///   counters also hold metrics that cost a few repetitions.
/// --conformance [CHECK] [--seconds S]: {"protocol": 2, "variant", "checks": [{"name", "failure": null or "..."}]};
///   exit status 1 on a failure. Each check runs in its own process (--conformance CHECK): a crash, or a run of more
///   than S seconds, fails that check only.
///
/// Protocol 1, used by executables of earlier commits: --run also has "real_time", the mean of the samples, and
/// "time_unit".
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "harness/bench/variant.h"

namespace lab::bench {

boost::json::object describe(const Variant& variant);

/// Everything that one process measured for one workload.
struct Measurement {
  std::string benchmark;
  const Workload* workload = nullptr;
  Parameters parameters;
  std::uint64_t checksum = 0;
  std::vector<std::vector<double>> samples;  ///< [phase][repetition], nanoseconds
  std::size_t warmup_repetitions = 0;
  double warmup_seconds = 0;
  bool stationary = true;
  std::map<std::string, double> counters;
  double cpu_time_ns = 0;  ///< the main thread's CPU time, mean per repetition, untimed parts included
};

boost::json::object to_json(const Measurement& measurement);

}  // namespace lab::bench
