/// The linear allocator: a pointer that advances through one buffer. All blocks are freed at once.
///
/// allocate and reset are O(1) and touch no memory but the allocator itself; there is no metadata.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace lab::designs {

/// `bytes` rounded up to a multiple of `granule`, a power of two.
constexpr std::size_t round_up(std::size_t bytes, std::size_t granule) {
  return (bytes + granule - 1) & ~(granule - 1);
}

/// Every size is rounded up to a multiple of `kGranule` (a power of two), so all blocks are aligned to it. Not
/// thread-safe.
template <std::size_t kGranule>
class Linear {
 public:
  /// `buffer` must be aligned to kGranule and outlive the allocator. Only whole granules of it are used.
  Linear(void* buffer, std::size_t bytes)
      : begin_(static_cast<std::byte*>(buffer)), at_(begin_), end_(begin_ + bytes / kGranule * kGranule) {
    assert(reinterpret_cast<std::uintptr_t>(buffer) % kGranule == 0);
  }

  /// A block of `bytes`; 0 counts as 1, so that blocks have distinct addresses. If fewer are left: nullptr, and the
  /// state does not change. The contents are indeterminate.
  void* allocate(std::size_t bytes) {
    bytes += bytes == 0;
    if (bytes > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      return nullptr;
    std::byte* const block = at_;
    at_ += round_up(bytes, kGranule);  // cannot pass end_, which lies on a granule
    return block;
  }

  /// Frees everything; the next block begins where the first one did.
  void reset() { at_ = begin_; }

  std::size_t capacity() const { return static_cast<std::size_t>(end_ - begin_); }
  /// How many requests of `bytes` it serves when empty.
  std::size_t capacity(std::size_t bytes) const {
    return bytes > capacity() ? 0 : capacity() / round_up(bytes + (bytes == 0), kGranule);
  }
  /// Bytes taken since construction or reset, rounding included.
  std::size_t used() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* at_;
  std::byte* end_;
};

}  // namespace lab::designs
