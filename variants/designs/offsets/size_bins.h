/// Sizes as small floating-point numbers: bins whose width is a fixed share of their size, found without a search.
///
/// Bin i holds the sizes with the same leading kBits + 1 bits. Sizes below 2^(kBits + 1) have a bin each; from there
/// on, every power of two has 2^kBits bins. So the smallest size of a bin is more than 1 - 2^-kBits of its largest.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace lab::designs {

/// The arithmetic of the bins of all sizes that a Size counts.
template <unsigned kBits, std::unsigned_integral Size = std::uint32_t>
struct SizeBins {
  static constexpr unsigned kCount = (std::numeric_limits<Size>::digits - kBits + 1) << kBits;  ///< of all bins

  /// The bin that holds `size`.
  static constexpr unsigned of(Size size) {
    const unsigned exponent = exponent_of(size);
    return (exponent << kBits) + static_cast<unsigned>(size >> exponent);
  }
  /// The lowest bin in which every size is at least `size`, which is at least 1.
  static constexpr unsigned holding(Size size) { return of(size - 1) + 1; }
  /// The smallest size in `bin`.
  static constexpr Size smallest(unsigned bin) {
    const unsigned exponent = bin < kExact ? 0 : (bin >> kBits) - 1;
    return Size{bin - (exponent << kBits)} << exponent;
  }

 private:
  static constexpr unsigned kExact = 2u << kBits;  // sizes, and their bins

  static constexpr unsigned exponent_of(Size size) {
    return static_cast<unsigned>(std::bit_width(size | (kExact - 1))) - (kBits + 1);
  }
};

/// A set of numbers below kCount in two levels of words: each step is O(1).
template <unsigned kCount>
class BinSet {
 public:
  static constexpr unsigned kNone = ~0u;

  void add(unsigned bin) {
    words_[bin / 64] |= std::uint64_t{1} << (bin % 64);
    nonempty_ |= std::uint64_t{1} << (bin / 64);
  }
  void remove(unsigned bin) {
    if ((words_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64))) == 0) nonempty_ &= ~(std::uint64_t{1} << (bin / 64));
  }
  /// The lowest member that is at least `bin` (which is below kCount), or kNone.
  unsigned first_from(unsigned bin) const {
    if (const std::uint64_t here = words_[bin / 64] >> (bin % 64); here != 0)
      return bin + static_cast<unsigned>(std::countr_zero(here));
    const std::uint64_t above = nonempty_ & ~std::uint64_t{1} << (bin / 64);
    if (above == 0) return kNone;
    const auto word = static_cast<unsigned>(std::countr_zero(above));
    return word * 64 + static_cast<unsigned>(std::countr_zero(words_[word]));
  }
  /// The highest member, or kNone.
  unsigned last() const {
    if (nonempty_ == 0) return kNone;
    const auto word = static_cast<unsigned>(std::bit_width(nonempty_)) - 1;
    return word * 64 + static_cast<unsigned>(std::bit_width(words_[word])) - 1;
  }

 private:
  static constexpr unsigned kWords = (kCount + 63) / 64;
  static_assert(kWords <= 64);

  std::array<std::uint64_t, kWords> words_{};
  std::uint64_t nonempty_ = 0;  // bit i: word i has a member
};

}  // namespace lab::designs
