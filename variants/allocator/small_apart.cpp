#include "variants/designs/addresses/small_apart.h"

#include "variants/allocator/family/free_memory.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/checked_buddy.h"

namespace lab::allocator {

class SmallApart {
 public:
  explicit SmallApart(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)),
        heap_(accepted(designs::SmallApartLayout::plan(buffer_.begin(), buffer_.bytes()), buffer_)) {}

  void* allocate(std::size_t bytes) { return heap_.allocate(bytes); }
  void free(void* block) { heap_.free(block); }

  std::size_t alignment(std::size_t bytes) const { return heap_.layout().alignment(bytes); }
  std::size_t occupied(const void* block, std::size_t bytes) const { return heap_.block_bytes(block, bytes); }
  std::size_t largest_request() const { return heap_.layout().largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return heap_.layout().capacity(bytes); }
  /// The small part, which has smaller leaves, takes whole pages.
  std::size_t leaf_bytes() const { return designs::SmallApartLayout::kLargeLeafBytes; }

  double external_fragmentation() const { return fragmentation_of(heap_); }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", static_cast<double>(heap_.layout().metadata_bytes())},
            {"leaf_bytes", static_cast<double>(designs::SmallApartLayout::kSmallLeafBytes)},
            {"external_fragmentation", external_fragmentation()}};
  }

 private:
  // As for one buddy allocator, in what the part for small blocks leaves.
  static std::size_t buffer_bytes(const Demand& demand) {
    const std::size_t large = 2 * demand.bytes + (demand.blocks + 64) * designs::SmallApartLayout::kLargeLeafBytes;
    return large + large / (designs::SmallApartLayout::kSmallShare - 1) + 2 * kPageBytes;
  }

  Buffer buffer_;
  designs::SmallApart<designs::BuddyOfBuild> heap_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::SmallApart>(
      LAB_VARIANT,
      {.idea = "Two buddy allocators in one buffer: requests below 256 bytes go to the first eighth, with leaves of 16 "
               "bytes, all others to the rest. A part that is full lends from the other one.",
       .cost = "A buddy allocator's, and one comparison. Memory: one bit per block of each.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015): small allocations in a separate "
                 "part of the buffer",
       .weakness = "The size of the part is a guess, and the parts never merge: the largest request is smaller."});
}
