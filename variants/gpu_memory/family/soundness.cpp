#include "variants/gpu_memory/family/soundness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace lab::gpu_memory {

namespace {

std::uint64_t bytes_of(const LiveResource& resource) {
  return std::max<std::uint64_t>(resource.request.bytes, 1);
}

std::uint64_t name_of(const designs::MemoryHandle& handle) {
  return std::uint64_t{handle.generation} << 32 | handle.index;
}

bool linear(const LiveResource& resource) {
  return resource.request.kind != ResourceKind::kOptimalImage;
}

std::string named(const LiveResource& resource) {
  return fmt::format("a resource of {} bytes at offset {} of allocation {}", resource.request.bytes,
                     resource.block.place.offset, resource.block.place.allocation);
}

std::string unsound_alone(const LiveResource& resource, const SimulatedDevice& device) {
  const auto& [allocation, offset] = resource.block.place;
  const std::uint64_t bytes = device.bytes_of(allocation);
  if (bytes == 0) return fmt::format("{} is in no live allocation", named(resource));
  if (device.type_of(allocation) != resource.request.memory_type)
    return fmt::format("{} needs memory type {}, and has {}", named(resource), resource.request.memory_type,
                       device.type_of(allocation));
  if (offset % resource.request.alignment != 0)
    return fmt::format("{} is not aligned to {}", named(resource), resource.request.alignment);
  if (offset > bytes || bytes_of(resource) > bytes - offset)
    return fmt::format("{} ends behind its allocation of {} bytes", named(resource), bytes);
  if (resource.dedicated && bytes != bytes_of(resource))
    return fmt::format("{} is dedicated, and its allocation has {} bytes", named(resource), bytes);
  return "";
}

}  // namespace

std::string unsound(std::span<const LiveResource> live, const SimulatedDevice& device, std::uint64_t granularity) {
  std::vector<const LiveResource*> by_place;
  for (const LiveResource& resource : live) {
    if (std::string problem = unsound_alone(resource, device); !problem.empty()) return problem;
    by_place.push_back(&resource);
  }
  std::ranges::sort(by_place, {}, [](const LiveResource* resource) { return resource->block.place; });
  for (std::size_t i = 1; i < by_place.size(); ++i) {
    const LiveResource &before = *by_place[i - 1], &behind = *by_place[i];
    if (before.block.place.allocation != behind.block.place.allocation) continue;
    const std::uint64_t end = before.block.place.offset + bytes_of(before);
    if (end > behind.block.place.offset) return fmt::format("{} and {} overlap", named(before), named(behind));
    if (linear(before) != linear(behind) && (end - 1) / granularity == behind.block.place.offset / granularity)
      return fmt::format("{} and {}, of other tiling, share a page of {} bytes", named(before), named(behind),
                         granularity);
  }
  return "";
}

std::string misreported(std::span<const LiveResource> live, const SimulatedDevice& device, const AnyMemory& memory) {
  std::map<designs::MemoryPlace, std::uint64_t> expected;
  std::uint64_t requested = 0;
  for (const LiveResource& resource : live) {
    expected[resource.block.place] = bytes_of(resource);
    requested += bytes_of(resource);
  }
  const std::vector<SeenAllocation> seen = memory.allocations();
  std::uint64_t allocated = 0, used = 0;
  for (const auto& [allocation, ranges] : seen) {
    if (device.bytes_of(allocation.name) != allocation.bytes)
      return fmt::format("it reports allocation {} with {} bytes, and the device gave {}", allocation.name,
                         allocation.bytes, device.bytes_of(allocation.name));
    allocated += allocation.bytes;
    std::uint64_t end = 0;
    for (const designs::OffsetRange& range : ranges) {
      if (range.offset != end)
        return fmt::format("in what it reports of allocation {}, a part ends at {} and the next begins at {}",
                           allocation.name, end, range.offset);
      end = range.end();
      if (!range.used) continue;
      used += range.bytes;
      // A part may begin before its resource, where alignment leaves a gap inside of it.
      const auto found = expected.lower_bound({allocation.name, range.offset});
      if (found == expected.end() || found->second != range.requested || found->first.allocation != allocation.name ||
          found->first.offset > range.end() || range.requested > range.end() - found->first.offset)
        return fmt::format("it reports {} bytes at offset {} of allocation {}, where no such resource is",
                           range.requested, range.offset, allocation.name);
      expected.erase(found);
    }
    if (end != allocation.bytes)
      return fmt::format("what it reports of allocation {} ends at {} of {} bytes", allocation.name, end,
                         allocation.bytes);
  }
  if (!expected.empty()) return fmt::format("it does not report {} of its {} resources", expected.size(), live.size());
  const designs::MemoryUsage usage = memory.usage();
  if (seen.size() != device.allocations() || usage.allocations != device.allocations())
    return fmt::format("it reports {} allocations, and the device gave {}", usage.allocations, device.allocations());
  if (usage.resources != live.size() || usage.requested != requested || usage.used != used ||
      usage.allocated != allocated || allocated != device.given_bytes())
    return fmt::format(
        "it reports {} resources, {} bytes requested, {} used and {} allocated; there are {}, {}, {} and {}",
        usage.resources, usage.requested, usage.used, usage.allocated, live.size(), requested, used,
        device.given_bytes());
  return "";
}

