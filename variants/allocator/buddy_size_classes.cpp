#include "variants/allocator/family/registration.h"
#include "variants/allocator/family/size_class_heap.h"

namespace lab::allocator {

class BuddySizeClasses : public SizeClassHeap {
 public:
  using SizeClassHeap::SizeClassHeap;
  void free(void* block) { design_.free(block); }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddySizeClasses>(
      LAB_VARIANT, {.idea = "Requests of up to 8 KiB get blocks of four sizes per doubling, at most 64 in a span from "
                            "the buddy allocator; a "
                            "word has a bit for each free block of a span, and a magazine per size keeps the blocks "
                            "that were freed last.",
                    .cost = "A load, a store and a count as long as the magazine is neither empty nor full; else half "
                            "a magazine at once "
                            "to or from the spans. Memory: 17 bytes per KiB, and 264 bytes per size beside the buffer.",
                    .source = "Ours: slabs over buddies, magazines and span words, each common practice",
                    .weakness = "A span with one live block keeps its memory from all other sizes. Larger requests are "
                                "rounded up to powers of two."});
}
