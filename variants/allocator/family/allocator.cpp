#include "variants/allocator/family/allocator.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Conformance makes requests that are too large. They must return null under the sanitizers too.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}
#endif

namespace lab::allocator {

Buffer::Buffer(std::size_t bytes) : Buffer(Demand{}, bytes) {}

Buffer::Buffer(const Demand& demand, std::size_t bytes)
    : bytes_((bytes + kPageBytes - 1) & ~(kPageBytes - 1)), borrowed_(demand.heap != nullptr) {
  if (borrowed_) {
    bytes_ = demand.heap_bytes;
    begin_ = demand.heap;
    return;
  }
  begin_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin_ == MAP_FAILED) out_of_memory(bytes_);
}

Buffer::~Buffer() {
  if (!borrowed_) munmap(begin_, bytes_);
}

void Buffer::prefer_huge_pages() const {
  madvise(begin_, bytes_, MADV_HUGEPAGE);
}

void* observed(void* block) {
  return block;
}

void out_of_memory(std::size_t bytes) {
  fmt::print(stderr, "variant: error: out of memory: no block of {} bytes is left for the workload\n", bytes);
  std::_Exit(2);  // as for wrong usage: the variant cannot run this workload
}

}  // namespace lab::allocator
