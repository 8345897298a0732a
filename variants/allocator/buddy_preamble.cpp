#include "variants/allocator/family/ladder_heap.h"
#include "variants/allocator/family/registration.h"

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LadderHeap<designs::BuddyPreamble>>(
      LAB_VARIANT,
      {.idea = "Buddy with an XOR bit per pair: 16 bytes before each block hold its size; free(pointer).",
       .cost = "As buddy_xor, and a load from the block. Memory: half a bit per block, 16 bytes in every block.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015)",
       .weakness = "A request of 4 KiB takes a block of 8 KiB, and memory is aligned to 16 bytes only."});
}
