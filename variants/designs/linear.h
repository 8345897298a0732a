/// The linear allocator: a pointer that moves through a buffer. What is allocated together is freed together.
///
/// allocate and reset are O(1) and touch no memory but the allocator itself; there is no metadata.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace lab::designs {

/// One thread at a time. The buffer must outlive the allocator; it is not freed by it.
class Linear {
 public:
  Linear(void* buffer, std::size_t bytes)
      : begin_(static_cast<std::byte*>(buffer)), at_(begin_), end_(begin_ + bytes) {}

  /// `bytes` (0 counts as 1, so that no two blocks share an address) at a multiple of `alignment`, a power of two;
  /// nullptr, and nothing taken, if that much is not left. The contents are indeterminate.
  void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    assert(alignment != 0 && (alignment & (alignment - 1)) == 0);
    const std::size_t left = static_cast<std::size_t>(end_ - at_);
    const std::size_t padding = -reinterpret_cast<std::uintptr_t>(at_) & (alignment - 1);
    bytes += bytes == 0;
    // Two comparisons, because padding + bytes may overflow.
    if (padding > left || bytes > left - padding) return nullptr;
    std::byte* const block = at_ + padding;
    at_ = block + bytes;
    return block;
  }

  /// Everything allocated is free at once; the next block begins where the first one did.
  void reset() { at_ = begin_; }

  std::size_t capacity() const { return static_cast<std::size_t>(end_ - begin_); }
  /// Bytes taken since construction or reset, padding included.
  std::size_t used() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  std::byte* begin_;
  std::byte* at_;
  std::byte* end_;
};

}  // namespace lab::designs