std::string CheckedMemory::wrong_refusal(const MemoryRequest& request, bool dedicated,
                                         designs::MemoryRefusal refusal) const {
  const designs::MemoryPolicy& policy = setup_.policy;
  using enum designs::MemoryRefusal;
  bool right = false;
  switch (refusal) {
    case kHumongous:  // by M, which a variant may choose
      right = !dedicated && request.kind != ResourceKind::kBuffer;
      break;
    case kTooLarge:
      right = request.bytes >
              (dedicated ? std::min(policy.max_allocation_bytes, policy.heap_bytes[request.memory_type]) : 0);
      break;
    case kTooManyAllocations:
      right = device_.allocations() >= policy.max_allocations;
      break;
    case kOutOfMemory:
      right = true;
      break;
    default:
      break;
  }
  return right ? ""
               : fmt::format("it refused {} bytes for a wrong reason: {}", request.bytes, designs::sentence(refusal));
}

std::string CheckedMemory::allocate(const MemoryRequest& request, bool dedicated) {
  const PlacedMemory placed = dedicated ? memory_->allocate_dedicated(request) : memory_->allocate(request);
  if (device_.allocations() > setup_.policy.max_allocations)
    return fmt::format("it holds {} allocations, and {} are allowed", device_.allocations(),
                       setup_.policy.max_allocations);
  if (placed.refusal != designs::MemoryRefusal::kNone) {
    ++refusals_;
    return wrong_refusal(request, dedicated, placed.refusal);
  }
  live_.push_back({request, placed.block, dedicated});
  if (device_.bytes_of(placed.block.place.allocation) > setup_.policy.max_allocation_bytes)
    return fmt::format("it took an allocation of {} bytes, and {} are allowed",
                       device_.bytes_of(placed.block.place.allocation), setup_.policy.max_allocation_bytes);
  return unsound_alone(live_.back(), device_);
}

void CheckedMemory::free(std::size_t index) {
  memory_->free(live_[index].block);
  live_[index] = live_.back();
  live_.pop_back();
}

std::string CheckedMemory::everything() const {
  if (std::string problem = unsound(live_, device_, setup_.policy.granularity); !problem.empty()) return problem;
  return misreported(live_, device_, *memory_);
}

// Of a bounded pass: all sources and all destinations exist at once.
std::string CheckedMemory::unsound_pass(std::span<const HandledMove> moves,
                                        std::vector<LiveResource>& with_destinations) const {
  with_destinations = live_;
  std::map<std::uint64_t, const LiveResource*> by_handle;
  for (const LiveResource& resource : live_) by_handle[name_of(handle_of(resource.block))] = &resource;
  for (const HandledMove& move : moves) {
    const auto found = by_handle.find(name_of(move.handle));
    if (found == by_handle.end()) return "a pass moves a resource twice, or one that is not there";
    const LiveResource& resource = *found->second;
    by_handle.erase(found);
    if (move.from != resource.block.place || move.bytes != bytes_of(resource))
      return fmt::format("a pass moves {} bytes from offset {} of allocation {}, and the resource is {}", move.bytes,
                         move.from.offset, move.from.allocation, named(resource));
    with_destinations.push_back(resource);
    with_destinations.back().block.place = move.to;
  }
  return unsound(with_destinations, device_, setup_.policy.granularity);
}

