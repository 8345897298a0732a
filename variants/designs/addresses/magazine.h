/// A stack of a few free blocks of one size: the newest serves the next request, the oldest go back to the allocator
/// behind it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace lab::designs {

class Magazine {
 public:
  static constexpr std::uint32_t kBlocks = 32;

  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == kBlocks; }
  std::uint32_t count() const { return count_; }
  /// Only if it is not empty.
  void* pop() { return blocks_[--count_]; }
  /// Only if it is not full.
  void push(void* block) { blocks_[count_++] = block; }

  /// Removes the `count` oldest blocks and calls release(block) for each.
  template <typename Release>
  void return_oldest(std::uint32_t count, Release release) {
    std::for_each_n(blocks_.begin(), count, release);
    std::copy(blocks_.begin() + count, blocks_.begin() + count_, blocks_.begin());
    count_ -= count;
  }
  template <typename Visit>
  void for_each(Visit visit) const {
    std::for_each_n(blocks_.begin(), count_, visit);
  }
  void clear() { count_ = 0; }

 private:
  std::uint32_t count_ = 0;
  std::array<void*, kBlocks> blocks_;
};

}  // namespace lab::designs
