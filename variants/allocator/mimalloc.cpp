#include <mimalloc.h>

#include <string>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class Mimalloc {
 public:
  static constexpr bool kThreadSafe = true;

  explicit Mimalloc(const Demand&) {}

  void* allocate(std::size_t bytes) { return mi_malloc(bytes); }
  void free(void* block) { mi_free(block); }

  std::size_t alignment(std::size_t bytes) const { return bytes <= 8 ? 8 : 16; }
  std::size_t occupied(void* block, std::size_t) const { return mi_usable_size(block); }

  static std::string version() {
    const int version = mi_version();
    return "mimalloc " + std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) + "." +
           std::to_string(version % 10);
  }

  static std::string identity_failure() {
    void* const block = observed(mi_malloc(100));
    const bool own = mi_heap_check_owned(mi_heap_get_default(), block);
    mi_free(block);
    return own ? "" : "a block of mi_malloc is not in mimalloc's heap";
  }
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::Mimalloc>(
      LAB_VARIANT,
      {.idea = "Each page serves one size class and has its own free list; a thread owns its pages.",
       .cost = "Allocate and free: a few instructions on a page's list. Memory: size classes at most 12.5 % apart.",
       .source = "Leijen, Zorn, de Moura: Mimalloc: Free List Sharding in Action (2019)",
       .weakness = "A page serves one size class until all its blocks are free."});
}
