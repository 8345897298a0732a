/// A pointer that advances through a buffer, and a list of freed blocks for each size class: about the least that an
/// allocator with single frees can do, so a floor for the time of others.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <new>

#include "variants/designs/addresses/linear.h"
#include "variants/designs/offsets/block_sizes.h"

namespace lab::designs {

/// Blocks never merge and never change their class, until all are free: then the buffer is as new. Not thread-safe. The
/// buffer must outlive the allocator.
class ClassLists {
 public:
  /// `buffer` must be aligned to BlockSizes::kGranule. Only whole granules of it are used.
  ClassLists(void* buffer, std::size_t bytes) : fresh_(buffer, bytes), limit_(fresh_.capacity()) {}

  /// A block of at least `bytes` (0 counts as 1), or nullptr. The contents are indeterminate.
  void* allocate(std::size_t bytes) {
    if (bytes > limit_) return nullptr;
    const unsigned size_class = BlockSizes::of(bytes);
    if (Link* const freed = freed_[size_class]) {
      freed_[size_class] = freed->next;
      ++live_;
      return freed;
    }
    void* const block = fresh_.allocate(BlockSizes::bytes(size_class));
    live_ += block != nullptr;
    return block;
  }

  /// Frees a block of allocate(); ignores nullptr. `bytes` is the requested size, or another one of its class.
  void free(void* block, std::size_t bytes) {
    if (block == nullptr) return;
    assert(live_ > 0);
    Link*& first = freed_[BlockSizes::of(bytes)];
    first = new (block) Link{first};
    if (--live_ == 0) reset();
  }

  /// Frees everything: the state is that after construction.
  void reset() {
    fresh_.reset();
    freed_ = {};
    live_ = 0;
  }

  /// The requests of `bytes` that it serves when empty.
  std::size_t capacity(std::size_t bytes) const {
    return bytes > limit_ ? 0 : limit_ / BlockSizes::bytes(BlockSizes::of(bytes));
  }
  /// The largest request that it serves when empty; 0 if none.
  std::size_t largest_request() const {
    if (limit_ < BlockSizes::kGranule) return 0;
    const unsigned above = BlockSizes::of(limit_);
    return BlockSizes::bytes(above) == limit_ ? limit_ : BlockSizes::bytes(above - 1);
  }
  /// Bytes of the buffer that were ever handed out since it was empty.
  std::size_t used() const { return fresh_.used(); }

 private:
  struct Link {
    Link* next;
  };
  static constexpr std::size_t kMostBytes = std::size_t{1} << 47;  // all of a process's addresses on x86-64

  Linear<BlockSizes::kGranule> fresh_;
  std::size_t limit_;
  std::size_t live_ = 0;
  std::array<Link*, BlockSizes::of(kMostBytes) + 1> freed_{};
};

}  // namespace lab::designs
