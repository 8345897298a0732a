/// The live blocks of an allocator, for the checks that fill them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "variants/allocator/family/subject.h"
#include "variants/common/heaps/ledger.h"

namespace lab::allocator {

// What is wrong with a request.
std::string refused(std::size_t bytes);
std::string served(std::size_t bytes);

/// Blocks and the bytes that were requested. Frees them, or resets an allocator that frees no single blocks.
using SizedBlocks = std::vector<std::pair<void*, std::size_t>>;
void free_all(AnyAllocator& allocator, const SizedBlocks& blocks);

/// The live blocks of an allocator. Where it moves them, a block that overlaps another one shows only in its contents.
class LiveBlocks {
 public:
  explicit LiveBlocks(AnyAllocator& allocator) : allocator_(allocator) {}

  std::string add(void* block, std::size_t bytes);
  std::string remove(void* block);
  bool empty() const { return ledger_.empty(); }

  /// Requests a block and adds it. Returns "", or that there is none, or which live block it overlaps.
  std::string allocate(std::size_t bytes);
  /// Removes and frees every block. Returns the first difference in contents, or "".
  std::string free_all();
  /// Removes every block up to the first difference in contents, which it returns, or "". Frees none.
  std::string remove_all();

 private:
  void* lowest() const { return blocks_.at(ledger_.lowest().first); }

  AnyAllocator& allocator_;
  LedgerOfPositions ledger_;
  std::map<std::uint64_t, void*> blocks_;
  std::map<void*, std::uint64_t> positions_;
  std::uint64_t next_position_ = 0;
};

}  // namespace lab::allocator
