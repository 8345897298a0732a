/// A best-fit allocator over offsets: of all free spaces that hold a request it takes the smallest, and of equal ones
/// the lowest.
///
/// Idea: the range consists of blocks of one size, so every offset is a multiple of it and a suitable alignment never
/// costs a gap. A freed range merges with the free space before it and the one behind it, so that two free spaces never
/// touch. Free spaces are ordered by place, for merging, and by size, for the search.
/// Cost: allocate and free are O(log n) for n used ranges and free spaces. The range itself is never touched.
/// Source: "Vulkan Memory Allocation (Part 1 of N)" (io7m, 2023), which asks for best fit with merging and expects O(n)
/// over few free spaces. Here the search is O(log n), so many free spaces cost little.
/// Weakness: a request that is not a multiple of the block size wastes the rest of its last block, and best fit leaves
/// small free spaces behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace lab::designs {

/// Not thread-safe. Copies are independent.
class BestFit {
 public:
  using Offset = std::uint64_t;
  static constexpr Offset kNone = ~Offset{0};

  /// A used range or a free space.
  struct Range {
    Offset offset = 0;
    std::uint64_t bytes = 0;      ///< whole blocks, except for the last range of all
    std::uint64_t requested = 0;  ///< by the caller; 0 for a free space
    bool used = false;
    Offset end() const { return offset + bytes; }
    bool operator==(const Range&) const = default;
  };

  /// Over the offsets from 0 to `bytes`, in blocks of `block_bytes` (at least 1). If `bytes` is no multiple of it, the
  /// last block is shorter.
  BestFit(std::uint64_t bytes, std::uint64_t block_bytes);

  /// The offset of a range for `bytes` (0 counts as 1), or kNone if no free space holds them. The range has whole
  /// blocks, but a request that reaches into a short last block ends with it. So the empty allocator serves a request
  /// of capacity() bytes.
  Offset allocate(std::uint64_t bytes);

  /// The same at a given place: false, and no change, if it is not free or `offset` is no multiple of the block size.
  bool allocate_at(Offset offset, std::uint64_t bytes);

  /// Frees the range that begins at `offset`: false, and no change, if none does.
  bool free(Offset offset);

  /// The lowest offset at which `bytes` could be allocated now, or kNone.
  Offset lowest_fit(std::uint64_t bytes) const;
  /// The offset that allocate(bytes) would return, or kNone.
  Offset smallest_fit(std::uint64_t bytes) const;
  /// The used range that begins at `offset`. If none does: a Range that is not used.
  Range used_range(Offset offset) const;

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t block_bytes() const { return block_bytes_; }
  std::uint64_t used_bytes() const { return used_bytes_; }  ///< rounding included
  std::uint64_t free_bytes() const { return capacity_ - used_bytes_; }
  std::uint64_t requested_bytes() const { return requested_bytes_; }
  std::size_t used_count() const { return used_.size(); }
  std::size_t free_count() const { return free_.size(); }
  /// The largest request that would succeed now; 0 if none.
  std::uint64_t largest_free() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }
  /// Bytes of the last block if it is short and free. Only a request that is no multiple of the block size can use it.
  std::uint64_t free_tail_bytes() const;

  /// Calls visit(Range) for every used range and every free space, by offset. Together they are the whole range.
  template <typename Visit>
  void for_each(Visit visit) const {
    auto space = free_.begin();
    for (const auto& [offset, taken] : used_) {
      for (; space != free_.end() && space->first < offset; ++space) visit(Range{space->first, space->second});
      visit(Range{offset, taken.bytes, taken.requested, true});
    }
    for (; space != free_.end(); ++space) visit(Range{space->first, space->second});
  }

 private:
  struct Taken {
    std::uint64_t bytes, requested;
  };
  using Spaces = std::map<Offset, std::uint64_t>;

  void take(Spaces::iterator space, Offset offset, std::uint64_t bytes);
  void add_space(Offset offset, std::uint64_t bytes);
  void remove_space(Spaces::iterator space);

  std::uint64_t capacity_, block_bytes_;
  std::uint64_t used_bytes_ = 0, requested_bytes_ = 0;
  std::map<Offset, Taken> used_;
  Spaces free_;                                         // bytes by offset
  std::set<std::pair<std::uint64_t, Offset>> by_size_;  // the same spaces: bytes, offset
};

/// How far free memory is from one contiguous space: 1 - largest / total, so 0 is one space. 0 if nothing is free.
inline double fragmentation(std::uint64_t largest_free, std::uint64_t free_bytes) {
  return free_bytes == 0 ? 0 : 1 - static_cast<double>(largest_free) / static_cast<double>(free_bytes);
}

}  // namespace lab::designs
