/// A buddy allocator behind magazines: each block size has a small stack of blocks that were freed last, which serves
/// the next requests of that size without a split, a merge or a look at the block's memory.
///
/// To the buddy allocator, a block in a magazine is in use. A full magazine returns its older half. All magazines
/// return everything before a request is refused, and when the last live block is freed. So no request is refused
/// because of a magazine, and the empty allocator is in its initial state.
///
/// Cost: a load, a store and a count as long as the magazine is neither empty nor full; else that of the buddy
/// allocator, half a magazine at once in a free. Memory: Magazine::kBlocks pointers for each block size, beside the
/// buffer; for free(block) also a LevelIndex, because the buddy allocator's walk would be most of the time.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "variants/designs/addresses/buddy.h"
#include "variants/designs/addresses/magazine.h"
#include "variants/designs/offsets/level_index.h"

namespace lab::designs {

/// How blocks are freed.
enum class FreedBy { kPointer, kSize };

/// `B` is Buddy or CheckedBuddy. Not thread-safe.
template <typename B, FreedBy kFreedBy>
class BuddyMagazines {
 public:
  explicit BuddyMagazines(const BuddyLayout& layout)
      : leaf_mask_(layout.leaf_bytes - 1),
        limit_(layout.largest_request()),
        smallest_(static_cast<unsigned>(std::countr_zero(layout.leaf_bytes))),
        magazines_(layout.levels),
        sizes_(layout),
        buddy_(layout) {}

  /// As Buddy's.
  void* allocate(std::size_t bytes) {
    if (bytes > limit_) [[unlikely]]
      return nullptr;
    Magazine& magazine = magazine_of(bytes);
    void* block;
    if (magazine.empty()) [[unlikely]] {
      block = allocate_split(bytes);
      if (block == nullptr) return nullptr;
    } else {
      block = magazine.pop();
    }
    ++live_;
    return block;
  }

  /// As Buddy's.
  void free(void* block) requires(kFreedBy == FreedBy::kPointer) {
    if (block == nullptr) return;
    put(block, magazines_[sizes_.find(reinterpret_cast<std::uintptr_t>(block)) - smallest_]);
  }
  void free(void* block, std::size_t bytes) {
    if (block == nullptr) return;
    put(block, magazine_of(bytes));
  }

  /// Frees everything: the state is that after construction.
  void reset() {
    for (Magazine& magazine : magazines_) magazine.clear();
    live_ = 0;
    buddy_.reset();
  }

  /// Empties all magazines into the buddy allocator.
  void flush() {
    for (Magazine& magazine : magazines_)
      if (!magazine.empty()) return_oldest(magazine, magazine.count());
  }

  /// Bytes of the LevelIndex; 0 without one.
  std::size_t index_bytes() const { return sizes_.bytes(); }
  /// Bytes that it allocated: the magazines and the LevelIndex.
  std::size_t allocated_bytes() const { return magazines_.capacity() * sizeof(Magazine) + index_bytes(); }

  const BuddyLayout& layout() const { return buddy_.layout(); }
  /// As BuddyLayout's: when it is empty.
  std::size_t largest_request() const { return layout().largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return layout().capacity(bytes); }

  /// The largest block that is free now, in a magazine or not; 0 if none.
  std::size_t largest_free() const {
    std::size_t largest = buddy_.largest_free();
    for_each_magazine([&](const Magazine& magazine, std::size_t bytes) {
      if (!magazine.empty()) largest = std::max(largest, bytes);
    });
    return largest;
  }
  /// Calls visit(block, bytes) for every free block.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    buddy_.for_each_free(visit);
    for_each_magazine([&](const Magazine& magazine, std::size_t bytes) {
      magazine.for_each([&](const void* block) { visit(block, bytes); });
    });
  }

 private:
  /// In place of a LevelIndex, where nothing asks for it.
  struct NoIndex {
    explicit NoIndex(const BuddyLayout&) {}
    void set(std::uintptr_t, unsigned) {}
    std::size_t bytes() const { return 0; }
  };

  unsigned log2_of_block(std::size_t bytes) const {
    const std::size_t last_byte = bytes - (bytes != 0);
    return static_cast<unsigned>(std::bit_width(last_byte | leaf_mask_));
  }
  Magazine& magazine_of(std::size_t bytes) { return magazines_[log2_of_block(bytes) - smallest_]; }

  template <typename Visit>
  void for_each_magazine(Visit visit) const {
    for (std::size_t i = 0; i < magazines_.size(); ++i) visit(magazines_[i], layout().leaf_bytes << i);
  }

  void put(void* block, Magazine& magazine) {
    if (magazine.full()) [[unlikely]]
      return_oldest(magazine, Magazine::kBlocks / 2);
    magazine.push(block);
    assert(live_ > 0);
    if (--live_ == 0) flush();
  }

  [[gnu::noinline]] void* allocate_split(std::size_t bytes) {
    void* block = buddy_.allocate(bytes);
    if (block == nullptr) {
      flush();
      block = buddy_.allocate(bytes);
    }
    if (block != nullptr) sizes_.set(reinterpret_cast<std::uintptr_t>(block), log2_of_block(bytes));
    return block;
  }

  [[gnu::noinline]] void return_oldest(Magazine& magazine, std::uint32_t count) {
    const std::size_t bytes = layout().leaf_bytes << (&magazine - magazines_.data());
    magazine.return_oldest(count, [&](void* block) { buddy_.free(block, bytes); });
  }

  std::size_t leaf_mask_;
  std::size_t limit_;
  unsigned smallest_;  // log2 of the leaf's size
  std::size_t live_ = 0;
  std::vector<Magazine> magazines_;  // by log2 of the block size, the leaf's first
  [[no_unique_address]] std::conditional_t<kFreedBy == FreedBy::kPointer, LevelIndex, NoIndex> sizes_;
  B buddy_;
};

}  // namespace lab::designs
