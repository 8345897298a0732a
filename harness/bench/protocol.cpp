#include "harness/bench/protocol.h"

#include <fmt/format.h>

#include <boost/json.hpp>

namespace lab::bench {

namespace json = boost::json;

json::object describe(const Variant& variant) {
  json::array workloads;
  for (const Workload& workload : variant.workloads) {
    workloads.push_back(json::object{
        {"name", workload.name},
        {"title", workload.title},
        {"version", workload.version},
        {"phases", json::value_from(workload.phases)},
        {"operations", workload.operations},
        {"operation", workload.operation},
        {"parallel", workload.parallel},
        {"phase_operations", json::value_from(workload.phase_operations)},
        {"unsupported", workload.unsupported.empty() ? json::value(nullptr) : json::value(workload.unsupported)}});
  }
  return {{"protocol", kProtocol},
          {"family", variant.family},
          {"variant", variant.name},
          {"idea", variant.idea},
          {"cost", variant.cost},
          {"source", variant.source},
          {"weakness", variant.weakness},
          {"traits", json::value_from(variant.traits)},
          {"workloads", std::move(workloads)}};
}

json::object to_json(const Measurement& measurement) {
  const Workload& workload = *measurement.workload;
  json::object samples;
  for (std::size_t phase = 0; phase < workload.phases.size(); ++phase)
    samples[workload.phases[phase]] = json::value_from(measurement.samples[phase]);
  return {{"protocol", kProtocol},
          {"benchmark", measurement.benchmark},
          {"version", workload.version},
          {"seed", measurement.parameters.seed},
          {"threads", measurement.parameters.threads},
          {"checksum", fmt::format("{:016x}", measurement.checksum)},
          {"operations", workload.operations},
          {"repetitions", measurement.samples.empty() ? 0 : measurement.samples.front().size()},
          {"samples", std::move(samples)},
          {"warmup",
           {{"repetitions", measurement.warmup_repetitions},
            {"seconds", measurement.warmup_seconds},
            {"stationary", measurement.stationary}}},
          {"counters", json::value_from(measurement.counters)},
          {"cpu_time", measurement.cpu_time_ns}};
}

}  // namespace lab::bench
