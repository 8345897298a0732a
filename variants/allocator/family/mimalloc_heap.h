/// mimalloc, for the variants with its two ways to free.
#pragma once

#include <mimalloc.h>

#include <string>

#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

class MimallocHeap {
 public:
  static constexpr bool kThreadSafe = true;

  explicit MimallocHeap(const Demand&) {}

  void* allocate(std::size_t bytes) { return mi_malloc(bytes); }

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
