/// The front of size classes over the buddy allocator (designs/addresses/size_class_buddy.h) as the heap of a whole
/// process: it grows, serves any number of threads, and knows every block by its address.
///
/// - Blocks of up to kMostInArena bytes come from arenas of kArenaBytes, each with an allocator of its own. An arena is
///   aligned to its size, so a block's address without its low bits is its arena, and one bit for each such stretch of
///   addresses tells whether it is one. Only what is used of an arena becomes memory.
/// - A larger block is a mapping of its own, with a page before it that says how large it is. realloc moves
///   its pages; where the program has split the mapping (madvise, mlock, mprotect), the system refuses that and the
///   contents are copied. A freed one is kept for the next request of about its size: at most kMostKept of them,
///   kMostKeptBytes in all, and none for longer than kKeptSeconds after a later call has to do with a large block.
/// - One lock (inheriting_lock.h) for all.
/// - An arena without live blocks goes back to the system if there is another one, or if trim() is called.
///
/// It calls no other allocator and has no constructor to run, so it can be the process's malloc.
/// Weakness: threads wait for each other. Freed memory in an arena with live blocks stays with the process. Requests
/// above 8 KiB are rounded up to powers of two.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "variants/allocator/malloc/inheriting_lock.h"

namespace lab::allocator {

/// The lock of a heap, for the time of a fork recursive in the thread that forks: what other libraries registered with
/// pthread_atfork may allocate while it is held.
class HeapLock {
 public:
  void lock() {
    if (!is_mine()) lock_.lock();
  }
  void unlock() {
    if (!is_mine()) lock_.unlock();
  }
  void begin_fork() {
    lock_.lock();
    forking_.store(self(), std::memory_order_relaxed);
  }
  void end_fork() {
    forking_.store(nullptr, std::memory_order_relaxed);
    lock_.unlock();
  }
  void end_fork_in_child() {
    forking_.store(nullptr, std::memory_order_relaxed);
    lock_.begin_in_child();
  }

 private:
  /// Of a thread, and the same in the child of a fork. It needs no thread-local memory of ours.
  static const void* self() { return &errno; }
  bool is_mine() const {
    const void* const forking = forking_.load(std::memory_order_relaxed);
    return forking != nullptr && forking == self();
  }

  InheritingLock lock_;
  std::atomic<const void*> forking_ = nullptr;  ///< the thread that forks
};

/// Allocations return nullptr if the system gives no more memory. 512 KiB of zeros, of which some bytes are touched:
/// keep it in static memory. It has no destructor, because a process frees blocks until its very end.
class GrowingHeap {
 public:
  static constexpr std::size_t kArenaBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostInArena = std::size_t{1} << 20;
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kLeastAlignment = 16;
  /// Of freed blocks that are mappings of their own.
  static constexpr std::size_t kMostKept = 16, kMostKeptBytes = std::size_t{32} << 20;
  static constexpr std::int64_t kKeptSeconds = 1;
  /// Of a kept mapping, the part that a smaller request may leave unused.
  static constexpr std::size_t kMostUnusedShare = 4;  ///< a quarter

  constexpr GrowingHeap() = default;
  GrowingHeap(const GrowingHeap&) = delete;
  GrowingHeap& operator=(const GrowingHeap&) = delete;

  /// A block of at least `bytes` (0 counts as 1), aligned to kLeastAlignment.
  void* allocate(std::size_t bytes);
  /// The same, aligned to a power of two.
  void* allocate_aligned(std::size_t alignment, std::size_t bytes);
  /// The same, with zeros.
  void* allocate_zeroed(std::size_t bytes);
  /// A block of `bytes` with the contents of `block`, which is freed; it may be the same one. If nullptr, `block`
  /// stays.
  void* reallocate(void* block, std::size_t bytes);
  /// Ends the process with a message if the address cannot be a block's.
  void free(void* block);
  /// How many bytes of a block its owner may use.
  std::size_t usable_bytes(const void* block);

  /// Gives memory without live blocks back to the system. Returns whether there was any.
  bool trim();

  /// No other thread is within the heap between the two; the calling one may allocate and free. A process that has
  /// other threads forks in between.
  void begin_fork() { lock_.begin_fork(); }
  void end_fork() { lock_.end_fork(); }
  void end_fork_in_child() { lock_.end_fork_in_child(); }

  /// How many arenas it has now.
  std::size_t arenas();
  /// Bytes of freed mappings that it keeps now.
  std::size_t kept_bytes();

 private:
  struct Arena;

  // Arenas begin below 2^48, which is more than a process has on x86-64.
  static constexpr unsigned kAddressBits = 48;
  static constexpr std::size_t kPlaces = (std::size_t{1} << kAddressBits) / kArenaBytes;
  static constexpr std::size_t kPlacesPerWord = 64;

  Arena* arena_of(const void* block) const;
  void note(const Arena* arena, bool present);
  static void* serve(Arena& arena, std::size_t bytes);
  void* allocate_elsewhere(std::size_t bytes);
  Arena* add_arena();
  void free_in(Arena& arena, void* block);
  void unlink(Arena& arena);
  static void unmap(Arena* arena);

  /// A freed block that is a mapping of its own, or nothing.
  struct Kept {
    std::byte* block = nullptr;
    std::size_t bytes = 0;
    std::int64_t since = 0;  ///< seconds
  };
  using KeptMappings = std::array<Kept, kMostKept>;

  void* allocate_large(std::size_t alignment, std::size_t bytes, bool zeroed = false);
  void* resize_large(void* block, std::size_t bytes);
  void free_large(void* block);
  Kept take_kept(std::size_t alignment, std::size_t bytes);
  bool keep(std::byte* block, std::size_t bytes);
  KeptMappings take_old(std::int64_t before);

  HeapLock lock_;
  Arena* current_ = nullptr;  ///< the one that served the last request
  Arena* first_ = nullptr;    ///< of a list of all
  Arena* empty_ = nullptr;    ///< the last one that lost its last live block; it may have some again
  KeptMappings kept_{};
  std::size_t kept_bytes_ = 0;
  std::array<std::atomic<std::uint64_t>, kPlaces / kPlacesPerWord> present_{};
};

}  // namespace lab::allocator
