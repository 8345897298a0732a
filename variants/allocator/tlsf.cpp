#include "variants/designs/addresses/tlsf.h"

#include "variants/allocator/family/arena_heap.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Tlsf : public ArenaHeap<designs::Tlsf> {
 public:
  explicit Tlsf(const Demand& demand) : ArenaHeap(demand, 2, 4 * kPageBytes) {}

  std::size_t alignment(std::size_t) const { return designs::Tlsf::kGranule; }
  std::size_t occupied(const void* block, std::size_t) const { return design_.block_bytes(block); }

  double external_fragmentation() const {
    FreeMemory free;
    design_.for_each([&](std::size_t bytes, bool is_free) {
      if (is_free) free.add(bytes - designs::Tlsf::kHeaderBytes);
    });
    return free.fragmentation();
  }
  std::map<std::string, double> counters() const {
    std::size_t headers = 0, blocks = 0;
    design_.for_each([&](std::size_t bytes, bool) {
      headers += designs::Tlsf::kHeaderBytes;
      blocks += bytes;
    });
    return counters_with(static_cast<double>(headers + buffer_.bytes() - blocks), external_fragmentation());
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Tlsf>(
      LAB_VARIANT,
      {.idea =
           "Free blocks in lists by size, 32 for each power of two; two bit scans find a list whose every block fits. "
           "Freed blocks merge with their neighbours at once.",
       .cost =
           "Allocate and free: O(1), at most one list is searched and at most 32 of its blocks. Memory: 4 bytes per "
           "block, rounded up to 16.",
       .source =
           "Masmano, Ripoll, Crespo, Real: TLSF: a New Dynamic Memory Allocator for Real-Time Systems (ECRTS 2004); "
           "our own code, with 32-bit positions",
       .weakness =
           "Every free reads the blocks before and behind, which are rarely in a cache. The buffer is at most 16 "
           "GiB."});
}
