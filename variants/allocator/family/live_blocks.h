/// The live blocks of an allocator, for the checks that fill them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "variants/allocator/family/subject.h"
#include "variants/common/heaps/ledger.h"

namespace lab::allocator {

/// The live blocks of an allocator. Where it moves them, a block that overlaps another one shows only in its contents.
class LiveBlocks {
 public:
  explicit LiveBlocks(const AnyAllocator& allocator) : allocator_(allocator) {}

  std::string add(void* block, std::size_t bytes) {
    std::uint64_t position = position_of(block);
    if (allocator_.can().relocates) {
      position = next_position_;
      next_position_ += bytes + 1;
    }
    blocks_[position] = block;
    positions_[block] = position;
    return ledger_.add(position, bytes, allocator_.address(block));
  }
  std::string remove(void* block) {
    const std::uint64_t position = positions_.at(block);
    positions_.erase(block);
    blocks_.erase(position);
    return ledger_.remove(position, allocator_.address(block));
  }
  bool empty() const { return ledger_.empty(); }
  std::pair<void*, std::size_t> lowest() const {
    const auto [position, bytes] = ledger_.lowest();
    return {blocks_.at(position), bytes};
  }

 private:
  const AnyAllocator& allocator_;
  LedgerOfPositions ledger_;
  std::map<std::uint64_t, void*> blocks_;
  std::map<void*, std::uint64_t> positions_;
  std::uint64_t next_position_ = 0;
};

}  // namespace lab::allocator
