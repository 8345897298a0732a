/// What the family's tasks do with their blocks: allocate them, mark them, read them back.
#pragma once

#include <cstdint>

#include "variants/allocator/family/capabilities.h"

namespace lab::allocator {

/// A live block and its requested size. Of an allocator that moves blocks, `begin` only names it: see contents().
struct Block {
  unsigned char* begin = nullptr;
  std::size_t bytes = 0;

  /// Writes the id's three bytes to the first, middle and last one.
  void mark(std::uint32_t id) const {
    begin[0] = static_cast<unsigned char>(id);
    begin[bytes / 2] = static_cast<unsigned char>(id >> 8);
    begin[bytes - 1] = static_cast<unsigned char>(id >> 16);
  }
  /// The id that mark() wrote.
  std::uint32_t id() const {
    return begin[0] | std::uint32_t{begin[bytes / 2]} << 8 | std::uint32_t{begin[bytes - 1]} << 16;
  }
};

/// A sum of ids that does not depend on their order, where that is one of addresses or threads.
class SumOfIds {
 public:
  void add(std::uint32_t id) { sum_ += (id + 1) * 0x9e3779b97f4a7c15u; }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

template <Heap A>
Block allocate_block(A& allocator, std::size_t bytes) {
  void* const begin = allocator.allocate(bytes);
  if (begin == nullptr) [[unlikely]]
    out_of_memory(bytes);
  return {static_cast<unsigned char*>(begin), bytes};
}

/// The block at its address, to be used until the next allocation.
template <Heap A>
decltype(auto) contents(const A& allocator, const Block& block) {
  if constexpr (Relocates<A>)
    return Block{static_cast<unsigned char*>(allocator.address(block.begin)), block.bytes};
  else
    return (block);  // no copy: the timed loops are those of a program that has pointers
}

/// Whether a task writes to its blocks and reads them back. In some tasks that is most of the time.
enum class Touch { kBlocks, kNothing };

/// A block with its id, if blocks are touched. Always inlined: it is called in timed loops.
template <Touch kTouch = Touch::kBlocks, Heap A>
[[gnu::always_inline]] inline Block make_block(A& allocator, std::size_t bytes, std::uint32_t id) {
  const Block block = allocate_block(allocator, bytes);
  if constexpr (kTouch == Touch::kBlocks) contents(allocator, block).mark(id);
  return block;
}

}  // namespace lab::allocator
