/// The output of a variant executable: one JSON object on standard output.
///
/// --describe: {"protocol": 3, "family", "variant", "idea", "cost", "source", "weakness", "traits": {},
///   "workloads": [{<fields of description_json.h>, "unsupported"}]}
///   (unsupported: the reason, or null)
/// --run WORKLOAD [--seed N] [--seconds S] [--threads N] [--device NAME] [--assets DIR] [--reference FILE]:
///   {"protocol": 3, "benchmark", "version", "seed", "threads", <a point's fields>}, or for a sweep
///   {"protocol": 3, "benchmark", "version", "seed", "threads", "points": [{"at", <a point's fields>}, ...]}
///   A point's fields: "checksum": "16 hex digits", "operations", "repetitions", "samples": {"<phase>": [ns, ...],
///   ...}, "warmup": {"repetitions", "seconds", "stationary"}, "counters": {}, "cpu_time" samples hold nanoseconds per
///   repetition; cpu_time is the main thread's mean over them, in nanoseconds. warmup covers the repetitions before the
///   first sample: all until they are alike, but at most half of the time. stationary is false if the samples still
///   become faster or slower (stationary.h). counters hold the values of metrics other than times; with LAB_EXACT=1 in
///   the environment, also of those that cost a few repetitions. With --reference (a file of --answer) they hold the
///   distance from it, "error". --seconds 0: two repetitions, for the checksum.
/// --answer WORKLOAD --out FILE [--seed N] [--threads N] [--device NAME] [--assets DIR]:
///   writes the answers of a workload with a tolerance (answer.h); prints nothing.
/// --exhibit WORKLOAD --out DIR [--seed N] [--threads N] [--device NAME] [--assets DIR]:
///   writes the files of the workload's exhibits (exhibits.h); prints nothing.
/// --conformance [CHECK] [--seconds S]: {"protocol": 3, "variant", "checks": [{"name", "failure": null or "..."}]};
///   a check that does not decide has "remark" in place of its failure; exit status 1 on a failure. Each check runs in
///   its own process (--conformance CHECK): a crash, or a run of more than S seconds, fails that check only.
///
/// Protocol 2, used by executables of earlier commits, knows no sweeps, tolerances and exhibits; protocol 1 neither,
/// and its --run also has "real_time", the mean of the samples, and "time_unit".
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "harness/bench/variant.h"

namespace lab::bench {

boost::json::object describe(const Variant& variant);

/// What one process measured at one point; without an axis, all that it measured.
struct PointMeasurement {
  double at = 0;
  std::uint64_t operations = 1;
  std::uint64_t checksum = 0;
  std::vector<std::vector<double>> samples;  ///< [phase][repetition], nanoseconds
  std::size_t warmup_repetitions = 0;
  double warmup_seconds = 0;
  bool stationary = true;
  std::map<std::string, double> counters;
  double cpu_time_ns = 0;  ///< the main thread's CPU time, mean per repetition, untimed parts included
};

struct Measurement {
  std::string benchmark;
  const Workload* workload = nullptr;
  Case inputs;
  std::vector<PointMeasurement> points;  ///< one without an axis
};

boost::json::object to_json(const Measurement& measurement);

}  // namespace lab::bench
