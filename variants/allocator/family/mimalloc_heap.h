/// mimalloc, for the variants with its two ways to free.
#pragma once

#include "variants/allocator/family/allocator.h"
#include "variants/common/mallocs/mimalloc.h"

namespace lab::allocator {

class MimallocHeap : public Mimalloc {
 public:
  static constexpr bool kThreadSafe = true;

  explicit MimallocHeap(const Demand&) {}

  std::size_t alignment(std::size_t bytes) const { return bytes <= 8 ? 8 : 16; }
  std::size_t occupied(void* block, std::size_t) const { return mi_usable_size(block); }
};

}  // namespace lab::allocator
