// Gives blocks of more than a page 8 bytes after the alignment that it promises.
// Fails: blocks are aligned as promised
#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Misaligned : public BuddyHeap {
 public:
  using BuddyHeap::BuddyHeap;
  void* allocate(std::size_t bytes) {
    if (bytes <= kPageBytes || bytes > largest_request() - 8) return buddy_.allocate(bytes);
    auto* const block = static_cast<std::byte*>(buddy_.allocate(bytes + 8));
    return block == nullptr ? nullptr : block + 8;
  }
  void free(void* block, std::size_t bytes) {
    if (bytes <= kPageBytes || bytes > largest_request() - 8) return buddy_.free(block, bytes);
    if (block != nullptr) buddy_.free(static_cast<std::byte*>(block) - 8, bytes + 8);
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Misaligned>(LAB_VARIANT, {});
}
