/// All free blocks in one list, searched from its beginning: the first design of the article.
///
/// Idea: the list lies in the free blocks themselves (an in-place list), ordered by address. A request takes the
/// beginning of the first block that is large enough. A freed block goes where its address belongs, beside its free
/// neighbours, and merges with them. The caller passes the size to free(), so a block has no metadata.
/// Cost: allocate and free O(free blocks). No metadata, no rounding beyond 16 bytes.
/// Source: Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), which begins with it
/// Weakness: both searches follow links through memory, and each step may miss every cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/addresses/linear.h"

namespace lab::designs {

/// Not thread-safe. The memory must outlive the allocator, which does not free it.
class FirstFitList {
 public:
  static constexpr std::size_t kGranule = 16;  ///< of all sizes, and alignment of every block

  /// `memory` must be aligned to kGranule. Uses whole granules.
  FirstFitList(void* memory, std::size_t bytes);
  FirstFitList(const FirstFitList&) = delete;
  FirstFitList& operator=(const FirstFitList&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr.
  void* allocate(std::size_t bytes);
  /// The same; adds the number of free blocks that it passes to `passed`.
  void* allocate(std::size_t bytes, std::uint64_t& passed);
  /// Frees a block of allocate(bytes); ignores nullptr. Freeing anything else is undefined.
  void free(void* block, std::size_t bytes);
  /// The same; adds the number of free blocks that it passes to `passed`.
  void free(void* block, std::size_t bytes, std::uint64_t& passed);

  /// Bytes that a block of `bytes` takes in the arena; `bytes` is at most largest_request().
  static std::size_t block_bytes(std::size_t bytes) { return round_up(bytes + (bytes == 0), kGranule); }

  /// The largest request that the empty arena serves; 0 if it serves none.
  std::size_t largest_request() const { return bytes_; }
  /// How many requests of `bytes` the empty arena serves.
  std::size_t capacity(std::size_t bytes) const { return bytes > bytes_ ? 0 : bytes_ / block_bytes(bytes); }

  /// Calls visit(bytes) for every free block, by address.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    for (const Free* at = list_.next; at != nullptr; at = at->next) visit(at->bytes);
  }

 private:
  struct Free {
    Free* next;
    std::size_t bytes;
  };
  static_assert(sizeof(Free) == kGranule);

  template <typename Pass>
  void* take(std::size_t bytes, Pass pass);
  template <typename Pass>
  void put(void* block, std::size_t bytes, Pass pass);

  std::size_t bytes_;
  Free list_;  // before the first free block; of no bytes
};

}  // namespace lab::designs
