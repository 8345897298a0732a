#include <algorithm>

#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/third_party_heap.h"
#include "variants/common/mallocs/jemalloc.h"

namespace lab::allocator {

class JemallocVariantSized : public ThirdPartyHeap<Jemalloc> {
 public:
  using ThirdPartyHeap::ThirdPartyHeap;
  void free(void* block, std::size_t bytes) {
    // sdallocx accepts neither nullptr nor a size of 0.
    if (block != nullptr) sdallocx(block, std::max<std::size_t>(bytes, 1), 0);
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::JemallocVariantSized>(
      LAB_VARIANT, {.idea = "jemalloc with sized free: sdallocx computes the size class and does not look it up.",
                    .cost = "The same as jemalloc, without the search of the radix tree in a free.",
                    .source = "jemalloc's extended interface, sdallocx",
                    .weakness = "The same as jemalloc; also, a wrong size is undefined."});
}
