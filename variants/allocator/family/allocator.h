/// The allocator family: the interface of a variant.
///
/// A variant is a class that models Allocator. It declares each further capability (free by pointer, free with size,
/// reset, fixed capacity) by having the member. Workloads and conformance test for members, never for names, and call
/// them directly.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "variants/common/plans/demand.h"

namespace lab::allocator {

template <typename A>
concept Allocator = std::constructible_from<A, const Demand&> && requires(A allocator, void* block, std::size_t bytes) {
  /// A block of `bytes` (0 is allowed), or nullptr if none is free.
  { allocator.allocate(bytes) } -> std::same_as<void*>;
  /// The promised alignment of a block of `bytes`: a power of two.
  { allocator.alignment(bytes) } -> std::same_as<std::size_t>;
  /// Bytes that a live block takes in the heap, with rounding and header. `bytes` is the requested size.
  { allocator.occupied(block, bytes) } -> std::same_as<std::size_t>;
};

/// Frees a block given its address; ignores nullptr.
template <typename A>
concept FreesByPointer = requires(A allocator, void* block) {
  allocator.free(block);
};

/// Frees a block given its address and its requested size; ignores nullptr.
template <typename A>
concept FreesBySize = requires(A allocator, void* block, std::size_t bytes) {
  allocator.free(block, bytes);
};

template <typename A>
concept FreesBlocks = FreesByPointer<A> || FreesBySize<A>;

/// Frees everything at once.
template <typename A>
concept Resets = requires(A allocator) {
  allocator.reset();
};

/// Allocates from one buffer: Demand::heap if set, else its own. Is in its initial state again after everything is
/// freed, in any order.
template <typename A>
concept FixedCapacity = requires(const A allocator, std::size_t bytes) {
  /// The largest request that it serves when empty.
  { allocator.largest_request() } -> std::same_as<std::size_t>;
  /// How many requests of `bytes` it serves when empty, exactly; 0 for more than largest_request().
  { allocator.capacity(bytes) } -> std::same_as<std::size_t>;
};

/// Divides its buffer into leaves of this size: only a leaf more makes a buffer serve more. Without it, the leaf is the
/// alignment of the smallest block. Minimum heaps are in whole leaves.
template <typename A>
concept HasLeaf = requires(const A allocator) {
  { allocator.leaf_bytes() } -> std::same_as<std::size_t>;
};

/// Any number of threads may call it at once, or as many as NumbersThreads allows, and a block may be freed by another
/// thread than the one that allocated it: the class has `static constexpr bool kThreadSafe = true`. reset() and
/// construction are the caller's to keep apart.
template <typename A>
concept ThreadSafe = requires {
  requires A::kThreadSafe;
};

/// Serves only the threads that it was told of: each needs a number of its own below Demand::threads
/// (designs/threads/thread_slot.h).
template <typename A>
concept NumbersThreads = requires {
  requires A::kNumbersThreads;
};

/// Wraps a third-party allocator. identity_failure() reports how the calls fail to reach that allocator; "" if they do
/// reach it.
template <typename A>
concept ThirdParty = requires {
  { A::version() } -> std::same_as<std::string>;
  { A::identity_failure() } -> std::same_as<std::string>;
};

/// May be unable to tell occupied(), which then returns the requested size.
template <typename A>
concept MayNotTellOccupied = requires {
  { A::can_tell_occupied() } -> std::same_as<bool>;
};

/// Serves no request below smallest_request(): conformance makes that one instead. 0 or 1.
template <typename A>
concept HasSmallestRequest = requires {
  { A::smallest_request() } -> std::same_as<std::size_t>;
};

/// Reports exact counters of its own, which are added to the workload's. Of an allocator in one buffer, metadata_bytes
/// are those in the buffer.
template <typename A>
concept Counts = requires(const A allocator) {
  { allocator.counters() } -> std::same_as<std::map<std::string, double>>;
};

/// Reports the share of the free memory that lies outside the largest free block.
template <typename A>
concept ReportsFragmentation = requires(const A allocator) {
  { allocator.external_fragmentation() } -> std::same_as<double>;
};

/// Allocates bookkeeping besides its buffer (arrays, tables, handles) and reports its bytes now.
template <typename A>
concept AllocatesTables = requires(const A allocator) {
  { allocator.allocated_bytes() } -> std::same_as<std::size_t>;
};

/// Reports also the most of these bytes at once so far. While a table grows, the old and the new one exist.
template <typename A>
concept TellsMostAllocated = requires(const A allocator) {
  { allocator.most_allocated_bytes() } -> std::same_as<std::size_t>;
};

/// Declares that a free of a block that another thread allocated waits for all threads. Where every free is one, a
/// repetition would take seconds.
template <typename A>
concept FreesOfOthersTakeLong = requires {
  requires A::kFreesOfOthersTakeLong;
};

/// Declares that it searches its free blocks one by one, wherever they lie. Among thousands of blocks of mixed sizes a
/// repetition would take seconds.
template <typename A>
concept SearchesEveryFreeBlock = requires {
  requires A::kSearchesEveryFreeBlock;
};

/// Passes free blocks one after the other in a request or a free, and counts them on demand. What a search for the
/// minimum heap costs is counted and not timed, so that it is the same on every machine.
template <typename A>
concept CountsPassedByRequests = requires(A allocator, std::size_t bytes, std::uint64_t& passed) {
  { allocator.allocate(bytes, passed) } -> std::same_as<void*>;
};
template <typename A>
concept CountsPassedByFrees = requires(A allocator, void* block, std::size_t bytes, std::uint64_t& passed) {
  allocator.free(block, bytes, passed);
};

/// Moves blocks. What allocate() returns names a block and is no address. address() tells where the block is until the
/// next call of allocate().
template <typename A>
concept Relocates = requires(const A allocator, void* block) {
  { allocator.address(block) } -> std::same_as<void*>;
};

/// Where a block is now.
template <Allocator A>
void* address_of(const A& allocator, void* block) {
  if constexpr (Relocates<A>)
    return allocator.address(block);
  else
    return block;
}

template <Allocator A>
requires FreesBlocks<A>
void free_block(A& allocator, void* block, std::size_t bytes) {
  if constexpr (FreesByPointer<A>) {
    allocator.free(block);
  } else {
    allocator.free(block, bytes);
  }
}

/// What an allocator in one buffer keeps outside of that buffer: all of its object (heads of lists, masks, the place of
/// the buffer), and what it allocated. The only rule for this; metadata and minimum heaps follow it.
struct OutsideBytes {
  std::size_t now = 0;
  std::size_t most = 0;  ///< at once, so far
};

template <Allocator A>
OutsideBytes outside_bytes(const A& allocator) {
  OutsideBytes bytes{sizeof(A), sizeof(A)};
  if constexpr (AllocatesTables<A>) {
    bytes.now += allocator.allocated_bytes();
    if constexpr (TellsMostAllocated<A>)
      bytes.most += allocator.most_allocated_bytes();
    else
      bytes.most = bytes.now;
  }
  return bytes;
}

/// The allocator's own counters; none if it has none. To the metadata in its buffer, what is outside is added.
template <Allocator A>
std::map<std::string, double> own_counters(const A& allocator) {
  if constexpr (Counts<A>) {
    std::map<std::string, double> counters = allocator.counters();
    if constexpr (FixedCapacity<A>)
      if (const auto metadata = counters.find("metadata_bytes"); metadata != counters.end())
        metadata->second += static_cast<double>(outside_bytes(allocator).now);
    return counters;
  } else {
    return {};
  }
}

/// Buffers consist of pages of this size.
inline constexpr std::size_t kPageBytes = 4096;

/// Whole pages from the operating system, unmapped by the destructor. Ends the process if mmap fails.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  /// Borrows the demand's heap if it has one (the caller keeps ownership); else maps `bytes`.
  Buffer(const Demand& demand, std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }
  /// Asks the system for huge pages. Not for what is timed.
  void prefer_huge_pages() const;

 private:
  std::size_t bytes_;
  void* begin_;
  bool borrowed_;
};

/// Returns its argument. The call is opaque to the compiler, which could otherwise remove an unused allocation.
void* observed(void* block);

/// Ends the process with status 2: a workload's buffer was too small, so there is no measurement.
[[noreturn]] void out_of_memory(std::size_t bytes);

}  // namespace lab::allocator
