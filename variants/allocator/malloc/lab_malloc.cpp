// liblab_malloc.so: malloc and its relatives over one heap of ours. They keep what C, POSIX and glibc promise of them.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "variants/allocator/malloc/growing_heap.h"

namespace {

using lab::allocator::GrowingHeap;

// Ready before any code runs.
constinit GrowingHeap heap;

void* or_no_memory(void* block) {
  if (block == nullptr) errno = ENOMEM;
  return block;
}

void* aligned(std::size_t alignment, std::size_t bytes) {
  return alignment <= GrowingHeap::kLeastAlignment ? heap.allocate(bytes) : heap.allocate_aligned(alignment, bytes);
}

void release(void* block) {
  if (block == nullptr) return;
  const int before = errno;  // a caller may free before it looks at it
  heap.free(block);
  errno = before;
}

void* resize(void* block, std::size_t bytes) {
  if (block == nullptr) return or_no_memory(heap.allocate(bytes));
  if (bytes != 0) return or_no_memory(heap.reallocate(block, bytes));
  release(block);
  return nullptr;
}

/// Whether the product of both is too large for any block.
bool overflows(std::size_t count, std::size_t bytes, std::size_t& product) {
  return __builtin_mul_overflow(count, bytes, &product);
}

// In the child of a fork, the thread that forked is alone, and holds the lock. The library's constructor is the first
// of the process (malloc.cmake: initfirst), so that its lock is the last that is taken: a handler of another library
// may wait for a lock whose holder allocates.
[[gnu::constructor]] void watch_forks() {
  pthread_atfork([] { heap.begin_fork(); }, [] { heap.end_fork(); }, [] { heap.end_fork_in_child(); });
}

}  // namespace

#define LAB_EXPORT extern "C" [[gnu::visibility("default")]]

LAB_EXPORT void* malloc(std::size_t bytes) noexcept {
  return or_no_memory(heap.allocate(bytes));
}

LAB_EXPORT void free(void* block) noexcept {
  release(block);
}

LAB_EXPORT void* calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all;
  return or_no_memory(overflows(count, bytes, all) ? nullptr : heap.allocate_zeroed(all));
}

LAB_EXPORT void* realloc(void* block, std::size_t bytes) noexcept {
  return resize(block, bytes);
}

LAB_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all;
  return overflows(count, bytes, all) ? or_no_memory(nullptr) : resize(block, all);
}

LAB_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  if (std::has_single_bit(alignment)) return or_no_memory(aligned(alignment, bytes));
  errno = EINVAL;
  return nullptr;
}

// glibc's rounds the alignment up.
LAB_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  if (alignment <= SIZE_MAX / 2 + 1) return or_no_memory(aligned(std::bit_ceil(alignment), bytes));
  errno = EINVAL;
  return nullptr;
}

LAB_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const block = aligned(alignment, bytes);
  errno = before;
  if (block == nullptr) return ENOMEM;
  *result = block;
  return 0;
}

LAB_EXPORT void* valloc(std::size_t bytes) noexcept {
  return or_no_memory(aligned(GrowingHeap::kPageBytes, bytes));
}

LAB_EXPORT void* pvalloc(std::size_t bytes) noexcept {
  constexpr std::size_t kPage = GrowingHeap::kPageBytes;
  const std::size_t pages =
      bytes > SIZE_MAX - kPage ? bytes : (std::max<std::size_t>(bytes, 1) + kPage - 1) & ~(kPage - 1);
  return or_no_memory(aligned(kPage, pages));
}

LAB_EXPORT std::size_t malloc_usable_size(void* block) noexcept {
  return block == nullptr ? 0 : heap.usable_bytes(block);
}

LAB_EXPORT int malloc_trim(std::size_t) noexcept {
  return heap.trim() ? 1 : 0;
}

// C23.
LAB_EXPORT void free_sized(void* block, std::size_t) noexcept {
  release(block);
}

LAB_EXPORT void free_aligned_sized(void* block, std::size_t, std::size_t) noexcept {
  release(block);
}
