#include "variants/designs/offsets/alignment_buckets.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "variants/designs/offsets/compaction.h"

namespace lab::designs {

std::string_view sentence(MemoryRefusal refusal) {
  static constexpr std::array<std::string_view, 6> kSentences{
      "",
      "the image is larger than the largest resource of the policy: a render target of this size needs a dedicated "
      "allocation through the render-target interface",
      "the resource is larger than an allocation of its memory type may be: split it, or make it a dedicated "
      "allocation "
      "if the device allows one of this size",
      "the device allows no further allocation: free resources, or use larger allocations (a smaller K)",
      "the device has no memory left for another allocation of this memory type: free resources",
      "the alignment is 0, or the memory type does not exist"};
  return kSentences[static_cast<std::size_t>(refusal)];
}

std::uint64_t MemoryPolicy::allocation_bytes(unsigned memory_type) const {
  const std::uint64_t heap = heap_bytes.at(memory_type);
  return std::min({std::max(largest_resource, heap / heap_parts), heap, max_allocation_bytes});
}

AlignmentBuckets::AlignmentBuckets(MemoryPolicy policy, MemoryDevice device)
    : policy_(std::move(policy)), device_(std::move(device)) {
  assert(policy_.heap_parts > 0);
}

AlignmentBuckets::~AlignmentBuckets() {
  for (const auto& [name, allocation] : allocations_) device_.free(name);
}

bool AlignmentBuckets::valid(const MemoryRequest& request) const {
  return request.alignment > 0 && request.memory_type < policy_.heap_bytes.size();
}

PlacedMemory AlignmentBuckets::allocate(const MemoryRequest& request) {
  if (!valid(request)) return {{}, MemoryRefusal::kInvalid};
  if (request.kind != ResourceKind::kBuffer && request.bytes > policy_.largest_resource)
    return {{}, MemoryRefusal::kHumongous};
  const std::uint64_t preferred = policy_.allocation_bytes(request.memory_type);
  if (request.bytes > preferred) return {{}, MemoryRefusal::kTooLarge};
  const Key key{request.kind, request.alignment, request.memory_type};
  if (const auto bucket = buckets_.find(key); bucket != buckets_.end())
    for (Allocation* const allocation : bucket->second) {
      if (allocation->ranges.largest_free() < request.bytes) continue;  // most are full
      if (const std::uint64_t offset = allocation->ranges.allocate(request.bytes); offset != BestFit::kNone)
        return {{allocation->name, offset}};
    }
  return place_in_new(key, request.bytes, preferred, false);
}

PlacedMemory AlignmentBuckets::allocate_dedicated(const MemoryRequest& request) {
  if (!valid(request)) return {{}, MemoryRefusal::kInvalid};
  if (request.bytes > std::min(policy_.max_allocation_bytes, policy_.heap_bytes[request.memory_type]))
    return {{}, MemoryRefusal::kTooLarge};
  const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 1);  // also the only block
  return place_in_new({request.kind, bytes, request.memory_type}, bytes, bytes, true);
}

PlacedMemory AlignmentBuckets::place_in_new(const Key& key, std::uint64_t bytes, std::uint64_t preferred,
                                            bool dedicated) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  if (allocations_.size() >= policy_.max_allocations) return_empty();
  if (allocations_.size() >= policy_.max_allocations) return {{}, MemoryRefusal::kTooManyAllocations};
  std::uint64_t size = preferred;
  std::optional<std::uint64_t> name = ask(key.memory_type, bytes, size);
  if (!name) {
    const std::size_t before = allocations_.size();
    return_empty();
    size = preferred;
    if (allocations_.size() < before) name = ask(key.memory_type, bytes, size);
  }
  if (!name) return {{}, MemoryRefusal::kOutOfMemory};
  std::unique_ptr<Allocation> added(new Allocation{*name, key, dedicated, BestFit(size, key.alignment)});
  [[maybe_unused]] const std::uint64_t offset = added->ranges.allocate(bytes);
  assert(offset == 0);
  if (dedicated)
    ++dedicated_count_;
  else
    buckets_[key].push_back(added.get());
  allocations_.emplace(*name, std::move(added));
  return {{*name, 0}};
}

