#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/third_party_heap.h"
#include "variants/common/mallocs/tcmalloc.h"

namespace lab::allocator {

class TcmallocVariantSized : public ThirdPartyHeap<Tcmalloc> {
 public:
  using ThirdPartyHeap::ThirdPartyHeap;
  void free(void* block, std::size_t bytes) { tc_free_sized(block, bytes); }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::TcmallocVariantSized>(
      LAB_VARIANT, {.idea = "tcmalloc with sized free: tc_free_sized computes the size class and does not look it up.",
                    .cost = "The same as tcmalloc, without the look-up of the page in a free.",
                    .source = "gperftools' extended interface, tc_free_sized",
                    .weakness = "The same as tcmalloc; also, a wrong size corrupts the heap silently."});
}
