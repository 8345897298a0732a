// Begins its buffer anew in a reset, and keeps its lists of free blocks, which lie there.
// Fails: reset frees everything
#include <algorithm>
#include <bit>
#include <vector>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class ResetsInPart {
 public:
  explicit ResetsInPart(const Demand& demand)
      : buffer_(demand, 4 * demand.bytes + demand.blocks * kLeast), free_(8 * sizeof(std::size_t)) {}

  void* allocate(std::size_t bytes) {
    if (bytes > buffer_.bytes()) return nullptr;
    std::vector<void*>& list = free_[class_of(bytes)];
    if (!list.empty()) {
      void* const block = list.back();
      list.pop_back();
      return block;
    }
    const std::size_t taken = std::size_t{1} << class_of(bytes);
    if (taken > buffer_.bytes() - used_) return nullptr;
    std::byte* const block = static_cast<std::byte*>(buffer_.begin()) + used_;
    used_ += taken;
    return block;
  }
  void free(void* block, std::size_t bytes) {
    if (block != nullptr) free_[class_of(bytes)].push_back(block);
  }
  void reset() { used_ = 0; }

  std::size_t alignment(std::size_t) const { return kLeast; }
  std::size_t occupied(const void*, std::size_t bytes) const { return std::max(kLeast, std::bit_ceil(bytes)); }

 private:
  static constexpr std::size_t kLeast = 16;

  static std::size_t class_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(std::max(bytes, kLeast) - 1));
  }

  Buffer buffer_;
  std::vector<std::vector<void*>> free_;
  std::size_t used_ = 0;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::ResetsInPart>(LAB_VARIANT, {});
}
