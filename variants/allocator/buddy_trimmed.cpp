#include "variants/allocator/family/free_memory.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/trimmed_buddy.h"

namespace lab::allocator {

class BuddyTrimmed {
 public:
  explicit BuddyTrimmed(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)), buddy_(buffer_.begin(), usable_bytes(buffer_), kLeafBytes) {}

  void* allocate(std::size_t bytes) { return buddy_.allocate(bytes); }
  void free(void* block) { buddy_.free(block); }

  std::size_t alignment(std::size_t bytes) const { return buddy_.alignment(bytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return buddy_.block_bytes(bytes); }
  std::size_t largest_request() const { return buddy_.largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return buddy_.capacity(bytes); }
  std::size_t leaf_bytes() const { return kLeafBytes; }

  double external_fragmentation() const { return fragmentation_of(buddy_); }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", static_cast<double>(designs::TrimmedBuddy::metadata_bytes(buddy_.leaves()))},
            {"leaf_bytes", static_cast<double>(kLeafBytes)},
            {"external_fragmentation", external_fragmentation()}};
  }

 private:
  static constexpr std::size_t kLeafBytes = 64;

  // Not twice as much, as of the plain buddy: with few large blocks, a small tail takes the only free aligned place.
  static std::size_t buffer_bytes(const Demand& demand) { return 3 * demand.bytes + (demand.blocks + 64) * kLeafBytes; }

  static std::size_t usable_bytes(const Buffer& buffer) {
    if (designs::TrimmedBuddy::leaves_within(buffer.bytes(), kLeafBytes) == 0) out_of_memory(buffer.bytes());
    return buffer.bytes();
  }

  Buffer buffer_;
  designs::TrimmedBuddy buddy_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddyTrimmed>(
      LAB_VARIANT,
      {.idea = "A buddy allocator that gives the unused tail of a block back: 5 leaves take a block of 4 and one of 1. "
               "Free blocks are listed by the free leaves that begin with them, and a request takes the last aligned "
               "place in the shortest such run that holds it.",
       .cost = "Allocate and free(pointer): one step per bit of the size, per merge and per 64 leaves; above 64 leaves "
               "also a "
               "search of one list. Memory: two bits per leaf, links in free blocks.",
       .source = "Trimming is common; the rule of placement is our own",
       .weakness =
           "A block still begins at its rounded size, so uniform sizes need a quarter more memory. Several lists "
           "change with each request."});
}
