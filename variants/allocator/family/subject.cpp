#include "variants/allocator/family/subject.h"

namespace lab::allocator {

// Not in the header: one more call of an allocator there would change what the compiler inlines in the timed loops.
void* AnyAllocator::allocate(std::size_t bytes, std::uint64_t&) {
  return allocate(bytes);
}

void AnyAllocator::free(void* block, std::size_t bytes, std::uint64_t&) {
  free(block, bytes);
}

}  // namespace lab::allocator
