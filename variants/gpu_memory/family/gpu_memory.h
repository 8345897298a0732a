/// The gpu_memory family: the interface of a variant.
///
/// A variant is a class that models GpuMemory. It hands out places in allocations of a device, and never touches
/// memory. The device is simulated: a heap of a given size that counts what it gives.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "variants/designs/offsets/first_fit.h"
#include "variants/designs/offsets/memory_handles.h"
#include "variants/designs/offsets/memory_pools.h"

namespace lab::gpu_memory {

using designs::HandledMove;
using designs::MemoryBlock;
using designs::MemoryRequest;
using designs::PlacedMemory;
using designs::ResourceKind;

/// What a variant is made with.
struct Setup {
  designs::MemoryPolicy policy;
  designs::MemoryDevice device;
  std::vector<designs::MemoryHint> hints;  ///< of each kind, alignment and memory type
};

template <typename A>
concept GpuMemory = std::constructible_from<A, const Setup&> &&
    requires(A& memory, const A& constant, const MemoryRequest& request, const MemoryBlock& block) {
  { memory.allocate(request) } -> std::same_as<PlacedMemory>;
  /// An allocation of its own, as for a render target.
  { memory.allocate_dedicated(request) } -> std::same_as<PlacedMemory>;
  memory.free(block);
  { constant.usage() } -> std::same_as<designs::MemoryUsage>;
  { constant.metadata_bytes() } -> std::same_as<std::size_t>;
  constant.for_each_allocation([](const designs::MemoryAllocation&, auto) {});
  /// What the resources in one allocation have in common; none: each has an allocation of its own.
  { A::kShares } -> std::convertible_to<std::optional<designs::Grouping>>;
};

/// Walks the free spaces one by one, so that a search for the minimum heap over a sweep would take minutes.
template <typename A>
concept SearchesEveryFreeSpace = requires {
  requires A::kSearchesEveryFreeSpace;
};

/// A block as a handle, and the other way round, for a variant that moves resources.
inline designs::MemoryHandle handle_of(const MemoryBlock& block) {
  return {block.slot, static_cast<std::uint32_t>(block.token)};
}
inline PlacedMemory placed(const designs::HandledMemory& made) {
  return {{made.place, made.handle.index, made.handle.generation}, made.refusal};
}

/// A variant that moves resources together, in passes. The slot and the token of its blocks are handles, which stay
/// valid; the place in a block is that of the time when the resource was made.
template <typename A>
concept Defragments = GpuMemory<A> && requires(A& memory, const A& constant, const MemoryBlock& block) {
  /// Whether a pass keeps within its bytes and moves, its copies may run in any order, and the program may drop moves,
  /// allocate and free before it ends. Otherwise the program makes all copies at once, one after the other.
  { A::kBoundsPasses } -> std::convertible_to<bool>;
  /// The moves of one pass; none if nothing can be improved. Then there is no pass to end.
  { memory.begin_pass(std::uint64_t{1}, std::size_t{1}) } -> std::same_as<std::span<const HandledMove>>;
  /// The resource stays where it is. Only if passes are bounded.
  memory.drop(block);
  memory.end_pass();
  { constant.place(block) } -> std::same_as<designs::MemoryPlace>;
};

/// A design of ranges in pools, as a variant.
template <designs::RangeAllocator R, designs::Grouping kGrouping>
class Pools : public designs::MemoryPools<R, kGrouping> {
 public:
  static constexpr std::optional<designs::Grouping> kShares = kGrouping;
  static constexpr bool kSearchesEveryFreeSpace = std::same_as<R, designs::FirstFit>;

  explicit Pools(const Setup& setup) : designs::MemoryPools<R, kGrouping>(setup.policy, setup.device) {}

  static std::string version() requires requires { R::version(); }
  { return R::version(); }
};

/// Resources of one kind share allocations, whatever their alignments.
inline constexpr designs::Grouping kByKind{.by_kind = true};
/// The article's grouping.
inline constexpr designs::Grouping kByAlignment{.by_kind = true, .by_alignment = true};

/// A device with one heap for all memory types.
class SimulatedDevice {
 public:
  explicit SimulatedDevice(std::uint64_t heap_bytes) : free_(heap_bytes) {}
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;

  designs::MemoryDevice device();

  std::uint64_t given_bytes() const { return given_; }
  std::uint64_t most_given_bytes() const { return most_given_; }
  std::size_t calls() const { return calls_; }  ///< that succeeded, as vkAllocateMemory
  std::size_t most_allocations() const { return most_allocations_; }
  std::size_t allocations() const { return live_.size(); }
  /// Of a live allocation; 0 for another.
  std::uint64_t bytes_of(std::uint64_t allocation) const;
  unsigned type_of(std::uint64_t allocation) const;

 private:
  struct Live {
    unsigned type;
    std::uint64_t bytes;
  };
  std::uint64_t free_, given_ = 0, most_given_ = 0, last_ = 0;
  std::size_t calls_ = 0, most_allocations_ = 0;
  std::unordered_map<std::uint64_t, Live> live_;
};

}  // namespace lab::gpu_memory
