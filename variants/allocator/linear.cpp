#include "variants/allocator/family/linear_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LinearHeap<designs::Linear<16>, 16>>(
      LAB_VARIANT, {.idea = "A pointer advances through a buffer; resetting it frees everything at once.",
                    .cost = "Allocate: an addition and a comparison. Reset: one store. No metadata.",
                    .source = "Common practice for memory that lives for one frame",
                    .weakness = "Cannot free a single block; the buffer must hold all requests of a frame."});
}
