// Keeps four freed blocks of a size for the next requests of that size, even when a larger request fails for want of
// them.
// Fails: freeing everything restores the initial state
#include <array>
#include <bit>
#include <vector>

#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class KeepsFreed : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void* allocate(std::size_t bytes) {
    if (bytes > largest_request()) return nullptr;
    std::vector<void*>& kept = kept_of(bytes);
    if (kept.empty()) return buddy_.allocate(bytes);
    void* const block = kept.back();
    kept.pop_back();
    return block;
  }
  void free(void* block, std::size_t bytes) {
    if (block == nullptr) return;
    std::vector<void*>& kept = kept_of(bytes);
    if (kept.size() < 4)
      kept.push_back(block);
    else
      buddy_.free(block, bytes);
  }

 private:
  std::vector<void*>& kept_of(std::size_t bytes) {
    return kept_[static_cast<std::size_t>(std::countr_zero(occupied(nullptr, bytes)))];
  }

  std::array<std::vector<void*>, 8 * sizeof(std::size_t)> kept_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::KeepsFreed>(LAB_VARIANT, {});
}
