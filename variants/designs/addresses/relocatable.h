/// Blocks behind handles, which compaction moves together.
///
/// Idea: allocate() returns a handle, and address() tells where the block is now. Best fit (offsets/bitmap_fit.h)
/// places the blocks. If no free run holds a request though enough is free, blocks slide to the front, one by one from
/// where the last compaction ended: the block behind a free run moves to that run's begin, so the run moves up and
/// grows by the next one, until it holds the request. A header of 16 bytes in front of each block names its handle. A
/// request of b bytes moves at most kMovedBytes + kMovedPerByte * b bytes of blocks, so its time is bounded; if that is
/// not enough it is refused, and the next request goes on where it ended. Larger blocks stay where they are, and what
/// is behind them moves. compact() does the same ahead of time, with a
/// bound of the caller's choice. Cost: one more load for each use of a block; best fit's O(1) else. With a free share f
/// of the heap, a hole for b bytes costs about b / f bytes of copying. Source: "Make the memory blocks relocatable
/// (i.e. use handles rather than pointers)": Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015).
/// Sliding compaction after the collectors of Lisp. Weakness: an address is valid only until the next allocate() or
/// compact(). A block that refers into another one must use its handle. The worst call copies much more than the mean
/// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/bitmap_fit.h"

namespace lab::designs {

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
class Relocatable {
 public:
  /// Names a live block; never 0, which is none.
  using Handle = std::uint32_t;
  static constexpr Handle kNone = 0;
  static constexpr std::size_t kLeafBytes = 64, kHeaderBytes = 16;
  static constexpr std::size_t kMovedBytes = std::size_t{64} << 10, kMovedPerByte = 16;
  /// Blocks larger than that which one call passes over.
  static constexpr unsigned kMostSkipped = 16;

  /// `buffer` is aligned to kLeafBytes. The bookkeeping of the best fit lies at its end, and leaves_within(bytes) is
  /// not 0.
  Relocatable(void* buffer, std::size_t bytes);
  static std::size_t leaves_within(std::size_t bytes) { return BitmapFit::leaves_within(bytes, kLeafBytes); }

  /// The handle of a block of at least `bytes` (0 counts as 1), or kNone. May move other blocks.
  Handle allocate(std::size_t bytes);
  /// Where the block is until the next allocate() or compact(); aligned to kHeaderBytes.
  void* address(Handle handle) const { return block_at(places_[handle - 1]) + kHeaderBytes; }
  /// Frees a block of allocate(); ignores kNone.
  void free(Handle handle);
  /// Moves blocks of at most `bytes` in all, headers and rounding included. Returns the bytes moved; 0 if none of the
  /// next blocks can move or is small enough.
  std::size_t compact(std::size_t bytes);

  static std::size_t block_bytes(std::size_t bytes) { return std::size_t{leaves_of(bytes)} * kLeafBytes; }
  std::size_t largest_request() const { return std::size_t{fit_.leaves()} * kLeafBytes - kHeaderBytes; }
  /// The number of requests of `bytes` that the empty allocator serves.
  std::size_t capacity(std::size_t bytes) const {
    return bytes > largest_request() ? 0 : fit_.leaves() / leaves_of(bytes);
  }
  /// In the buffer: the bookkeeping of the best fit, and the headers of the live blocks.
  std::size_t metadata_bytes() const { return BitmapFit::metadata_bytes(fit_.leaves()) + live_ * kHeaderBytes; }
  /// Size of the table of handles, which it allocates. It doubles when more blocks than ever are live at once.
  std::size_t allocated_bytes() const { return places_.capacity() * sizeof(Leaf); }
  /// The most that it had at once: while the table grows, the old and the new one exist.
  std::size_t most_allocated_bytes() const { return most_places_ * sizeof(Leaf); }
  /// Since construction.
  std::size_t moved_blocks() const { return moved_blocks_; }
  std::size_t moved_bytes() const { return moved_bytes_; }
  const BitmapFit& fit() const { return fit_; }

 private:
  using Leaf = BitmapFit::Leaf;
  struct alignas(kHeaderBytes) Header {
    Handle handle;
  };

  static Leaf leaves_of(std::size_t bytes) {
    return static_cast<Leaf>((bytes + (bytes == 0) + kHeaderBytes + kLeafBytes - 1) / kLeafBytes);
  }
  std::byte* block_at(Leaf leaf) const { return begin_ + std::size_t{leaf} * kLeafBytes; }
  Header& header_at(Leaf leaf) const { return *reinterpret_cast<Header*>(block_at(leaf)); }
  Handle name(Leaf place);
  Leaf make_room(Leaf leaves, std::size_t most_bytes);
  std::size_t slide(std::size_t left, std::size_t most);

  std::byte* begin_;
  BitmapFit fit_;
  std::vector<Leaf> places_;    // of each handle's block; of a free handle, the next free one
  Handle free_handle_ = kNone;  // the first
  std::size_t live_ = 0;
  Leaf free_leaves_;
  Leaf cursor_ = 0;  // compaction goes on with the first free run from here on
  std::size_t moved_blocks_ = 0, moved_bytes_ = 0;
  std::size_t most_places_ = 0;  // of all tables that existed at once
};

}  // namespace lab::designs
