/// How the free memory of a variant is divided.
#pragma once

#include <algorithm>
#include <cstddef>

namespace lab::allocator {

/// Bytes that are free, and the share of them outside the largest free block.
class FreeMemory {
 public:
  void add(std::size_t block) {
    bytes_ += static_cast<double>(block);
    largest_ = std::max(largest_, static_cast<double>(block));
  }
  double fragmentation() const { return bytes_ == 0 ? 0 : 1 - largest_ / bytes_; }

 private:
  double bytes_ = 0, largest_ = 0;
};

/// That share of a design that says itself how large its largest free block is.
template <typename Design>
double fragmentation_of(const Design& design) {
  double free = 0;
  design.for_each_free([&](auto, auto size) { free += static_cast<double>(size); });
  return free == 0 ? 0 : 1 - static_cast<double>(design.largest_free()) / free;
}

}  // namespace lab::allocator
