#include "harness/bench/protocol.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "harness/bench/description_json.h"

namespace lab::bench {

template <typename Fields>
void fields(Fields& f, Workload& workload) {
  workload_fields(f, workload);
  std::optional<std::string> unsupported;
  if (!workload.unsupported.empty()) unsupported = workload.unsupported;
  f("unsupported", unsupported);
}

template <typename Fields>
void fields(Fields& f, Variant& variant) {
  int protocol = kProtocol;
  f("protocol", protocol);
  f("family", variant.family);
  f("variant", variant.name);
  card_fields(f, variant);
  f("workloads", variant.workloads);
}

namespace {

json::object samples_of(const Workload& workload, const PointMeasurement& point) {
  json::object samples;
  for (std::size_t phase = 0; phase < workload.phases.size(); ++phase)
    samples[workload.phases[phase]] = json::value_from(point.samples[phase]);
  return samples;
}

void add_point(const Workload& workload, const PointMeasurement& point, json::object& into) {
  into["checksum"] = fmt::format("{:016x}", point.checksum);
  into["operations"] = point.operations;
  into["repetitions"] = point.samples.empty() ? 0 : point.samples.front().size();
  into["samples"] = samples_of(workload, point);
  into["warmup"] = json::object{
      {"repetitions", point.warmup_repetitions}, {"seconds", point.warmup_seconds}, {"stationary", point.stationary}};
  into["counters"] = json::value_from(point.counters);
  into["cpu_time"] = point.cpu_time_ns;
}

}  // namespace

json::object describe(const Variant& variant) {
  return lab::to_json(variant).as_object();
}

json::object to_json(const Measurement& measurement) {
  const Workload& workload = *measurement.workload;
  json::object object{{"protocol", kProtocol},
                      {"benchmark", measurement.benchmark},
                      {"version", workload.version},
                      {"seed", measurement.inputs.seed},
                      {"threads", measurement.inputs.threads}};
  if (!workload.axis) {
    add_point(workload, measurement.points.front(), object);
    return object;
  }
  json::array points;
  for (const PointMeasurement& point : measurement.points) {
    json::object one{{"at", point.at}};
    add_point(workload, point, one);
    points.push_back(std::move(one));
  }
  object["points"] = std::move(points);
  return object;
}

}  // namespace lab::bench
