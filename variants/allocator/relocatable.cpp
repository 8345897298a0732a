#include "variants/designs/addresses/relocatable.h"

#include "variants/allocator/family/free_memory.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

// A block is named by its handle, as a pointer that points to nothing.
class Relocatable {
 public:
  explicit Relocatable(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)), heap_(buffer_.begin(), usable_bytes(buffer_)) {}

  void* allocate(std::size_t bytes) { return reinterpret_cast<void*>(std::uintptr_t{heap_.allocate(bytes)}); }
  void free(void* block) { heap_.free(handle_of(block)); }
  void* address(void* block) const { return heap_.address(handle_of(block)); }

  std::size_t alignment(std::size_t) const { return designs::Relocatable::kHeaderBytes; }
  std::size_t occupied(const void*, std::size_t bytes) const { return designs::Relocatable::block_bytes(bytes); }
  std::size_t largest_request() const { return heap_.largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return heap_.capacity(bytes); }
  std::size_t leaf_bytes() const { return designs::Relocatable::kLeafBytes; }
  std::size_t allocated_bytes() const { return heap_.allocated_bytes(); }
  std::size_t most_allocated_bytes() const { return heap_.most_allocated_bytes(); }

  double external_fragmentation() const { return fragmentation_of(heap_.fit()); }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", static_cast<double>(heap_.metadata_bytes())},
            {"moved_bytes", static_cast<double>(heap_.moved_bytes())},
            {"leaf_bytes", static_cast<double>(designs::Relocatable::kLeafBytes)},
            {"external_fragmentation", external_fragmentation()}};
  }

 private:
  // Header and rounding of each block, and a quarter for holes. So little that compaction has work, and so much that a
  // request that may move 16 times its size finds room.
  static std::size_t buffer_bytes(const Demand& demand) {
    return demand.bytes + demand.bytes / 4 + (demand.blocks + 128) * designs::Relocatable::kLeafBytes;
  }
  static std::size_t usable_bytes(const Buffer& buffer) {
    if (designs::Relocatable::leaves_within(buffer.bytes()) == 0) out_of_memory(buffer.bytes());
    return buffer.bytes();
  }
  static designs::Relocatable::Handle handle_of(const void* block) {
    return static_cast<designs::Relocatable::Handle>(reinterpret_cast<std::uintptr_t>(block));
  }

  Buffer buffer_;
  designs::Relocatable heap_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Relocatable>(
      LAB_VARIANT,
      {.idea = "Blocks behind handles, placed by best fit. If no hole holds a request, blocks slide together until one "
               "does: at most 64 KiB and 16 times the request in one call.",
       .cost =
           "bitmap_fit's, a load more for each use of a block, and copies when memory is short. Memory: 16 bytes per "
           "block, 4 per handle, 1 % for bitmaps.",
       .source = "Stingray blog, Allocation Adventures 3: The Buddy Allocator (2015): relocatable blocks; sliding "
                 "compaction",
       .weakness =
           "An address is valid only until the next allocation. A call that compacts takes much longer than the "
           "mean."});
}
