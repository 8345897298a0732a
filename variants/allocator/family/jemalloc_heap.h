/// jemalloc, for the variants with its two ways to free.
#pragma once

#include "variants/allocator/family/allocator.h"
#include "variants/common/mallocs/jemalloc.h"

namespace lab::allocator {

class JemallocHeap : public Jemalloc {
 public:
  static constexpr bool kThreadSafe = true;

  explicit JemallocHeap(const Demand&) {}

  std::size_t alignment(std::size_t bytes) const { return bytes <= 8 ? 8 : 16; }
  std::size_t occupied(void* block, std::size_t) const { return malloc_usable_size(block); }
};

}  // namespace lab::allocator
