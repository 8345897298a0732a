// Divides its whole buffer by a block's size for its capacity, and forgets the metadata that lie there.
// Fails: the capacity is as reported
#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class OverstatesCapacity : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void free(void* block) { buddy_.free(block); }
  std::size_t capacity(std::size_t bytes) const {
    const designs::BuddyLayout& layout = buddy_.layout();
    return bytes > largest_request() ? 0 : layout.leaves * layout.leaf_bytes / layout.block_bytes(bytes);
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::OverstatesCapacity>(LAB_VARIANT, {});
}
