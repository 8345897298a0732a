/// A rung of the ladder of buddy allocators in its own buffer.
#pragma once

#include <concepts>

#include "variants/allocator/family/buddy_heap.h"
#include "variants/designs/addresses/buddy_ladder.h"

namespace lab::allocator {

template <typename Rung>
class LadderHeap : public BuddyHeapOf<Rung> {
  using Base = BuddyHeapOf<Rung>;
  using Base::buddy_;

 public:
  static constexpr bool kSearchesEveryFreeBlock = std::same_as<Rung, designs::BuddyListWalk>;

  explicit LadderHeap(const Demand& demand) : Base(demand, buffer_bytes(demand), &Rung::plan) {}

  void free(void* block) requires Rung::kFreesByPointer { buddy_.free(block); }
  void free(void* block, std::size_t bytes) requires(!Rung::kFreesByPointer) { buddy_.free(block, bytes); }

  // With the preamble, which the layout does not know of.
  std::size_t alignment(std::size_t bytes) const { return buddy_.alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return buddy_.block_bytes(bytes); }
  std::size_t largest_request() const { return buddy_.largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return buddy_.capacity(bytes); }

  std::size_t allocated_bytes() const requires Rung::kAllocates { return buddy_.allocated_bytes(); }
  std::size_t most_allocated_bytes() const requires Rung::kAllocates { return buddy_.most_allocated_bytes(); }
  std::map<std::string, double> counters() const {
    BuddyBits bits{.merge = buddy_.merge_bits(), .size = buddy_.size_bits()};
    if constexpr (Rung::kAllocates) bits.outside = 8 * buddy_.allocated_bytes();
    return buddy_counters(buddy_.layout(), bits, this->buffer_, this->external_fragmentation());
  }

 private:
  // A preamble makes a request of 2^n bytes take 2^(n+1), so that nearly all of twice the demand may be in use.
  static std::size_t buffer_bytes(const Demand& demand) {
    return Base::buffer_bytes({.bytes = (Rung::kPreambleBytes > 0 ? 2 : 1) * demand.bytes, .blocks = demand.blocks});
  }
};

}  // namespace lab::allocator
