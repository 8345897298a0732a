#include <map>
#include <string>
#include <utility>

#include "variants/allocator/family/costly_counters.h"
#include "variants/allocator/family/offer.h"
#include "variants/allocator/family/plans.h"

namespace lab::allocator {

std::vector<bench::Metric> family_metrics() {
  using enum bench::MetricKind;
  using enum bench::Better;
  return {{"internal_fragmentation", "Bytes in blocks per byte requested", "", kExact, kLess},
          {"external_fragmentation", "Share of free memory outside the largest free block", "", kExact, kLess},
          {kLostShare, "Share of a full arena that holes deny to requests of twice the size", "", kExact, kLess, true},
          {kLostOfFreed, "The same as a share of what was freed", "", kExact, kLess, true},
          {kRequestServed, "Whether a request of 60 % of the freed memory succeeds", "", kExact, kMore, true},
          {kLargestShare, "Largest request that succeeds, as a share of the freed memory", "", kExact, kMore, true},
          {"moved_bytes", "Bytes that compaction moved from the empty heap on", "bytes", kExact, kLess},
          {"metadata_bytes", "Metadata", "bytes", kExact, kLess},
          {"metadata_bits_per_block", "Metadata per block of a buddy's tree", "bits", kExact, kLess},
          {"merge_bits_per_block", "Part of it that tells whether a buddy is free", "bits", kExact, kLess},
          {"size_bits_per_block", "Part of it that tells a block's size", "bits", kExact, kLess},
          {"reserved_bytes", "Leaves for metadata, as many as needed", "bytes", kExact, kLess},
          {"reserved_bytes_rounded", "Leaves for metadata, rounded up to a power of two", "bytes", kExact, kNeither},
          {"minimum_heap_bytes", "Minimum heap", "bytes", kExact, kLess, true},
          {"outside_bytes", "Part of the minimum heap outside of its buffer", "bytes", kExact, kLess, true},
          {"peak_block_bytes", "Most bytes in blocks at once in the minimum heap", "bytes", kExact, kLess, true},
          {"peak_requested_bytes", "Peak of requests", "bytes", kExact, kNeither},
          {"buffer_bytes", "Buffer", "bytes", kExact, kNeither},
          {"used_bytes", "Used part of the buffer", "bytes", kExact, kLess},
          {"mapped_bytes", "Pages of the system in live blocks", "bytes", kExact, kLess},
          {"huge_page_bytes", "Part of the process in huge pages", "bytes", kMemory, kNeither},
          {"metadata_bytes_per_block", "Metadata of one block", "bytes", kExact, kLess},
          {"page_request_bytes", "Smallest heap of whole pages for one request of 4096 bytes", "bytes", kExact, kLess},
          {"leaf_bytes", "Smallest block", "bytes", kExact, kNeither}};
}

namespace {

/// A task and what it counts besides.
class WithCosts final : public bench::Task {
 public:
  WithCosts(std::unique_ptr<bench::Task> task, CostlyCounters count, std::uint64_t seed, const Subject& subject)
      : task_(std::move(task)), count_(count), seed_(seed), subject_(subject) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override { return task_->repeat(clock); }
  std::map<std::string, double> counters() const override { return task_->counters(); }
  std::map<std::string, double> costly_counters() const override { return count_(seed_, subject_); }

 private:
  std::unique_ptr<bench::Task> task_;
  CostlyCounters count_;
  std::uint64_t seed_;
  Subject subject_;
};

}  // namespace

std::vector<bench::Workload> offer(std::span<const Execution> executions, const Subject& subject, bool repeatable) {
  std::vector<bench::Workload> offered;
  for (const Execution& execution : executions) {
    bench::Workload& workload = offered.emplace_back(execution.describe());
    // On threads, how many blocks of which size exist at one time is no exact value.
    if (!workload.parallel) workload.metrics = family_metrics();
    workload.repeatable = repeatable;
    workload.unsupported = execution.unsupported;
    if (execution.prepare == nullptr) continue;
    const CostlyCounters count = subject.can.fixed_capacity ? costly_counters_of(workload.name) : nullptr;
    if (count == nullptr)
      workload.prepare = execution.prepare;
    else
      workload.prepare = [=, prepare = execution.prepare](const bench::Case& inputs) {
        return std::make_unique<WithCosts>(prepare(inputs), count, inputs.seed, subject);
      };
  }
  return offered;
}

}  // namespace lab::allocator
