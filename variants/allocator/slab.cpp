#include "variants/designs/addresses/slab.h"

#include "variants/allocator/family/arena_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Slab : public ArenaHeap<designs::Slab> {
 public:
  explicit Slab(const Demand& demand) : ArenaHeap(demand, 2, kPartlyUsedSlabs) {}

  std::size_t alignment(std::size_t bytes) const { return designs::Slab::alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return designs::Slab::block_bytes(bytes); }
  std::size_t leaf_bytes() const { return designs::Slab::kPageBytes; }

  double external_fragmentation() const {
    FreeMemory free;
    design_.for_each_free([&](std::size_t bytes) { free.add(bytes); });
    return free.fragmentation();
  }
  std::map<std::string, double> counters() const {
    return counters_with(static_cast<double>(design_.table_bytes()), external_fragmentation());
  }

 private:
  static constexpr std::size_t kPartlyUsedSlabs = std::size_t{4} << 20;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Slab>(
      LAB_VARIANT,
      {.idea =
           "Runs of pages cut into blocks of one of 47 sizes, the free ones in a list per run; larger requests take "
           "whole pages, and an empty run goes back to all sizes.",
       .cost = "Allocate and free: O(1), a few loads. Memory: 20 bytes per page, nothing per block; sizes at most 1/8 "
               "apart.",
       .source =
           "Jeff Bonwick: The Slab Allocator: An Object-Caching Kernel Memory Allocator (USENIX 1994), without the "
           "caching of objects",
       .weakness = "A run with one live block keeps its pages from all other sizes."});
}
