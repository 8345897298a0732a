// Now and then reserves 16 bytes less than it gives out: the next block begins inside of that one.
// Fails: no two blocks overlap
#include <algorithm>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Overlapping {
 public:
  explicit Overlapping(const Demand& demand) : buffer_(demand, demand.bytes + (demand.blocks + 1) * kGranule) {}

  void* allocate(std::size_t bytes) {
    // One in a thousand, as of a race that is seldom lost.
    const std::size_t taken = (bytes / kGranule + 1) * kGranule - (++calls_ % 1000 == 0 ? kGranule : 0);
    if (bytes > buffer_.bytes() || taken > buffer_.bytes() - used_) return nullptr;
    std::byte* const block = static_cast<std::byte*>(buffer_.begin()) + used_;
    used_ += taken;
    return block;
  }
  void reset() { used_ = 0; }

  std::size_t alignment(std::size_t) const { return kGranule; }
  std::size_t occupied(const void*, std::size_t bytes) const { return (bytes / kGranule + 1) * kGranule; }

 private:
  static constexpr std::size_t kGranule = 16;

  Buffer buffer_;
  std::size_t used_ = 0, calls_ = 0;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Overlapping>(LAB_VARIANT, {});
}
