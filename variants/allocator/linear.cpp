#include "variants/designs/addresses/linear.h"

#include <algorithm>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Linear {
 public:
  explicit Linear(const Demand& demand)
      : buffer_(demand, demand.bytes + demand.blocks * kAlignment), linear_(buffer_.begin(), buffer_.bytes()) {}

  void* allocate(std::size_t bytes) { return linear_.allocate(bytes); }
  void reset() { linear_.reset(); }

  std::size_t alignment(std::size_t) const { return kAlignment; }
  std::size_t occupied(const void*, std::size_t bytes) const {
    return designs::round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  }
  std::size_t largest_request() const { return linear_.capacity(); }
  std::size_t capacity(std::size_t bytes) const { return linear_.capacity(bytes); }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())},
            {"metadata_bytes", 0},
            {"used_bytes", static_cast<double>(linear_.used())}};
  }

 private:
  static constexpr std::size_t kAlignment = 16;

  Buffer buffer_;
  designs::Linear<kAlignment> linear_;
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::Linear>(
      LAB_VARIANT, {.idea = "A pointer advances through a buffer; resetting it frees everything at once.",
                    .cost = "Allocate: an addition and a comparison. Reset: one store. No metadata.",
                    .source = "Common practice for memory that lives for one frame",
                    .weakness = "Cannot free a single block; the buffer must hold all requests of a frame."});
}
