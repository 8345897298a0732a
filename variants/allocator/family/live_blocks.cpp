#include "variants/allocator/family/live_blocks.h"

#include <fmt/format.h>

namespace lab::allocator {

std::string refused(std::size_t bytes) {
  return fmt::format("a request of {} bytes returned null", bytes);
}

std::string served(std::size_t bytes) {
  return fmt::format("a request of {} bytes returned a block, expected null", bytes);
}

void free_all(AnyAllocator& allocator, const SizedBlocks& blocks) {
  if (!allocator.can().frees_blocks) return allocator.reset();
  for (const auto& [block, bytes] : blocks) allocator.free(block, bytes);
}

std::string LiveBlocks::add(void* block, std::size_t bytes) {
  std::uint64_t position = position_of(block);
  if (allocator_.can().relocates) {
    position = next_position_;
    next_position_ += bytes + 1;
  }
  blocks_[position] = block;
  positions_[block] = position;
  return ledger_.add(position, bytes, allocator_.address(block));
}

std::string LiveBlocks::remove(void* block) {
  const std::uint64_t position = positions_.at(block);
  positions_.erase(block);
  blocks_.erase(position);
  return ledger_.remove(position, allocator_.address(block));
}

std::string LiveBlocks::allocate(std::size_t bytes) {
  void* const block = allocator_.allocate(bytes);
  return block == nullptr ? refused(bytes) : add(block, bytes);
}

std::string LiveBlocks::free_all() {
  std::string failure;
  while (!empty()) {
    const std::size_t bytes = ledger_.lowest().second;
    void* const block = lowest();
    std::string found = remove(block);
    if (failure.empty()) failure = std::move(found);
    if (allocator_.can().frees_blocks) allocator_.free(block, bytes);
  }
  if (!allocator_.can().frees_blocks) allocator_.reset();
  return failure;
}

std::string LiveBlocks::remove_all() {
  std::string failure;
  while (!empty() && failure.empty()) failure = remove(lowest());
  return failure;
}

}  // namespace lab::allocator
