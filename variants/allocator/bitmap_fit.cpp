#include "variants/designs/offsets/bitmap_fit.h"

#include "variants/allocator/family/fit_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class BitmapFit : public FitHeap<designs::BitmapFit> {
 public:
  using FitHeap::FitHeap;

  void free(void* block) {
    if (block != nullptr) fit_.free(leaf_at(block));
  }
  double external_fragmentation() const { return FitHeap::external_fragmentation(fit_); }
  std::map<std::string, double> counters() const { return FitHeap::counters(fit_); }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BitmapFit>(
      LAB_VARIANT,
      {.idea =
           "Best fit over runs of 64-byte leaves. Bitmaps apart from the blocks show sizes and free neighbours; the "
           "longest free run of each 4 KiB page is listed by its size.",
       .cost = "Allocate and free(pointer): a bit scan and an update of up to three pages' words. Memory: 1 % for the "
               "bookkeeping, and sizes rounded up to 64 bytes.",
       .source = "Our own; best fit with exact classes after Wilson et al., Dynamic Storage Allocation (1995)",
       .weakness = "Merges at once, even if the next request has the same size. Blocks are aligned to 64 bytes at "
                   "most, and each small request takes a leaf."});
}