// `bytes`: the preferred size, then the size of the allocation.
std::optional<std::uint64_t> AlignmentBuckets::ask(unsigned memory_type, std::uint64_t least, std::uint64_t& bytes) {
  while (true) {
    if (const std::optional<std::uint64_t> name = device_.allocate(memory_type, bytes)) return name;
    if (bytes <= least) return std::nullopt;
    bytes = std::max(bytes / 2, least);
  }
}

bool AlignmentBuckets::free(MemoryPlace place) {
  const auto found = allocations_.find(place.allocation);
  if (found == allocations_.end()) return false;
  Allocation& allocation = *found->second;
  if (!allocation.ranges.free(place.offset)) return false;
  if (allocation.ranges.used_count() > 0) return true;
  const auto is_other_empty = [&](const Allocation* other) {
    return other != &allocation && other->ranges.used_count() == 0;
  };
  if (allocation.dedicated || std::ranges::any_of(buckets_.at(allocation.key), is_other_empty))
    return_allocation(allocation);
  return true;
}

void AlignmentBuckets::return_empty() {
  std::vector<Allocation*> empty;
  for (const auto& [name, allocation] : allocations_)
    if (allocation->ranges.used_count() == 0) empty.push_back(allocation.get());
  for (Allocation* const allocation : empty) return_allocation(*allocation);
}

void AlignmentBuckets::return_allocation(Allocation& allocation) {
  if (allocation.dedicated) {
    --dedicated_count_;
  } else {
    const auto bucket = buckets_.find(allocation.key);
    std::erase(bucket->second, &allocation);
    if (bucket->second.empty()) buckets_.erase(bucket);
  }
  const std::uint64_t name = allocation.name;
  allocations_.erase(name);
  device_.free(name);
}

std::vector<AlignmentBuckets::Move> AlignmentBuckets::plan_compaction() const {
  std::vector<Move> moves;
  for (const auto& [key, bucket] : buckets_) {
    // The emptiest come last, so that they become empty first.
    std::vector<const Allocation*> fullest_first(bucket.begin(), bucket.end());
    std::ranges::stable_sort(fullest_first, std::greater{},
                             [](const Allocation* allocation) { return allocation->ranges.used_bytes(); });
    std::vector<BestFit> ranges;
    for (const Allocation* const allocation : fullest_first) ranges.push_back(allocation->ranges);
    for (const CompactionMove& move : designs::plan_compaction(std::move(ranges)))
      moves.push_back({{fullest_first[move.from_range]->name, move.from},
                       {fullest_first[move.to_range]->name, move.to},
                       move.bytes});
  }
  return moves;
}

bool AlignmentBuckets::move(MemoryPlace from, MemoryPlace to) {
  const auto source = allocations_.find(from.allocation), target = allocations_.find(to.allocation);
  if (source == allocations_.end() || target == allocations_.end()) return false;
  Allocation &giver = *source->second, &taker = *target->second;
  if (giver.dedicated || taker.dedicated || giver.key != taker.key) return false;
  const BestFit::Range range = giver.ranges.used_range(from.offset);
  return range.used && taker.ranges.allocate_at(to.offset, range.requested) && giver.ranges.free(from.offset);
}

namespace {

void add(AlignmentBuckets::Usage& usage, const BestFit& ranges) {
  ++usage.allocations;
  usage.resources += ranges.used_count();
  usage.allocated += ranges.capacity();
  usage.used += ranges.used_bytes();
  usage.requested += ranges.requested_bytes();
  usage.largest_free = std::max(usage.largest_free, ranges.largest_free());
  usage.free_tails += ranges.free_tail_bytes();
}

}  // namespace

AlignmentBuckets::Usage AlignmentBuckets::usage() const {
  Usage usage;
  for (const auto& [name, allocation] : allocations_) add(usage, allocation->ranges);
  return usage;
}

std::map<AlignmentBuckets::Key, AlignmentBuckets::Usage> AlignmentBuckets::buckets() const {
  std::map<Key, Usage> usages;
  for (const auto& [key, bucket] : buckets_)
    for (const Allocation* const allocation : bucket) add(usages[key], allocation->ranges);
  return usages;
}

}  // namespace lab::designs
