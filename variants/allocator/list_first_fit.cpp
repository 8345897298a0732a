#include "variants/allocator/family/arena_heap.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/first_fit_list.h"

namespace lab::allocator {

class ListFirstFit : public ArenaHeap<designs::FirstFitList> {
 public:
  static constexpr bool kSearchesEveryFreeBlock = true;

  explicit ListFirstFit(const Demand& demand) : ArenaHeap(demand, 2, 0) {}

  void free(void* block, std::size_t bytes) { design_.free(block, bytes); }
  void free(void* block, std::size_t bytes, std::uint64_t& passed) { design_.free(block, bytes, passed); }

  std::size_t alignment(std::size_t) const { return designs::FirstFitList::kGranule; }
  std::size_t occupied(const void*, std::size_t bytes) const { return designs::FirstFitList::block_bytes(bytes); }

  double external_fragmentation() const {
    FreeMemory free;
    design_.for_each_free([&](std::size_t bytes) { free.add(bytes); });
    return free.fragmentation();
  }
  std::map<std::string, double> counters() const { return counters_with(0, external_fragmentation()); }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::ListFirstFit>(
      LAB_VARIANT,
      {.idea =
           "All free blocks in one list, in place and by address; a request takes the first that is large enough, and "
           "a freed block merges with its neighbours in the list.",
       .cost = "Allocate and free: O(free blocks), each step a load that depends on the one before. No metadata.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015): the design that it begins with",
       .weakness =
           "Thousands of free blocks make it hundreds of times slower than any other. A wrong size corrupts the "
           "heap silently."});
}
