#include <algorithm>

#include "variants/allocator/family/pmr_pool.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/linear.h"

namespace lab::allocator {

class PmrMonotonic {
 public:
  explicit PmrMonotonic(const Demand& demand)
      : buffer_(demand, demand.bytes + demand.blocks * kAlignment),
        resource_(buffer_.begin(), buffer_.bytes(), std::pmr::null_memory_resource()) {}

  void* allocate(std::size_t bytes) {
    try {
      return resource_.allocate(bytes, kAlignment);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  void reset() { resource_.release(); }

  std::size_t alignment(std::size_t) const { return kAlignment; }
  /// As the linear allocator's: the next block is aligned.
  std::size_t occupied(const void*, std::size_t bytes) const {
    return designs::round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  }
  std::size_t largest_request() const { return buffer_.bytes(); }
  /// The last block needs no rounding.
  std::size_t capacity(std::size_t bytes) const {
    if (bytes > buffer_.bytes()) return 0;
    const std::size_t needed = std::max<std::size_t>(bytes, 1);
    return (buffer_.bytes() - needed) / occupied(nullptr, bytes) + 1;
  }
  std::map<std::string, double> counters() const {
    return {{"buffer_bytes", static_cast<double>(buffer_.bytes())}, {"metadata_bytes", 0}};
  }

  static std::string version() { return pmr_version(); }
  static std::string identity_failure() {
    CountingResource upstream;
    std::pmr::monotonic_buffer_resource resource(&upstream);
    return pmr_identity_failure(resource, upstream);
  }

 private:
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);

  Buffer buffer_;
  std::pmr::monotonic_buffer_resource resource_;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::PmrMonotonic>(
      LAB_VARIANT,
      {.idea = "The C++ standard library's linear allocator: a pointer advances through a buffer; release() frees "
               "everything at once.",
       .cost =
           "Allocate: a virtual call, an alignment and a comparison. No metadata; sizes are rounded up to 16 bytes.",
       .source = "std::pmr::monotonic_buffer_resource of C++17, in libstdc++",
       .weakness =
           "Cannot free a single block; the buffer must hold all requests of a frame. Throws when it is full."});
}
