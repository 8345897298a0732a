#include "variants/designs/addresses/small_apart.h"

#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/checked_buddy.h"

namespace lab::allocator {

class SmallApart {
 public:
  explicit SmallApart(const Demand& demand) : buffer_(demand, buffer_bytes(demand)), heap_(layout(buffer_)) {}

  void* allocate(std::size_t bytes) { return heap_.allocate(bytes); }
  void free(void* block) { heap_.free(block); }

  std::size_t alignment(std::size_t bytes) const { return heap_.layout().alignment(bytes); }
  std::size_t occupied(const void* block, std::size_t bytes) const { return heap_.block_bytes(block, bytes); }
  std::size_t largest_request() const { return heap_.layout().largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return heap_.layout().capacity(bytes); }
  /// The small part, which has smaller leaves, takes whole pages.
  std::size_t leaf_bytes() const { return designs::SmallApartLayout::kLargeLeafBytes; }

  double external_fragmentation() const {
    double free_bytes = 0;
    heap_.for_each_free([&](const void*, std::size_t bytes) { free_bytes += static_cast<double>(bytes); });
    return free_bytes == 0 ? 0 : 1 - static_cast<double>(heap_.largest_free()) / free_bytes;
  }
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
  static designs::SmallApartLayout layout(const Buffer& buffer) {
    designs::SmallApartLayout planned = designs::SmallApartLayout::plan(buffer.begin(), buffer.bytes());
    if (!planned.refusal.empty()) out_of_memory(buffer.bytes());
    return planned;
  }

  Buffer buffer_;
  designs::SmallApart<designs::BuddyOfBuild> heap_;
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::SmallApart>(
      LAB_VARIANT,
      {.idea = "Two buddy allocators in one buffer: requests below 256 bytes go to the first eighth, with leaves of 16 "
               "bytes, all others to the rest. A part that is full lends from the other one.",
       .cost = "A buddy allocator's, and one comparison. Memory: one bit per block of each.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015): small allocations in a separate "
                 "part of the buffer",
       .weakness = "The size of the part is a guess, and the parts never merge: the largest request is smaller."});
}
