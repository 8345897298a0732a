/// An allocator of somebody else (jemalloc.h and others in variants/common), which frees by pointer. A variant that
/// frees by size hides that with its own.
#pragma once

#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

template <typename Library>
class ThirdPartyHeap : public Library {
 public:
  static constexpr bool kThreadSafe = true;

  explicit ThirdPartyHeap(const Demand&) {}

  std::size_t alignment(std::size_t bytes) const { return bytes <= 8 ? 8 : 16; }
  std::size_t occupied(void* block, std::size_t) const { return Library::usable_bytes(block); }
};

}  // namespace lab::allocator
