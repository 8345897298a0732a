/// What a variant executable prints: one JSON object on standard output.
///
/// --describe: {"protocol": 1, "family", "variant", "idea", "cost", "source", "weakness", "traits": {},
///   "workloads": [{"name", "title", "version", "phases": [], "operations", "operation", "parallel",
///   "phase_operations": {"<phase>": N}, "unsupported"}]}
///   (unsupported: the reason, or null; phase_operations: of phases whose times are not divided by `operations`)
/// --run: {"protocol": 1, "benchmark", "version", "seed", "threads", "checksum": "16 hex digits", "operations",
///   "repetitions", "samples": {"<phase>": [ns, ...], ...}, "counters": {}, "real_time", "cpu_time", "time_unit": "ns"}
///   samples hold nanoseconds per repetition; real_time and cpu_time are Google Benchmark's means per repetition.
///   With LAB_EXACT=1 in the environment, counters hold what takes a few repetitions to find as well.
/// --conformance: {"protocol": 1, "variant", "checks": [{"name", "failure": null or "..."}]}, exit status 1 on a failure
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "harness/bench/variant.h"

namespace lab::bench {

boost::json::object describe(const Variant& variant);

/// Everything one process measured of one workload.
struct Measurement {
  std::string benchmark;
  const Workload* workload = nullptr;
  Parameters parameters;
  std::uint64_t checksum = 0;
  std::vector<std::vector<double>> samples;  ///< [phase][repetition], nanoseconds
  std::map<std::string, double> counters;
  double real_time_ns = 0;  ///< Google Benchmark's mean per repetition
  double cpu_time_ns = 0;
};

boost::json::object to_json(const Measurement& measurement);

}  // namespace lab::bench
