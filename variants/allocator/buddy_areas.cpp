#include "variants/designs/addresses/buddy_areas.h"

#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

/// With the smallest block of the other buddies.
class AreasOfLeaves : public designs::BuddyAreas {
 public:
  static constexpr std::size_t kLeast = 64;
  explicit AreasOfLeaves(const designs::BuddyLayout& layout) : BuddyAreas(layout, kLeast) {}
};

class BuddyAreas : public BuddyHeapOf<AreasOfLeaves> {
 public:
  // Areas that are nearly empty serve one size only, so there must be more of them.
  explicit BuddyAreas(const Demand& demand)
      : BuddyHeapOf(demand, buffer_bytes({.bytes = 2 * demand.bytes, .blocks = demand.blocks}), &AreasOfLeaves::plan) {}

  std::size_t alignment(std::size_t bytes) const { return buddy_.alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return buddy_.block_bytes(bytes); }
  std::size_t capacity(std::size_t bytes) const { return buddy_.capacity(bytes); }

  std::map<std::string, double> counters() const {
    designs::BuddyLayout leaves = buddy_.layout();  // the same range as a tree down to the smallest blocks
    const std::size_t inner_areas = std::size_t{1} << (leaves.levels - 1);
    for (; leaves.leaf_bytes > AreasOfLeaves::kLeast; leaves.leaf_bytes /= 2, ++leaves.levels) {
      leaves.leaves *= 2;
      leaves.reserved_leaves *= 2;
    }
    return buddy_counters(leaves, {.merge = inner_areas, .size = inner_areas + 8 * buddy_.table_bytes()}, buffer_,
                          external_fragmentation());
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddyAreas>(
      LAB_VARIANT,
      {.idea = "A buddy of areas of 4 KiB, each reserved for one block size while it is in use, so that the address of "
               "a block tells its size; free(pointer).",
       .cost = "O(1) below 4 KiB: a list of areas per size, a list of blocks per area. Above, that of buddy_sized. "
               "Memory: 16 bytes per area, about one bit per block.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), which mentions address areas; "
                 "reserved here on demand, not in advance",
       .weakness = "A nearly empty area serves no other size, so one live block may hold 4 KiB."});
}
