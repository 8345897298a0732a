#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/class_lists.h"

namespace lab::allocator {

class BumpClassLists {
 public:
  explicit BumpClassLists(const Demand& demand)
      : buffer_(demand, buffer_bytes(demand)), lists_(buffer_.begin(), buffer_.bytes()) {}

  void* allocate(std::size_t bytes) { return lists_.allocate(bytes); }
  void free(void* block, std::size_t bytes) { lists_.free(block, bytes); }
  void reset() { lists_.reset(); }

  std::size_t alignment(std::size_t) const { return Sizes::kGranule; }
  std::size_t occupied(const void*, std::size_t bytes) const { return Sizes::bytes(Sizes::of(bytes)); }
  std::size_t largest_request() const { return lists_.largest_request(); }
  std::size_t capacity(std::size_t bytes) const { return lists_.capacity(bytes); }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", 0},
            {"used_bytes", static_cast<double>(lists_.used())}};
  }

 private:
  using Sizes = designs::BlockSizes;

  // A freed block serves its own class only, so the buffer holds the sum of what each class had live at most. Pages
  // that are never handed out cost nothing.
  static std::size_t buffer_bytes(const Demand& demand) { return 8 * demand.bytes + demand.blocks * Sizes::kGranule; }

  Buffer buffer_;
  designs::ClassLists lists_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::BumpClassLists>(
      LAB_VARIANT,
      {.idea =
           "A pointer advances through a buffer; a freed block goes into the list of its size class, four classes per "
           "doubling. The floor: about the least that an allocator with single frees can do.",
       .cost = "Allocate: a list's head, or an addition. Free: two stores. Memory: a link in each free block.",
       .source = "Common practice (segregated fits without coalescing)",
       .weakness = "Blocks never merge: memory that one class had stays with that class until all blocks are free."});
}
