/// A front of size classes over a buddy allocator: small requests get blocks of 32 sizes, four for each doubling,
/// instead of powers of two.
///
/// - The buddy allocator hands out spans. A span is cut into at most 64 blocks of one size, and one word has a bit for
///   each of them that is free, so that neither a request nor a free looks at the memory of a block.
/// - Each size has a magazine of blocks that were freed last. An empty one takes some from a span with free blocks, or
///   from a new span. A full one returns its older half. A span without blocks in use goes back to the buddy allocator.
/// - If the buddy allocator has no whole span left, half a span serves, or a quarter, and so on.
/// - Larger requests go to the buddy allocator directly.
/// - All magazines return everything before a request is refused, and when the last live block is freed. So no request
///   is refused because of a magazine, and the empty allocator is in its initial state.
///
/// Cost: a load, a store and a count as long as the magazine is neither empty nor full. free(block) looks up the size
/// in a byte for each kilobyte; free(block, bytes) computes it. Memory: the buddy allocator's bits and 17 bytes for
/// each kilobyte, all in the first bytes of the buffer; beside it the magazines.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "variants/designs/addresses/checked_buddy.h"
#include "variants/designs/addresses/magazine.h"
#include "variants/designs/offsets/block_sizes.h"

namespace lab::designs {

/// Not thread-safe. The buffer must outlive the allocator, which does not free it.
class SizeClassBuddy {
 public:
  static constexpr std::size_t kLeafBytes = 1024;       ///< of the buddy allocator
  static constexpr std::size_t kMostSmallBytes = 8192;  ///< a larger request goes to the buddy allocator

  /// Where its data lie in a buffer.
  struct Plan {
    std::byte* tables = nullptr;  ///< table_bytes of the buffer
    std::size_t table_bytes = 0;
    BuddyLayout layout;   ///< of the rest
    std::string refusal;  ///< one sentence about why there is no plan; "" if there is one
  };
  static Plan plan(void* buffer, std::size_t bytes);

  explicit SizeClassBuddy(const Plan& plan);
  SizeClassBuddy(const SizeClassBuddy&) = delete;
  SizeClassBuddy& operator=(const SizeClassBuddy&) = delete;

  /// A block of at least `bytes` (0 counts as 1), or nullptr. The contents are indeterminate.
  void* allocate(std::size_t bytes) {
    if (bytes > kMostSmallBytes) [[unlikely]]
      return allocate_large(bytes);
    const unsigned size_class = BlockSizes::of(bytes);
    Magazine& magazine = magazines_[size_class];
    if (magazine.empty()) [[unlikely]]
      if (!refill(size_class)) return nullptr;
    ++live_;
    return magazine.pop();
  }

  /// Frees a block of allocate(); ignores nullptr. Freeing anything else is undefined.
  void free(void* block) {
    if (block == nullptr) return;
    const unsigned size_class = classes_[leaf_of(block)];
    if (size_class == kLarge) [[unlikely]]
      return free_large(block);
    free_small(block, size_class);
  }
  /// The same without the look-up. `bytes` is the requested size, or any other with the same block_bytes().
  void free(void* block, std::size_t bytes) {
    if (block == nullptr) return;
    if (bytes > kMostSmallBytes) [[unlikely]]
      return free_large(block);
    assert(classes_[leaf_of(block)] == BlockSizes::of(bytes));
    free_small(block, BlockSizes::of(bytes));
  }

  /// Frees everything: the state is that after construction.
  void reset();
  /// Empties all magazines into their spans.
  void flush();

  /// The size of the block for a request of 0 to largest_request() bytes. The caller may use all of it.
  std::size_t block_bytes(std::size_t bytes) const;
  /// The size of a live block, which free(block) looks up too.
  std::size_t block_bytes_of(const void* block) const {
    const unsigned size_class = classes_[leaf_of(block)];
    return size_class == kLarge ? buddy_.find_live(block).size() : BlockSizes::bytes(size_class);
  }
  /// The alignment of a block of `bytes`, a power of two.
  std::size_t alignment(std::size_t bytes) const;
  /// The largest request that it serves when empty.
  std::size_t largest_request() const { return buddy_.layout().largest_request(); }
  /// How many requests of `bytes` it serves when empty.
  std::size_t capacity(std::size_t bytes) const;
  /// The size of the buddy allocator's tree.
  std::size_t tree_bytes() const { return buddy_.layout().tree_bytes(); }
  /// Bytes of the buffer that hold its tables and the bits of the buddy allocator.
  std::size_t metadata_bytes() const { return table_bytes_ + buddy_.layout().metadata_bytes(); }

  /// Calls visit(block, bytes) for every free block: of the buddy allocator, in a span, in a magazine.
  template <typename Visit>
  void for_each_free(Visit visit) const {
    buddy_.for_each_free(visit);
    for (unsigned size_class = 0; size_class < kClasses; ++size_class) {
      const std::size_t bytes = BlockSizes::bytes(size_class);
      magazines_[size_class].for_each([&](const void* block) { visit(block, bytes); });
      for (Index span = partial_[size_class]; span != kNone; span = spans_[span].next)
        for (std::uint64_t free = spans_[span].free; free != 0; free &= free - 1)
          visit(begin_of(span) + static_cast<std::size_t>(std::countr_zero(free)) * bytes, bytes);
    }
  }

 private:
  using Index = std::uint32_t;  // of a leaf; a span has that of its first leaf
  static constexpr Index kNone = ~Index{0};
  static constexpr unsigned kClasses = BlockSizes::of(kMostSmallBytes) + 1;
  static constexpr std::uint8_t kLarge = 0xff;
  static constexpr std::uint32_t kRefill = Magazine::kBlocks / 2;

  /// A span whose class's list it is in has at least one free block.
  struct Span {
    std::uint64_t free;  // bit i: block i is neither in use nor in the magazine
    Index next, previous;
  };

  static std::size_t span_bytes(unsigned size_class);
  static std::uint64_t all_blocks(std::size_t span_bytes, std::size_t block_bytes);

  std::size_t leaf_of(const void* block) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - begin_) / kLeafBytes;
  }
  std::byte* begin_of(Index span) const { return begin_ + std::size_t{span} * kLeafBytes; }

  void free_small(void* block, unsigned size_class) {
    Magazine& magazine = magazines_[size_class];
    if (magazine.full()) [[unlikely]]
      return_oldest(size_class, Magazine::kBlocks / 2);
    magazine.push(block);
    forget_live();
  }
  void forget_live() {
    assert(live_ > 0);
    if (--live_ == 0) flush();
  }

  void* allocate_large(std::size_t bytes);
  void free_large(void* block);
  bool refill(unsigned size_class);
  bool add_span(unsigned size_class);
  void return_oldest(unsigned size_class, std::uint32_t count);
  void return_block(const std::byte* block, unsigned size_class);
  void link(Index span, unsigned size_class);
  void unlink(Index span, unsigned size_class);

  std::byte* begin_;  // of the first leaf
  std::size_t table_bytes_;
  std::size_t live_ = 0;
  std::uint8_t* classes_;                // by leaf: the class of the span that contains it, or kLarge
  Span* spans_;                          // by leaf
  std::array<Index, kClasses> partial_;  // the spans of a class that have free blocks
  std::array<Magazine, kClasses> magazines_;
  BuddyOfBuild buddy_;
};

}  // namespace lab::designs
