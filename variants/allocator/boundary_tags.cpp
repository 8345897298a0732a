#include "variants/designs/addresses/boundary_tags.h"

#include "variants/allocator/family/arena_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class BoundaryTags : public ArenaHeap<designs::BoundaryTags> {
 public:
  // Next fit leaves free blocks everywhere, so that large requests need more room than elsewhere.
  explicit BoundaryTags(const Demand& demand) : ArenaHeap(demand, 4, 0) {}

  std::size_t alignment(std::size_t) const { return designs::BoundaryTags::kGranule; }
  std::size_t occupied(const void* block, std::size_t) const { return design_.block_bytes(block); }

  double external_fragmentation() const {
    FreeMemory free;
    design_.for_each([&](std::size_t bytes, bool is_free) {
      if (is_free) free.add(bytes - kTagsOfBlock);
    });
    return free.fragmentation();
  }
  std::map<std::string, double> counters() const {
    std::size_t tags = 0;
    design_.for_each([&](std::size_t, bool) { tags += kTagsOfBlock; });
    std::map<std::string, double> all = counters_with(static_cast<double>(tags), external_fragmentation());
    all["metadata_bytes_per_block"] = kTagsOfBlock;
    return all;
  }

 private:
  static constexpr std::size_t kTagsOfBlock = 2 * designs::BoundaryTags::kTagBytes;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BoundaryTags>(
      LAB_VARIANT,
      {.idea =
           "A preamble and a postamble of 16 bytes around each block give free(pointer) its size and its neighbours; "
           "free blocks are in one list, and a search goes on where the last one ended.",
       .cost =
           "Free: O(1). Allocate: the next free block that is large enough, at worst the last of all. Memory: 32 bytes "
           "per block; a request of 4 KiB takes two pages.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015); Knuth, The Art of Computer "
                 "Programming 1, 2.5",
       .weakness =
           "Needs room: it spreads free memory over the whole buffer, and searches get long as that fills up."});
}
