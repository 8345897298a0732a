#include "variants/gpu_memory/family/workloads.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "variants/common/workloads/workload.h"
#include "variants/gpu_memory/family/figures.h"

namespace lab::gpu_memory {

namespace {

using enum bench::MetricKind;
using enum bench::Better;

std::vector<bench::Metric> replace_metrics() {
  return {{"peak_requested_bytes", "Peak of requested bytes", "bytes", kExact, kNeither},
          {"device_bytes", "Most bytes taken from the device", "bytes", kExact},
          {"device_allocations", "Calls of vkAllocateMemory", "", kExact},
          {"most_allocations", "Most allocations at once", "", kExact},
          {"rounding_bytes", "Bytes lost to rounding", "bytes", kExact},
          {"gap_bytes", "Bytes in gaps that alignment leaves", "bytes", kExact},
          {"wasted_bytes", "Bytes lost to rounding and to gaps", "bytes", kExact},
          {"external_fragmentation", "Free memory outside the largest free space", "", kExact},
          {"free_spaces", "Free spaces over all allocations", "", kExact},
          {"metadata_bytes", "Bytes of bookkeeping, on the CPU", "bytes", kExact},
          {"minimum_heap_bytes", "Smallest heap in which it succeeds", "bytes", kExact, kLess, true}};
}

bench::Workload describe_replacements(const char* name, const char* what, const DeviceTable& table,
                                      const ResourcePlan& plan) {
  bench::Workload workload =
      make_workload(fmt::format("{}_{}", name, table.name), fmt::format("{}; requirements: {}", what, table.title),
                    {"total"}, plan.creations(), "pair");
  workload.metrics = replace_metrics();
  return workload;
}

bench::Workload describe_one_alignment(bool rounded) {
  bench::Workload workload = make_workload(
      rounded ? "alignment_rounded" : "alignment_raw",
      fmt::format(
          "Replace random resources of one alignment, 1,000 live, 256 bytes to 1 MiB{}, in one allocation: over the "
          "alignment",
          rounded ? ", sizes rounded up to it" : ""),
      {"total"}, 10'000, "pair");
  workload.metrics = replace_metrics();
  workload.axis = bench::Axis{"alignment", "bytes", {}};
  for (std::uint64_t alignment = 1; alignment <= 65'536; alignment *= 2)
    workload.axis->points.push_back({static_cast<double>(alignment), 0});
  return workload;
}

bench::Workload describe_streaming(const DeviceTable& table) {
  return describe_replacements("streaming", "Textures and buffers come and go one by one", table, streaming(1, table));
}

bench::Workload describe_level_loading(const DeviceTable& table) {
  return describe_replacements("level_loading", "The textures and buffers of whole levels come and go together", table,
                               level_loading(1, table));
}

bench::Workload describe_defragment(const DeviceTable& table) {
  bench::Workload workload = make_workload(
      fmt::format("defragment_{}", table.name),
      fmt::format(
          "Defragment what streaming leaves when 60 % of it is freed, in passes of at most {} MB; requirements: {}",
          kPassBytes / 1'000'000, table.title),
      {"plan"}, 1, "heap");
  workload.metrics = {
      {"moved_bytes", "Bytes that are copied", "bytes", kExact},
      {"passes", "Passes until no moves are left", "", kExact, kNeither},
      {"most_pass_bytes", "Most bytes that one pass copies", "bytes", kExact},
      {"returned_bytes", "Bytes given back to the device", "bytes", kExact, kMore},
      {"left_bytes", "Bytes of the device afterwards, per byte requested", "", kExact},
      {"largest_free_share", "Share of free memory in the largest free space afterwards", "", kExact, kMore}};
  return workload;
}

bench::Workload describe_fill_heap(const DeviceTable& table) {
  bench::Workload workload =
      make_workload(fmt::format("fill_heap_{}", table.name),
                    fmt::format("Fill a heap of 8 GB until a request is refused; requirements: {}", table.title),
                    {"total"}, kTimedRequests, "request");
  workload.primary = "filled_share";
  workload.metrics = {
      {"filled_share", "Share of the heap that was requested when a request was refused", "", kExact, kMore},
      {"given_share", "Share of the heap that was requested when all of it was in allocations: a new pair starves then",
       "", kExact, kMore},
      {"device_allocations", "Calls of vkAllocateMemory", "", kExact},
      {"starved_pairs", "Pairs of alignment and memory type that are refused then", "", kExact}};
  for (const MemoryRequest& request : smallest_of_each_group(table))
    workload.metrics.push_back({starved_metric(request),
                                fmt::format("{} aligned to {}, memory type {}: refused then",
                                            request.kind == ResourceKind::kBuffer ? "Buffers" : "Images",
                                            request.alignment, request.memory_type),
                                "", kExact});
  return workload;
}

}  // namespace

std::vector<bench::Workload> offer(const Tasks& tasks) {
  std::vector<bench::Workload> offered;
  for (const bool rounded : {false, true}) {
    bench::Workload& workload = offered.emplace_back(describe_one_alignment(rounded));
    if (tasks.groups_by_size)
      workload.unsupported = "it takes an allocation for each size, and the workload has one allocation";
    else
      workload.prepare = [replace = tasks.replace, rounded](const bench::Case& inputs) {
        return replace(one_alignment(inputs.seed, static_cast<std::uint64_t>(inputs.point), rounded));
      };
  }
  for (const DeviceTable& table : device_tables()) {
    offered.emplace_back(describe_streaming(table)).prepare = [replace = tasks.replace, &table](const auto& inputs) {
      return replace(streaming(inputs.seed, table));
    };
    offered.emplace_back(describe_level_loading(table)).prepare =
        [replace = tasks.replace, &table](const auto& inputs) { return replace(level_loading(inputs.seed, table)); };
    offered.emplace_back(describe_fill_heap(table)).prepare = [fill = tasks.fill_heap, &table](const auto& inputs) {
      return fill(fill_heap(inputs.seed, table), smallest_of_each_group(table));
    };
    bench::Workload& workload = offered.emplace_back(describe_defragment(table));
    if (tasks.defragment == nullptr)
      workload.unsupported = kNeverMoves;
    else
      workload.prepare = [defragment = tasks.defragment, &table](const bench::Case& inputs) {
        return defragment(fragmented(inputs.seed, table));
      };
  }
  return offered;
}

}  // namespace lab::gpu_memory
