/// Tracks live blocks and finds those that overlap, or whose contents change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "variants/common/heaps/handle.h"

namespace lab {

/// The live blocks by position, whatever a position is.
class LedgerOfPositions {
 public:
  /// Fills all of `contents` with a pattern of the block's own; nullptr: the block is not touched. Returns "", or which
  /// live block it overlaps.
  std::string add(std::uint64_t begin, std::size_t bytes, void* contents);
  /// Removes the block at `begin`. Returns "", or how `contents` differ from the pattern; nullptr: no look at them.
  std::string remove(std::uint64_t begin, const void* contents);

  bool empty() const { return blocks_.empty(); }
  /// Position and size of the lowest block; there must be one.
  std::pair<std::uint64_t, std::size_t> lowest() const;

 private:
  struct Entry {
    std::size_t bytes;
    std::uint64_t pattern;
  };
  std::map<std::uint64_t, Entry> blocks_;
  std::uint64_t patterns_ = 0;
};

/// The same for blocks that are named by their addresses or by offsets.
template <BlockHandle H>
class Ledger {
 public:
  /// Over offsets, `memory` is what lies at offset 0; nullptr: no block is touched, and only overlap is found.
  explicit Ledger(void* memory = nullptr) : memory_(static_cast<std::byte*>(memory)) {}

  std::string add(H begin, std::size_t bytes) { return ledger_.add(position_of(begin), bytes, contents(begin)); }
  std::string remove(H begin) { return ledger_.remove(position_of(begin), contents(begin)); }
  bool empty() const { return ledger_.empty(); }
  std::pair<H, std::size_t> lowest() const {
    const auto [position, bytes] = ledger_.lowest();
    return {handle_at<H>(position), bytes};
  }

 private:
  void* contents(H begin) const {
    if constexpr (std::is_pointer_v<H>)
      return begin;
    else
      return memory_ == nullptr ? nullptr : memory_ + begin;
  }

  LedgerOfPositions ledger_;
  std::byte* memory_;
};

}  // namespace lab
