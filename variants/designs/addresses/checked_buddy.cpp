#include "variants/designs/addresses/checked_buddy.h"

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
  std::fprintf(stderr, "buddy allocator: free of %p: %s\n", block, found.c_str());
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
  if (named != found)
    stop(block, "a size of " + std::to_string(bytes) + " bytes does not match its block of " + std::to_string(found) +
                    " bytes");
  Buddy::free(block, bytes);
}

void CheckedBuddy::reset() {
  std::fill(live_.begin(), live_.end(), std::uint8_t{0});
  Buddy::reset();
}

std::size_t CheckedBuddy::leaf_of(const void* block) const {
  return (address_of(block) - layout().begin) / layout().leaf_bytes;
}

unsigned CheckedBuddy::forget(const void* block) {
  const std::uintptr_t address = address_of(block);
  if (address < layout().begin || address >= layout().end() || (address - layout().begin) % layout().leaf_bytes != 0 ||
      live_[leaf_of(block)] == 0)
    refuse(block);
  const unsigned log2 = live_[leaf_of(block)];
  live_[leaf_of(block)] = 0;
  return log2;
}

void CheckedBuddy::refuse(const void* block) const {
  const std::uintptr_t address = address_of(block), begin = layout().begin;
  if (address < begin || address >= layout().end())
    stop(block, "outside of the buffer of " + std::to_string(layout().end() - begin) + " bytes");
  if (address < begin + layout().reserved_leaves * layout().leaf_bytes) stop(block, "the allocator's own metadata");
  for (std::size_t leaf = leaf_of(block) + 1; leaf-- > 0;) {
    const std::uintptr_t first = begin + leaf * layout().leaf_bytes;
    if (live_[leaf] == 0) continue;
    if (address - first < std::size_t{1} << live_[leaf])
      stop(block, std::to_string(address - first) + " bytes into a live block of " +
                      std::to_string(std::size_t{1} << live_[leaf]) + " bytes");
    break;
  }
  stop(block, "no block is live there (freed twice, or never allocated)");
}

}  // namespace lab::designs
