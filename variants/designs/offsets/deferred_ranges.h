/// Best fit over offsets whose freed parts wait for the next request of their size before they merge.
///
/// Idea: while at most two thirds of the range are used, requests are rounded up to size classes, and a freed part goes
/// on the stack of its class, where the next request of the class finds it. Only an empty stack asks best fit
/// (best_fit.h), and only a full one merges parts: the older half. Above two thirds, requests are not rounded and freed
/// parts merge at once. Before a request is refused, all stacks are merged and it is tried again. So whatever best fit
/// would serve in the same free memory is served.
/// Cost: a push or a pop, which read and write the part's node and the stack; otherwise best fit's, and at most
/// kMostWaiting merges in one call. 4 KB of stacks. Rounding: none up to 16 blocks, then eight classes for each
/// doubling, so a part has less than 1/8 more than its request in whole blocks.
/// Source: deferred coalescing and "quick lists": Wilson et al., "Dynamic Storage Allocation: A Survey and Critical
/// Review" (1995). Beyond it: neither rounding nor waiting when the range fills up. Without that rule, random requests
/// needed 1.3 to 1.4 times what is live; best fit needs 1.15 times. Two thirds leave room for the former.
/// Weakness: a range that is nearly full has the times of best fit or slightly worse ones, and so has one that is asked
/// for large alignments that its waiting parts do not have. A request from a stack does not choose its place.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "variants/designs/offsets/best_fit.h"
#include "variants/designs/offsets/range_allocator.h"
#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {

/// Models RangeAllocator. A waiting part is free memory in all that it reports.
class DeferredRanges {
 public:
  static constexpr std::uint32_t kDepth = 32;          ///< parts that wait in one class
  static constexpr std::uint32_t kMostWaiting = 1024;  ///< in all classes

  /// As BestFit's.
  DeferredRanges(std::uint64_t capacity, std::uint64_t block_bytes)
      : block_log2_(static_cast<unsigned>(std::countr_zero(block_bytes))),
        roomy_bytes_(capacity - capacity / 3),
        fit_(capacity, block_bytes) {}

  /// With an alignment above the block size, a waiting part serves if it happens to be aligned.
  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment = 1) {
    bytes += bytes == 0;
    const unsigned size_class = class_holding(bytes);
    Stack& stack = stacks_[size_class];
    RangeNodes& nodes = fit_.nodes();
    const Token part = stack.top;
    if (part == kNoToken || (nodes[part].offset & (alignment - 1)) != 0) [[unlikely]]
      return allocate_below(bytes, alignment, size_class);
    stack.top = nodes.kept_with(part);
    --stack.count;
    --waiting_;
    return nodes.reuse(part, bytes);
  }
  // Parts that were not rounded, and a short last block, are between two classes.
  void free(Suballocation taken) {
    const auto part = static_cast<Token>(taken.token);
    const std::uint64_t bytes = fit_.nodes()[part].bytes();
    const unsigned size_class = class_holding(bytes);
    if (Classes::of(bytes >> block_log2_) != size_class || used_bytes() > roomy_bytes_) [[unlikely]]
      return fit_.free(taken);
    if (stacks_[size_class].count == kDepth || waiting_ == kMostWaiting) [[unlikely]]
      make_room(size_class);
    push(size_class, part);
  }

  /// Merges all parts that wait. That changes nothing but times and places.
  void merge();

  std::uint64_t capacity() const { return fit_.capacity(); }
  std::size_t used_count() const { return fit_.used_count(); }
  std::uint64_t used_bytes() const { return fit_.used_bytes(); }
  std::uint64_t requested_bytes() const { return fit_.requested_bytes(); }
  std::size_t waiting_count() const { return waiting_; }
  /// What merge() would leave as the largest space: a request of it is served. O(n), so that asking changes nothing.
  std::uint64_t largest_free() const;
  std::uint64_t free_tail_bytes() const { return fit_.free_tail_bytes(); }
  std::size_t metadata_bytes() const { return sizeof *this - sizeof fit_ + fit_.metadata_bytes(); }

  /// Spaces and waiting parts that touch are one free space, because a request of all of it would be served.
  template <typename Visit>
  void for_each(Visit visit) const {
    OffsetRange space;
    const auto end_space = [&] {
      if (space.bytes != 0) visit(std::as_const(space));
      space = {};
    };
    fit_.for_each([&](const OffsetRange& range) {
      if (range.used) {
        end_space();
        visit(range);
      } else {
        if (space.bytes == 0) space.offset = range.offset;
        space.bytes += range.bytes;
      }
    });
    end_space();
  }

 private:
  using Token = BestFit::Token;
  static constexpr Token kNoToken = BestFit::kNoToken;
  using Classes = SizeBins<3, std::uint64_t>;
  static constexpr unsigned kClasses = Classes::kCount + 1;  // of() + 1 may be kCount
  static constexpr unsigned kGroup = 8, kGroups = (kClasses + kGroup - 1) / kGroup;
  static_assert(kGroups <= 64);

  struct Stack {
    Token top = kNoToken;  // each part is kept with the token of the one below it
    std::uint32_t count = 0;
  };

  unsigned class_holding(std::uint64_t bytes) const { return Classes::of((bytes - 1) >> block_log2_) + 1; }
  std::uint64_t bytes_of(unsigned size_class) const { return Classes::smallest(size_class) << block_log2_; }

  void push(unsigned size_class, Token part) {
    Stack& stack = stacks_[size_class];
    fit_.nodes().keep(part, stack.top);
    stack.top = part;
    ++stack.count;
    ++waiting_;
    groups_ |= std::uint64_t{1} << (size_class / kGroup);
  }
  Suballocation allocate_below(std::uint64_t bytes, std::uint64_t alignment, unsigned size_class);
  void make_room(unsigned size_class);
  /// Merges all parts of a stack but the upper `kept`.
  void merge_below(Stack& stack, std::uint32_t kept);

  unsigned block_log2_;
  std::uint32_t waiting_ = 0;
  std::uint64_t roomy_bytes_;
  std::uint64_t groups_ = 0;  // bit i: a stack of i * kGroup and the following may have parts
  BestFit fit_;
  std::array<Stack, kGroups * kGroup> stacks_{};
};

}  // namespace lab::designs