// Of another pass: each copy must be possible when it is its turn.
std::string CheckedMemory::unsound_sequence(std::span<const HandledMove> moves) const {
  std::vector<LiveResource> now = live_;
  for (const HandledMove& move : moves) {
    const auto found = std::ranges::find_if(
        now, [&](const LiveResource& resource) { return handle_of(resource.block) == move.handle; });
    if (found == now.end()) return "a pass moves a resource that is not there";
    if (move.from != found->block.place || move.bytes != bytes_of(*found))
      return fmt::format("a pass moves {} bytes from offset {} of allocation {}, and the resource is {}", move.bytes,
                         move.from.offset, move.from.allocation, named(*found));
    const auto index = found - now.begin();
    now.push_back(*found);
    now.back().block.place = move.to;
    if (std::string problem = unsound(now, device_, setup_.policy.granularity); !problem.empty()) return problem;
    std::swap(now[static_cast<std::size_t>(index)], now.back());
    now.pop_back();
  }
  return "";
}

std::string CheckedMemory::pass(std::uint64_t most_bytes, std::size_t most_moves, Disturbance disturbance,
                                std::size_t* moved) {
  if (moved != nullptr) *moved = 0;
  const std::size_t calls = device_.calls();
  const std::span<const HandledMove> begun = memory_->begin_pass(most_bytes, most_moves);
  const std::vector<HandledMove> moves(begun.begin(), begun.end());
  const bool bounded = memory_->bounds_passes();
  std::vector<LiveResource> occupied;
  if (std::string problem = bounded ? unsound_pass(moves, occupied) : unsound_sequence(moves); !problem.empty())
    return problem;
  std::uint64_t bytes = 0;
  for (const HandledMove& move : moves) bytes += move.bytes;
  if (bounded && (bytes > most_bytes || moves.size() > most_moves))
    return fmt::format("a pass of at most {} moves and {} bytes has {} moves and {} bytes", most_moves, most_bytes,
                       moves.size(), bytes);
  if (moves.empty()) return everything();

  std::map<std::uint64_t, designs::MemoryPlace> destinations;
  for (const HandledMove& move : moves) destinations[name_of(move.handle)] = move.to;
  if (moved != nullptr) *moved = destinations.size();
  if (bounded) {
    const auto index_of = [&](const HandledMove& move) {
      return static_cast<std::size_t>(
          std::ranges::find_if(live_, [&](const LiveResource& r) { return handle_of(r.block) == move.handle; }) -
          live_.begin());
    };
    const auto release = [&](const HandledMove& move) {
      std::erase_if(occupied, [&](const LiveResource& resource) { return resource.block.place == move.to; });
      destinations.erase(name_of(move.handle));
    };
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const std::size_t index = index_of(moves[i]);
      if (disturbance.frees && i % 3 == 2) {
        release(moves[i]);
        std::erase_if(occupied, [&](const LiveResource& resource) { return resource.block.place == moves[i].from; });
        free(index);
      } else if (disturbance.drops && i % 2 == 1) {
        release(moves[i]);
        memory_->drop(live_[index].block);
      }
    }
    if (disturbance.allocates) {
      const std::size_t before = live_.size();
      const MemoryRequest request{moves[0].bytes, 256, 0, ResourceKind::kBuffer};
      if (std::string problem = allocate(request, false); !problem.empty()) return problem;
      if (live_.size() > before) occupied.push_back(live_.back());
    }
    if (std::string problem = unsound(occupied, device_, setup_.policy.granularity); !problem.empty())
      return "during a pass, " + problem;
  }
  if (!disturbance.allocates && device_.calls() != calls) return "a pass took memory from the device";
  memory_->end_pass();
  for (LiveResource& resource : live_) {
    const designs::MemoryPlace place = memory_->place(resource.block);
    const auto found = destinations.find(name_of(handle_of(resource.block)));
    if (place != (found == destinations.end() ? resource.block.place : found->second))
      return fmt::format("after a pass, {} is elsewhere than the moves say", named(resource));
    resource.block.place = place;
  }
  for (const SeenAllocation& seen : memory_->allocations())
    if (std::ranges::none_of(seen.ranges, &designs::OffsetRange::used))
      return fmt::format("after a pass, allocation {} is empty and was not returned", seen.allocation.name);
  return everything();
}

std::string CheckedMemory::starts_afresh() {
  while (!live_.empty()) free(live_.size() - 1);
  if (std::string problem = everything(); !problem.empty()) return problem;
  for (const SeenAllocation& seen : memory_->allocations()) {
    if (!seen.allocation.group) return "it holds a dedicated allocation without a resource";
    if (std::ranges::any_of(seen.ranges, &designs::OffsetRange::used))
      return "it reports a resource, and all are freed";
  }
  return "";
}

}  // namespace lab::gpu_memory
