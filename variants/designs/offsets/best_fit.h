/// A best-fit allocator over offsets: of all free spaces that hold a request it takes the smallest.
///
/// Idea: the range consists of blocks of one size, so every offset is a multiple of it and a suitable alignment never
/// costs a gap. A freed part merges with the free space before it and the one behind it, so that two free spaces never
/// touch. Used parts and free spaces are one list by place, for merging. Free spaces are also in bins by their number
/// of blocks (size_bins.h): below 64 blocks a bin for each number, above it 32 for each doubling, in ascending order.
/// Of equal spaces, the one that was freed last serves first.
/// Cost: O(1), and in bins of several sizes one step for each smaller space of the same bin, which is within 3 % of the
/// size. 32 bytes for each part and space, 8 KB of heads. The range itself is never touched.
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023), which asks for best fit with merging and expects O(n)
/// over few free spaces. Bins: Masmano et al., "TLSF" (2004), which takes the first space of a larger bin instead.
/// Weakness: a request that is not a multiple of the block size wastes the rest of its last block, and best fit leaves
/// small free spaces behind. Thousands of free spaces of nearly the same large size cost a walk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "variants/designs/offsets/range_allocator.h"
#include "variants/designs/offsets/size_bins.h"

namespace lab::designs {

/// Models RangeAllocator. Copies are independent, and tokens of one are valid for the other.
class BestFit {
 public:
  using Token = std::uint32_t;
  static constexpr std::uint64_t kNone = Suballocation::kNone;

  static constexpr std::uint64_t kMostBlockBytes = std::uint64_t{1} << 32;

  /// If `capacity` is no multiple of the block size (a power of two), the last block is shorter.
  BestFit(std::uint64_t capacity, std::uint64_t block_bytes);

  /// The alignment may be at most the block size. Used parts have whole blocks, but a request that reaches into a short
  /// last block ends with it. So the empty allocator serves a request of capacity() bytes.
  Suballocation allocate(std::uint64_t bytes, std::uint64_t alignment = 1);
  void free(Suballocation taken) { free(taken.token); }
  /// The free space that results, merged with its neighbours, has the token of what was freed.
  void free(Token used);

  /// The same at a given place: not served, and no change, if it is not free or `offset` is no multiple of the block
  /// size. O(n).
  Suballocation allocate_at(std::uint64_t offset, std::uint64_t bytes);
  /// The same at the beginning of a free space, which holds `bytes`: a result of lowest_fit() or smallest_fit(). O(1).
  Suballocation allocate_in(Token space, std::uint64_t bytes);

  /// The lowest free space that holds `bytes`, or kNoToken. O(n).
  Token lowest_fit(std::uint64_t bytes) const;
  /// The free space that allocate(bytes) would take, or kNoToken.
  Token smallest_fit(std::uint64_t bytes) const;
  /// The used part that begins at `offset`; not served if none does. O(n).
  Suballocation used_at(std::uint64_t offset) const;
  /// The used part or the free space of a token.
  OffsetRange range_of(Token token) const { return range(nodes_[token]); }

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t block_bytes() const { return std::uint64_t{1} << block_log2_; }
  std::uint64_t used_bytes() const { return used_bytes_; }
  std::uint64_t free_bytes() const { return capacity_ - used_bytes_; }
  std::uint64_t requested_bytes() const { return requested_bytes_; }
  std::size_t used_count() const { return used_count_; }
  std::size_t free_count() const { return free_count_; }
  std::uint64_t largest_free() const;
  /// Bytes of the last block if it is short and free. Only a request that is no multiple of the block size can use it.
  std::uint64_t free_tail_bytes() const;
  std::size_t metadata_bytes() const { return sizeof *this + nodes_.capacity() * sizeof(Node); }

  template <typename Visit>
  void for_each(Visit visit) const {
    for_each_token([&](Token, const OffsetRange& part) { visit(part); });
  }
  /// Calls visit(token, OffsetRange).
  template <typename Visit>
  void for_each_token(Visit visit) const {
    for (Token at = first_; at != kNoToken; at = nodes_[at].next) visit(at, range(nodes_[at]));
  }

  static constexpr Token kNoToken = ~Token{0};

 private:
  using Bins = SizeBins<5, std::uint64_t>;
  static constexpr unsigned kBins = Bins::of(~std::uint64_t{0}) + 1;

  // A used part or a free space. Of two neighbours, one at most is free.
  struct Node {
    std::uint64_t offset, bytes;
    Token previous, next;  // by place
    // Of a free space: its bin's list, in ascending order of bytes. Of a used part: bytes that were not requested, and
    // kUsed. Of a node that is neither: the next such node.
    Token bin_previous, bin_next;
  };
  static constexpr Token kUsed = kNoToken - 1;

  static OffsetRange range(const Node& node) {
    return node.bin_next == kUsed ? OffsetRange{node.offset, node.bytes, node.bytes - node.bin_previous, true}
                                  : OffsetRange{node.offset, node.bytes};
  }
  std::uint64_t blocks(std::uint64_t bytes) const { return ((bytes - 1) >> block_log2_) + 1; }
  bool is_free(Token at) const { return at != kNoToken && nodes_[at].bin_next != kUsed; }

  Suballocation take(Token space, std::uint64_t offset, std::uint64_t bytes);
  Token create();
  void put_in_bin(Token space);
  void take_from_bin(Token space);

  std::uint64_t capacity_;
  unsigned block_log2_;
  std::uint64_t used_bytes_ = 0, requested_bytes_ = 0;
  std::size_t used_count_ = 0, free_count_ = 0;
  Token first_ = 0;             // by place
  Token unused_ = kNoToken;     // nodes that are neither a used part nor a free space
  std::vector<Node> nodes_;
  BinSet<kBins> nonempty_;
  std::array<Token, kBins> bins_;  // the smallest space of each
};

/// How far free memory is from one contiguous space: 1 - largest / total, so 0 is one space. 0 if nothing is free.
inline double fragmentation(std::uint64_t largest_free, std::uint64_t free_bytes) {
  return free_bytes == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free_bytes);
}

}  // namespace lab::designs
