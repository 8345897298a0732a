/// Size classes of free runs, and which of them have members.
///
/// Every length below kExact is a class of its own. Above, each power of two is divided in kPerOctave classes. So the
/// search for the smallest class that holds a request is a bit scan, and the lists of short runs need no search.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lab::designs {

struct SizeClasses {
  static constexpr unsigned kExactLog2 = 6, kPerOctaveLog2 = 3;
  static constexpr std::uint32_t kExact = 1u << kExactLog2, kPerOctave = 1u << kPerOctaveLog2;
  static constexpr unsigned kCount = kExact + (32 - kExactLog2) * kPerOctave;

  /// The class of runs of `length`, which is at least 1.
  static unsigned of(std::uint32_t length) {
    if (length < kExact) return length;
    const unsigned log2 = static_cast<unsigned>(std::bit_width(length)) - 1;
    const unsigned part = (length >> (log2 - kPerOctaveLog2)) & (kPerOctave - 1);
    return kExact + (log2 - kExactLog2) * kPerOctave + part;
  }

  /// The lowest class whose every run holds `length`. It may be kCount, which has no runs.
  static unsigned holding(std::uint32_t length) {
    if (length <= kExact) return length;
    return of(length - 1) + 1;
  }
};

/// The classes that have members.
class ClassMask {
 public:
  void set(unsigned size_class) { words_[size_class / 64] |= bit(size_class); }
  void clear(unsigned size_class) { clear_if(true, size_class); }
  void clear_if(bool condition, unsigned size_class) { words_[size_class / 64] &= ~(condition ? bit(size_class) : 0); }

  /// The lowest class from `size_class` on that is set; SizeClasses::kCount if none is.
  unsigned first_from(unsigned size_class) const {
    std::size_t at = size_class / 64;
    if (at >= words_.size()) return SizeClasses::kCount;
    std::uint64_t word = words_[at] & (~std::uint64_t{0} << (size_class % 64));
    while (word == 0) {
      if (++at == words_.size()) return SizeClasses::kCount;
      word = words_[at];
    }
    return static_cast<unsigned>(64 * at) + static_cast<unsigned>(std::countr_zero(word));
  }

 private:
  static std::uint64_t bit(unsigned size_class) { return std::uint64_t{1} << (size_class % 64); }

  std::array<std::uint64_t, (SizeClasses::kCount + 63) / 64> words_{};
};

}  // namespace lab::designs
