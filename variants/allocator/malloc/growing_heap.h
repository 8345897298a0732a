/// The front of size classes over the buddy allocator (designs/addresses/size_class_buddy.h) as the heap of a whole
/// process: it grows, serves any number of threads, and knows every block by its address.
///
/// - Blocks of up to kMostInArena bytes come from arenas of kArenaBytes, each with an allocator of its own. An arena is
///   aligned to its size, so a block's address without its low bits is its arena, and one bit for each such stretch of
///   addresses tells whether it is one. Only what is used of an arena becomes memory.
/// - A larger block is a mapping of its own, with a page before it that says how large it is. It goes back to the
///   system when it is freed, and realloc moves it by moving its pages.
/// - One lock (designs/threads/spin_lock.h) for all arenas. Mappings need none.
/// - An arena without live blocks goes back to the system if there is another one, or if trim() is called.
///
/// It calls no other allocator and has no constructor to run, so it can be the process's malloc.
/// Weakness: threads wait for each other. Freed memory in an arena with live blocks stays with the process. Requests
/// above 8 KiB are rounded up to powers of two.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "variants/designs/threads/spin_lock.h"

namespace lab::allocator {

/// Allocations return nullptr if the system gives no more memory. 512 KiB of zeros, of which some bytes are touched:
/// keep it in static memory. It has no destructor, because a process frees blocks until its very end.
class GrowingHeap {
 public:
  static constexpr std::size_t kArenaBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostInArena = std::size_t{1} << 20;
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kLeastAlignment = 16;

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

  /// No other thread is within the heap between the two. A process that has other threads forks in between.
  void lock() { lock_.lock(); }
  void unlock() { lock_.unlock(); }

  /// How many arenas it has now.
  std::size_t arenas();

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

  designs::SpinLock lock_;
  Arena* current_ = nullptr;  ///< the one that served the last request
  Arena* first_ = nullptr;    ///< of a list of all
  Arena* empty_ = nullptr;    ///< the last one that lost its last live block; it may have some again
  std::array<std::atomic<std::uint64_t>, kPlaces / kPlacesPerWord> present_{};
};

}  // namespace lab::allocator
