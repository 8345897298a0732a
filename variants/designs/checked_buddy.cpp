#include "variants/designs/checked_buddy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace lab::designs {

namespace {

std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

[[noreturn]] void stop(const void* block, const std::string& found) {
  fmt::print(stderr, "buddy allocator: free of {}: {}\n", fmt::ptr(block), found);
  std::abort();
}

}  // namespace

CheckedBuddy::CheckedBuddy(const BuddyLayout& layout) : Buddy(layout), live_(layout.leaves) {}

void* CheckedBuddy::allocate(std::size_t bytes) {
  void* const block = Buddy::allocate(bytes);
  if (block != nullptr)
    live_[leaf_of(block)] = static_cast<std::uint8_t>(std::countr_zero(layout().block_bytes(bytes)));
  return block;
}

void CheckedBuddy::free(void* block) {
  if (block == nullptr) return;
  forget(block);
  Buddy::free(block);
}

void CheckedBuddy::free(void* block, std::size_t bytes) {
  if (block == nullptr) return;
  const std::size_t found = std::size_t{1} << forget(block);
  // block_bytes() would overflow for a size that is larger than the tree.
  const std::size_t named = bytes > layout().tree_bytes() ? 0 : layout().block_bytes(bytes);
  if (named != found) stop(block, fmt::format("a size of {} bytes does not match its block of {} bytes", bytes, found));
  Buddy::free(block, bytes);
}

void CheckedBuddy::reset() {
  std::fill(live_.begin(), live_.end(), std::uint8_t{0});
  Buddy::reset();
}

std::size_t CheckedBuddy::leaf_of(const void* block) const {
  return (address_of(block) - address_of(layout().begin)) / layout().leaf_bytes;
}

unsigned CheckedBuddy::forget(const void* block) {
  const std::uintptr_t address = address_of(block);
  if (address < address_of(layout().begin) || address >= address_of(layout().end()) ||
      (address - address_of(layout().begin)) % layout().leaf_bytes != 0 || live_[leaf_of(block)] == 0)
    refuse(block);
  const unsigned log2 = live_[leaf_of(block)];
  live_[leaf_of(block)] = 0;
  return log2;
}

void CheckedBuddy::refuse(const void* block) const {
  const std::uintptr_t address = address_of(block), begin = address_of(layout().begin);
  if (address < begin || address >= address_of(layout().end()))
    stop(block, fmt::format("outside of the buffer ({} to {})", fmt::ptr(layout().begin), fmt::ptr(layout().end())));
  if (address < begin + layout().metadata_leaves() * layout().leaf_bytes) stop(block, "the allocator's own metadata");
  for (std::size_t leaf = leaf_of(block) + 1; leaf-- > 0;) {
    const std::uintptr_t first = begin + leaf * layout().leaf_bytes;
    if (live_[leaf] == 0) continue;
    if (address - first < std::size_t{1} << live_[leaf])
      stop(block,
           fmt::format("{} bytes into a live block of {} bytes", address - first, std::size_t{1} << live_[leaf]));
    break;
  }
  stop(block, "no block is live there (freed twice, or never allocated)");
}

}  // namespace lab::designs
