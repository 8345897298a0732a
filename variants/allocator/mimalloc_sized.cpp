#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/third_party_heap.h"
#include "variants/common/mallocs/mimalloc.h"

namespace lab::allocator {

class MimallocVariantSized : public ThirdPartyHeap<Mimalloc> {
 public:
  using ThirdPartyHeap::ThirdPartyHeap;
  void free(void* block, std::size_t bytes) { mi_free_size(block, bytes); }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::MimallocVariantSized>(
      LAB_VARIANT,
      {.idea = "mimalloc with sized free: mi_free_size, which in this version checks the size in debug builds only.",
       .cost = "The same as mimalloc.",
       .source = "mimalloc's extended interface, mi_free_size",
       .weakness = "The same as mimalloc: the page is found from the address anyway, so the size saves nothing."});
}
