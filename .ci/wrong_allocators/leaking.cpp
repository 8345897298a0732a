// Frees nothing, and takes ever more memory.
// Fails: freed memory is reused
#include <sys/mman.h>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Leaking {
 public:
  explicit Leaking(const Demand&) {}

  void* allocate(std::size_t bytes) {
    if (bytes > kChunkBytes) return nullptr;
    const std::size_t taken = (bytes / kGranule + 1) * kGranule;
    if (begin_ == nullptr || taken > kChunkBytes - used_) {
      void* const chunk =
          ::mmap(nullptr, 2 * kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (chunk == MAP_FAILED) return nullptr;
      begin_ = static_cast<std::byte*>(chunk);
      used_ = 0;
    }
    return begin_ + std::exchange(used_, used_ + taken);
  }
  void free(void*) {}

  std::size_t alignment(std::size_t) const { return kGranule; }
  std::size_t occupied(const void*, std::size_t bytes) const { return (bytes / kGranule + 1) * kGranule; }

 private:
  static constexpr std::size_t kGranule = 16, kChunkBytes = std::size_t{1} << 20;

  std::byte* begin_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::Leaking>(LAB_VARIANT, {});
}
