#include "variants/allocator/family/fit_heap.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/offsets/deferred_fit.h"

namespace lab::allocator {

class DeferredFitSized : public FitHeap<designs::DeferredFit> {
 public:
  using FitHeap::FitHeap;

  void free(void* block, std::size_t bytes) {
    if (block != nullptr) fit_.free(leaf_at(block), leaves_of(bytes));
  }
  double external_fragmentation() const { return FitHeap::external_fragmentation(fit_.fit()); }
  std::map<std::string, double> counters() const { return FitHeap::counters(fit_.fit()); }
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::DeferredFitSized>(
      LAB_VARIANT,
      {.idea =
           "deferred_fit with sized free: free(pointer, size) knows the length and reads no bookkeeping to let a block "
           "wait.",
       .cost = "Allocate and free: mostly a pop and a push on a stack of 8. Memory: as deferred_fit.",
       .source = "Our own; deferred coalescing after Wilson et al., Dynamic Storage Allocation (1995)",
       .weakness = "The same as deferred_fit; also, a wrong size corrupts the heap silently."});
}
