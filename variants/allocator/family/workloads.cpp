#include "variants/allocator/family/workloads.h"

namespace lab::allocator {

std::map<std::string, double> with_common_counters(std::map<std::string, double> own, double requested, double occupied,
                                                   const Demand& demand) {
  own["internal_fragmentation"] = occupied / requested;
  own["peak_requested_bytes"] = static_cast<double>(demand.bytes);
  return own;
}

std::vector<bench::Metric> family_metrics() {
  using enum bench::MetricKind;
  using enum bench::Better;
  return {{"internal_fragmentation", "Bytes in blocks per byte requested", "", kExact, kLess},
          {"external_fragmentation", "Share of free memory outside the largest free block", "", kExact, kLess},
          {"metadata_bytes", "Metadata", "bytes", kExact, kLess},
          {"minimum_heap_bytes", "Minimum heap", "bytes", kExact, kLess, true},
          {"outside_bytes", "Part of the minimum heap outside of its buffer", "bytes", kExact, kLess, true},
          {"peak_requested_bytes", "Peak of requests", "bytes", kExact, kNeither},
          {"buffer_bytes", "Buffer", "bytes", kExact, kNeither},
          {"used_bytes", "Used part of the buffer", "bytes", kExact, kLess},
          {"leaf_bytes", "Smallest block", "bytes", kExact, kNeither}};
}

std::vector<bench::Workload> offer(std::initializer_list<Execution> executions, bool repeatable) {
  std::vector<bench::Workload> offered;
  for (const Execution& execution : executions) {
    bench::Workload& workload = offered.emplace_back(execution.describe());
    workload.metrics = family_metrics();
    workload.repeatable = repeatable;
    if (execution.prepare == nullptr)
      workload.unsupported = "the workload frees single blocks; this allocator frees only all blocks at once";
    else
      workload.prepare = [prepare = execution.prepare](const bench::Case& inputs) { return prepare(inputs.seed); };
  }
  return offered;
}

}  // namespace lab::allocator
