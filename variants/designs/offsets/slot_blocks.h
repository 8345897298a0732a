/// Assigns slots of an array to threads in blocks, so that neighbours in the array belong to one thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <vector>

#include "variants/designs/offsets/slot_counter.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::designs {

/// One atomic addition per block of claims of a thread (numbered by thread_slot). Each thread's last block may stay
/// partly unused. That leaves holes in the array, at most a block less one slot per thread, until compact() closes
/// them.
///
/// `kDistance`: bytes between the counters of two threads. Less than kApart shows what their false sharing costs.
template <std::size_t kDistance = kApart>
class SlotBlocks {
 public:
  static constexpr std::size_t kAtOnce = 32;  ///< slots of a block, unless told otherwise

  explicit SlotBlocks(std::size_t capacity, unsigned threads, std::size_t at_once = kAtOnce)
      : capacity_(capacity / at_once * at_once), at_once_(at_once), blocks_(threads) {}

  /// Slots an array needs for `claims` claims.
  static std::size_t capacity(std::size_t claims, unsigned threads, std::size_t at_once = kAtOnce) {
    return (claims + threads * (at_once - 1) + at_once - 1) / at_once * at_once;
  }

  /// kNoSlot if the calling thread's block is used up and there is no further one.
  std::size_t claim() {
    assert(thread_slot < blocks_.size());
    Block& block = blocks_[thread_slot];
    if (block.remaining == 0) {
      const std::size_t begin = next_.fetch_add(at_once_, std::memory_order_relaxed);
      if (begin >= capacity_) [[unlikely]] {
        next_.store(capacity_, std::memory_order_relaxed);  // as AtomicSlotCounter does
        return kNoSlot;
      }
      block.end = begin + at_once_;
      block.remaining = at_once_;
    }
    return block.end - block.remaining--;
  }

  /// reset() and compact() must not run concurrently with claim().
  void reset() {
    next_.store(0, std::memory_order_relaxed);
    std::fill(blocks_.begin(), blocks_.end(), Block{});
  }

  /// Slots that were claimed in blocks and not used. Not concurrently with claim().
  std::size_t unused() const {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.remaining;
    return sum;
  }

  /// Fills every hole with the last slots of the array: `move(from, to, count)` copies slots, without overlap. Returns
  /// the number of claims. O(threads * block), for any number of claims. Call at most once, after the last claim.
  template <typename Move>
  std::size_t compact(Move&& move) const {
    std::vector<Claimed> holed;
    for (const Block& block : blocks_)
      if (block.remaining != 0) holed.push_back(block);
    // From back to front: behind the current hole there is no other, so the array's last slots can be moved.
    std::sort(holed.begin(), holed.end(), [](const Claimed& a, const Claimed& b) { return a.end > b.end; });
    std::size_t end = std::min(next_.load(std::memory_order_relaxed), capacity_);
    for (const Claimed& block : holed) {
      const std::size_t hole = block.end - block.remaining;
      const std::size_t count = std::min(block.remaining, end - block.end);
      if (count != 0) move(end - count, hole, count);
      end -= block.remaining;
    }
    return end;
  }

 private:
  struct Claimed {
    std::size_t end = 0;        ///< of the current block
    std::size_t remaining = 0;  ///< unclaimed slots of it
  };
  struct alignas(kDistance) Block : Claimed {};

  std::size_t capacity_;
  std::size_t at_once_;
  std::vector<Block> blocks_;
  alignas(kApart) std::atomic<std::size_t> next_ = 0;
};

}  // namespace lab::designs
