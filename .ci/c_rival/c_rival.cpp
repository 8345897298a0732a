#include "variants/allocator/rivals/c_rival.h"

#include <cstdint>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class CRival {
 public:
  explicit CRival(const Demand&) {}

  void* allocate(std::size_t bytes) { return c_rival_allocate(bytes); }
  void free(void* block) { c_rival_free(block); }

  std::size_t alignment(std::size_t) const { return alignof(std::max_align_t); }
  std::size_t occupied(void* block, std::size_t) const { return c_rival_usable(block); }

  static std::string version() { return c_rival_version(); }
  static std::string identity_failure() {
    void* const block = observed(c_rival_allocate(100));
    const std::size_t usable = c_rival_usable(block);
    c_rival_free(block);
    return usable >= 100 ? "" : "a block of c_rival has no header of it";
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::CRival>(LAB_VARIANT, {.idea = "malloc with a header, in C.",
                                                                  .cost = "As malloc; 16 bytes per block.",
                                                                  .source = "made up for CI",
                                                                  .weakness = "It does nothing of its own."});
}
