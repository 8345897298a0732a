/// The allocator family: what a variant has.
///
/// A variant is a class with the members below, of which make_variant() (registration.h) makes the executable. What it
/// may have declares what it can do: workloads and conformance test for members (capabilities.h), never for names, and
/// call them directly.
///
/// It must have
///     explicit A(const Demand&)
///     void* allocate(size_t bytes)                  a block of `bytes` (0 is allowed), or nullptr if none is free
///     size_t alignment(size_t bytes)                promised to a block of `bytes`: a power of two
///     size_t occupied(void* block, size_t bytes)    what a live block of `bytes` takes in the heap, with rounding and
///                                                   header
/// and at least one of
///     void free(void* block)                        ignores nullptr
///     void free(void* block, size_t bytes)          the same, told how many bytes were requested
///     void reset()                                  frees everything at once
/// It may serve from one buffer: Demand::heap if set, else its own. It is as new after everything is freed, in any
/// order.
///     size_t largest_request() const                that it serves when empty
///     size_t capacity(size_t bytes) const           how many requests of `bytes` it serves when empty, exactly; 0 for
///                                                   more than largest_request()
///     size_t leaf_bytes() const                     only a leaf of this size more makes a buffer serve more: minimum
///                                                   heaps are in whole leaves. Without it: the alignment of the
///                                                   smallest block
/// It may count.
///     map<string, double> counters() const          exact, added to the workload's; of an allocator in one buffer,
///                                                   metadata_bytes are those in the buffer
///     double external_fragmentation() const         share of the free memory outside the largest free block
///     size_t allocated_bytes() const                bookkeeping allocated besides its buffer (arrays, tables,
///                                                   handles), now
///     size_t most_allocated_bytes() const           the most of it at once so far: while a table grows, the old and
///                                                   the new one exist
/// It may serve threads; reset() and construction are the caller's to keep apart.
///     static constexpr bool kThreadSafe             any number of threads may call it, and free each other's blocks
///     static constexpr bool kNumbersThreads         only threads with a number of their own below Demand::threads
///                                                   (designs/threads/thread_slot.h)
///     static constexpr bool kFreesOfOthersTakeLong  a free of another thread's block waits for all threads: where
///                                                   every free is one, a repetition would take seconds
/// It may move blocks: what allocate() returns names a block and is no address.
///     void* address(void* block) const              where it is until the next call of allocate()
/// It may search its free blocks one by one. `passed` grows by those passed: the search for the minimum heap counts
/// them, because a count is the same on every machine.
///     static constexpr bool kSearchesEveryFreeBlock wherever they lie: among thousands of blocks of mixed sizes a
///                                                   repetition would take seconds
///     void* allocate(size_t bytes, uint64_t& passed)
///     void free(void* block, size_t bytes, uint64_t& passed)
/// It may wrap a third-party allocator.
///     static string version()
///     static string identity_failure()              how the calls fail to reach that allocator; "" if they do reach it
///     static bool can_tell_occupied()               if false, occupied() returns the requested size
///     static size_t smallest_request()              0 or 1: it serves no smaller one, and conformance makes this one
///                                                   instead
#pragma once

#include <cstddef>

#include "variants/common/plans/demand.h"

namespace lab::allocator {

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

/// What a design plans for the buffer; the end of the process if it refuses it.
template <typename Plan>
Plan accepted(Plan plan, const Buffer& buffer) {
  if (!plan.refusal.empty()) out_of_memory(buffer.bytes());
  return plan;
}

}  // namespace lab::allocator
