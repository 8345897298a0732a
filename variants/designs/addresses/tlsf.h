/// TLSF, two-level segregated fit: a general allocator whose every step is O(1).
///
/// Idea: free blocks lie in lists by size, two levels of them: powers of two, and each of these in 32 equal parts.
/// A bit for each list that is not empty, and a bit for each word of these, find the list by two bit scans. A
/// request is rounded up to the next list's smallest size, so that the first block of any list found there fits
/// (good fit). What is left of a block is a free block again, unless it is at most 1/32 of the request: a list is
/// as wide, and so small a block would cost more than it is worth. A freed block merges with free neighbours at
/// once.
/// Layout: a block begins with a word of four bytes: its size in units of 16 bytes, whether it is free, and whether
/// the block before it is. A free block also has two links, and its size in its last word, by which the next block
/// finds its beginning. So a live block has four bytes of metadata, and the smallest block is one unit.
/// Cost: allocate and free O(1): at most one list is searched, and at most kMostTries blocks of it. Four bytes a
/// block, 16 for the ends of the arena, and lists of 3.5 KB outside it.
/// Source: Masmano, Ripoll, Crespo, Real: TLSF: a New Dynamic Memory Allocator for Real-Time Systems, ECRTS 2004,
/// for 32-bit addresses. Changed: 32-bit positions in place of addresses; the size of a free block at its end in
/// place of a pointer in every block; if no larger list has a block, the request's own list is searched, a bounded
/// number of blocks far. The last serves a request of the whole arena, which rounding up would refuse.
/// Weakness: merging at once reads the neighbours of every freed block, which are rarely in a cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {

/// Not thread-safe. The memory must outlive the allocator, which does not free it.
class Tlsf {
 public:
  static constexpr std::size_t kGranule = 16;  ///< alignment of every block
  static constexpr std::size_t kHeaderBytes = 4;
  static constexpr std::uint32_t kMostUnused = 32;  ///< at most 1/32 of a request is added to its block
  /// Blocks of the request's own list that are tried if no larger list has any.
  static constexpr unsigned kMostTries = 32;

  /// `memory` must be aligned to kGranule. Uses whole granules, and at most 16 GiB.
  Tlsf(void* memory, std::size_t bytes);
  Tlsf(const Tlsf&) = delete;
  Tlsf& operator=(const Tlsf&) = delete;

  /// A block of at least `bytes`, or nullptr. Blocks of 0 bytes have addresses of their own, too.
  void* allocate(std::size_t bytes);
  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block);

  /// Bytes that a live block takes in the arena, with its header.
  std::size_t block_bytes(const void* block) const { return kGranule * size_of(header(unit_of(block))); }

  /// The largest request that the empty arena serves; 0 if it serves none.
  std::size_t largest_request() const { return units_ == 0 ? 0 : units_ * kGranule - kHeaderBytes; }
  /// How many requests of `bytes` the empty arena serves.
  std::size_t capacity(std::size_t bytes) const {
    return units_ == 0 || bytes > largest_request() ? 0 : units_ / units_for(bytes);
  }

  /// Calls visit(bytes, is_free) for every block, by address. The size includes the header.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (Unit at = 0; at < units_; at += size_of(header(at)))
      visit(size_of(header(at)) * kGranule, (header(at) & kFree) != 0);
  }

 private:
  using Unit = std::uint32_t;  // a position or a size in granules
  using Word = std::uint32_t;
  using Bins = SizeBins<5>;

  static constexpr Unit kNone = ~Unit{0};
  static constexpr Word kFree = 1, kAfterFree = 2;
  static constexpr unsigned kFlags = 2;  // bits of a header below the size
  static constexpr Unit kMostUnits = (Unit{1} << (32 - kFlags)) - 1;
  static constexpr unsigned kBins = Bins::of(kMostUnits) + 2;

  static Unit size_of(Word header) { return header >> kFlags; }
  static Unit units_for(std::size_t bytes) {
    return static_cast<Unit>((bytes + kHeaderBytes + kGranule - 1) / kGranule);
  }

  // The user's bytes have any type, so words are copied and not accessed through a pointer to a word.
  Word load(Unit unit, std::ptrdiff_t offset) const {
    Word word;
    std::memcpy(&word, base_ + unit * kGranule + offset, sizeof word);
    return word;
  }
  void store(Unit unit, std::ptrdiff_t offset, Word word) {
    std::memcpy(base_ + unit * kGranule + offset, &word, sizeof word);
  }
  Word header(Unit block) const { return load(block, 0); }
  void set_header(Unit block, Word header) { store(block, 0, header); }
  Unit next(Unit block) const { return load(block, 4); }
  void set_next(Unit block, Unit to) { store(block, 4, to); }
  Unit previous(Unit block) const { return load(block, 8); }
  void set_previous(Unit block, Unit to) { store(block, 8, to); }
  /// The size of the free block that ends where `block` begins.
  Unit size_before(Unit block) const { return load(block, -4); }
  void set_size_before(Unit block, Unit size) { store(block, -4, size); }
  Unit unit_of(const void* block) const {
    return static_cast<Unit>(static_cast<std::size_t>(static_cast<const std::byte*>(block) - base_) / kGranule);
  }

  void link(Unit block, Unit size);
  void unlink(Unit block, Unit size);
  /// A block of the bin of `size` that holds it, or kNone; tries kMostTries.
  Unit in_own_bin(Unit size) const;

  std::byte* base_;    // the header of unit u lies at base_ + 16 u, four bytes before an aligned address
  std::size_t units_;  // of all blocks together
  BinSet<kBins> nonempty_;
  std::array<Unit, kBins> heads_;
};

}  // namespace lab::designs
