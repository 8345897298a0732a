// Loses contents: free clears the last byte of the block before, too.
// Fails: contents are kept
#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Forgetful : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void free(void* block) {
    if (block == nullptr) return;
    auto* const begin = static_cast<std::byte*>(block);
    if (begin > buddy_.begin() + buddy_.layout().reserved_leaves * kLeafBytes) begin[-1] = std::byte{0};
    buddy_.free(block);
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Forgetful>(LAB_VARIANT, {});
}
