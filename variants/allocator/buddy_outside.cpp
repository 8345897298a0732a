#include <algorithm>

#include "variants/allocator/family/buddy_heap.h"
#include "variants/allocator/family/free_memory.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/offsets/buddy.h"

namespace lab::allocator {

class BuddyOutside {
 public:
  explicit BuddyOutside(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)),
        begin_(static_cast<std::byte*>(buffer_.begin())),
        buddy_(accepted(designs::BuddyLayout::plan(buffer_.bytes(), kLeafBytes), buffer_).layout) {}

  void* allocate(std::size_t bytes) {
    const std::size_t offset = buddy_.allocate(bytes);
    return offset == designs::OffsetBuddy::kNone ? nullptr : begin_ + offset;
  }
  void free(void* block) {
    if (block != nullptr) buddy_.free(static_cast<std::size_t>(static_cast<std::byte*>(block) - begin_));
  }

  // Offsets are aligned to the size of their block, but the buffer is only to a page.
  std::size_t alignment(std::size_t bytes) const { return std::min(buddy_.layout().alignment(bytes), kPageBytes); }
  std::size_t occupied(const void*, std::size_t bytes) const { return buddy_.layout().block_bytes(bytes); }
  std::size_t largest_request() const { return buddy_.layout().largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return buddy_.layout().capacity(bytes); }
  std::size_t leaf_bytes() const { return kLeafBytes; }
  std::size_t allocated_bytes() const { return buddy_.store().bytes(); }

  double external_fragmentation() const { return fragmentation_of(buddy_); }
  std::map<std::string, double> counters() const {
    constexpr std::size_t kLinkBits = 8 * sizeof(designs::BuddyStoreBeside::Link);
    const designs::BuddyLayout& layout = buddy_.layout();
    const std::size_t inner_blocks = std::size_t{1} << (layout.levels - 1), links = kLinkBits * layout.leaves;
    return buddy_counters(
        layout, {.merge = inner_blocks, .size = inner_blocks, .other = links, .outside = 2 * inner_blocks + links},
        buffer_, external_fragmentation());
  }

 private:
  static constexpr std::size_t kLeafBytes = 64;

  // Rounding to a power of two at most doubles a request. The rest is for fragmented free memory.
  static std::size_t buffer_bytes(const Demand& demand) { return 2 * demand.bytes + (demand.blocks + 64) * kLeafBytes; }

  Buffer buffer_;
  std::byte* begin_;
  designs::OffsetBuddy buddy_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BuddyOutside>(
      LAB_VARIANT,
      {.idea =
           "The buddy allocator over offsets: its bits and the links of its lists lie beside the buffer, so it works "
           "for memory that the CPU cannot touch, too.",
       .cost =
           "As buddy. Memory: one bit per block and 8 bytes per leaf, all beside the buffer, of which all is usable.",
       .source =
           "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015), which names a separate buffer for "
           "the metadata and puts it inside",
       .weakness = "The links take an eighth of the memory with leaves of 64 bytes."});
}
