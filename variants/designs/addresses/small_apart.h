/// Small blocks in a part of the buffer of their own, so that they do not lie between large ones.
///
/// Idea: two buddy allocators share a buffer. Requests below kSmallBytes go to the first part, which has small leaves;
/// all others to the second. A long-lived small block then keeps no large one from merging. A part that is full lends
/// from the other one, so no request is refused that either part could serve. The address says which part a block is
/// in.
/// Cost: one comparison more than a buddy allocator, and the bits of two trees.
/// Source: "Put small allocations in a separate part of the buffer so they don't interfere with the big ones": Stingray
/// blog, Allocation Adventures 3: The Buddy Allocator (2015).
/// Weakness: how large the part must be is a guess. Too small, small blocks lie between large ones after all; too
/// large, large blocks lack room, because the parts never merge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "variants/designs/addresses/buddy.h"

namespace lab::designs {

struct SmallApartLayout {
  BuddyLayout small, large;
  std::string refusal;  ///< "": there is a layout

  /// The part for small blocks takes 1 / kSmallShare of the buffer, rounded down to what keeps both parts aligned.
  static constexpr std::size_t kSmallShare = 8;
  static constexpr std::size_t kSmallLeafBytes = 16, kLargeLeafBytes = 64;
  static SmallApartLayout plan(void* buffer, std::size_t bytes);

  std::size_t largest_request() const { return std::max(small.largest_request(), large.largest_request()); }
  /// The number of requests of `bytes` that both empty parts serve.
  std::size_t capacity(std::size_t bytes) const { return small.capacity(bytes) + large.capacity(bytes); }
  /// Of any block of `bytes`, which may lie in either part.
  std::size_t alignment(std::size_t bytes) const { return std::min(small.alignment(bytes), large.alignment(bytes)); }
  std::size_t metadata_bytes() const { return small.metadata_bytes() + large.metadata_bytes(); }
};

/// Not thread-safe. `Part` is Buddy or CheckedBuddy.
template <typename Part>
class SmallApart {
 public:
  static constexpr std::size_t kSmallBytes = 256;

  explicit SmallApart(const SmallApartLayout& layout) : layout_(layout), small_(layout.small), large_(layout.large) {}

  /// A block of at least `bytes` (0 counts as 1), or nullptr if neither part has one.
  void* allocate(std::size_t bytes) {
    if (bytes < kSmallBytes) {
      void* const block = small_.allocate(bytes);
      return block != nullptr ? block : large_.allocate(bytes);
    }
    void* const block = large_.allocate(bytes);
    return block != nullptr ? block : small_.allocate(bytes);
  }
  /// Frees a block of allocate(); ignores nullptr.
  void free(void* block) { is_in_small(block) ? small_.free(block) : large_.free(block); }
  /// Frees everything.
  void reset() {
    small_.reset();
    large_.reset();
  }

  std::size_t block_bytes(const void* block, std::size_t bytes) const {
    return (is_in_small(block) ? layout_.small : layout_.large).block_bytes(bytes);
  }
  bool is_in_small(const void* block) const { return reinterpret_cast<std::uintptr_t>(block) < layout_.large.begin; }
  const SmallApartLayout& layout() const { return layout_; }
  std::size_t largest_free() const { return std::max(small_.largest_free(), large_.largest_free()); }
  template <typename Visit>
  void for_each_free(Visit visit) const {
    small_.for_each_free(visit);
    large_.for_each_free(visit);
  }

 private:
  SmallApartLayout layout_;
  Part small_, large_;
};

}  // namespace lab::designs
