/// What the family's tasks do with their blocks: mark them, read them back, count what they take.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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

template <Allocator A>
Block allocate_block(A& allocator, std::size_t bytes) {
  void* const begin = allocator.allocate(bytes);
  if (begin == nullptr) [[unlikely]]
    out_of_memory(bytes);
  return {static_cast<unsigned char*>(begin), bytes};
}

/// The block at its address, to be used until the next allocation.
template <Allocator A>
decltype(auto) contents(const A& allocator, const Block& block) {
  if constexpr (Relocates<A>)
    return Block{static_cast<unsigned char*>(allocator.address(block.begin)), block.bytes};
  else
    return (block);  // no copy: the timed loops are those of a program that has pointers
}

/// What live blocks were requested as, and what they take: 0 if the allocator cannot tell.
struct LiveBytes {
  double requested = 0, occupied = 0;
};

template <Allocator A>
LiveBytes live_bytes(A& allocator, const std::vector<Block>& live) {
  LiveBytes sums;
  for (const Block& block : live) {
    if (block.begin == nullptr) continue;
    sums.requested += static_cast<double>(block.bytes);
    sums.occupied += static_cast<double>(allocator.occupied(block.begin, block.bytes));
  }
  if constexpr (MayNotTellOccupied<A>)
    if (!A::can_tell_occupied()) sums.occupied = 0;
  return sums;
}

/// Adds the counters that every allocator has to its own.
std::map<std::string, double> with_common_counters(std::map<std::string, double> own, const LiveBytes& live,
                                                   const Demand& demand);

/// Counters at one point of the first repetition, the same point in every process; so they are exact. Never inlined: it
/// would change the registers of the timed loops beside it.
template <Allocator A>
[[gnu::noinline]] std::map<std::string, double> first_repetition_counters(A& allocator, const std::vector<Block>& live,
                                                                          const Demand& demand) {
  return with_common_counters(own_counters(allocator), live_bytes(allocator, live), demand);
}

/// Whether a task writes to its blocks and reads them back. In some tasks that is most of the time.
enum class Touch { kBlocks, kNothing };

}  // namespace lab::allocator
