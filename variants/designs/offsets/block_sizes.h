/// Sizes of blocks: multiples of 16 bytes up to 64, then four for each doubling (80, 96, 112, 128, 160, ...). A request
/// is rounded up by less than a quarter (from 64 bytes on), half as much on average.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lab::designs {

struct BlockSizes {
  static constexpr std::size_t kGranule = 16;
  static constexpr unsigned kPerDoubling = 4;

  /// The smallest class for a request of `bytes`; 0 counts as 1.
  static constexpr unsigned of(std::size_t bytes) {
    const std::size_t last_byte = bytes - (bytes != 0);
    // The two bits below the highest one tell the four classes of a doubling apart.
    const unsigned shift = static_cast<unsigned>(std::bit_width(last_byte | kPerDoubling * kGranule)) - 3;
    return kPerDoubling * (shift - kGranuleLog2) + static_cast<unsigned>(last_byte >> shift);
  }

  static constexpr std::size_t bytes(unsigned size_class) {
    const unsigned doublings = size_class < 2 * kPerDoubling ? 0 : size_class / kPerDoubling - 1;
    return std::size_t{size_class - kPerDoubling * doublings + 1} << (kGranuleLog2 + doublings);
  }

  /// The largest power of two that divides every multiple of the class's size.
  static constexpr std::size_t alignment(unsigned size_class) { return bytes(size_class) & (~bytes(size_class) + 1); }

 private:
  static constexpr unsigned kGranuleLog2 = std::countr_zero(kGranule);
};

}  // namespace lab::designs
