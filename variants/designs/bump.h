/// The smallest linear allocator: a pointer that moves up through one buffer.
#pragma once

#include <cstddef>

namespace lab::designs {

/// `bytes` rounded up to a multiple of `granule`, a power of two.
constexpr std::size_t round_up(std::size_t bytes, std::size_t granule) {
  return (bytes + granule - 1) & ~(granule - 1);
}

/// Every size is rounded up to a multiple of `kGranule` (a power of two), so all allocations are aligned to it. O(1);
/// one thread; nothing can be freed but everything at once.
template <std::size_t kGranule>
class Bump {
 public:
  /// `memory` is aligned to kGranule and outlives the allocator.
  Bump(void* memory, std::size_t bytes)
      : start_(static_cast<std::byte*>(memory)), at_(start_), end_(start_ + bytes / kGranule * kGranule) {}

  /// Null where fewer than `bytes` are left.
  void* allocate(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      return nullptr;
    std::byte* const result = at_;
    at_ += round_up(bytes, kGranule);  // cannot pass end_, which lies on a granule
    return result;
  }

  void reset() { at_ = start_; }
  std::size_t used() const { return static_cast<std::size_t>(at_ - start_); }

 private:
  std::byte* start_;
  std::byte* at_;
  std::byte* end_;
};

}  // namespace lab::designs
