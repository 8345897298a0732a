/// One suballocation, which takes the whole range: for an allocation that belongs to one resource.
///
/// Idea: the range is free or it is not. So every policy can be written over ranges, even "a dedicated allocation for
/// each resource".
/// Cost: O(1) and a few instructions; no nodes.
/// Source: Vulkan's VK_KHR_dedicated_allocation (2016) has the policy.
/// Weakness: everything that the resource does not need is wasted.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "variants/designs/offsets/range_allocator.h"

namespace lab::designs {

/// A RangeAllocator.
class WholeRange {
 public:
  WholeRange(std::uint64_t capacity, [[maybe_unused]] std::uint64_t block_bytes) : capacity_(capacity) {
    assert(std::has_single_bit(block_bytes));
  }

  /// At offset 0, which is a multiple of any alignment.
  Suballocation allocate(std::uint64_t bytes, std::uint64_t) {
    bytes += bytes == 0;
    if (requested_ != 0 || bytes > capacity_) return {};
    requested_ = bytes;
    return {0, 0};
  }
  void free([[maybe_unused]] Suballocation taken) {
    assert(taken == (Suballocation{0, 0}) && requested_ != 0);
    requested_ = 0;
  }

  std::uint64_t capacity() const { return capacity_; }
  std::size_t used_count() const { return requested_ != 0; }
  std::uint64_t used_bytes() const { return requested_ != 0 ? capacity_ : 0; }
  std::uint64_t requested_bytes() const { return requested_; }
  std::uint64_t largest_free() const { return capacity_ - used_bytes(); }
  std::size_t metadata_bytes() const { return sizeof *this; }
  template <typename Visit>
  void for_each(Visit visit) const {
    if (capacity_ != 0) visit(OffsetRange{0, capacity_, requested_, requested_ != 0});
  }

 private:
  std::uint64_t capacity_;
  std::uint64_t requested_ = 0;  // 0: the range is free
};

static_assert(RangeAllocator<WholeRange>);

}  // namespace lab::designs
