#include <gnu/libc-version.h>
#include <malloc.h>

#include <cstdlib>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

class CLibrary {
 public:
  static constexpr bool kThreadSafe = true;

  explicit CLibrary(const Demand&) {}

  void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  void free(void* block) { std::free(block); }

  std::size_t alignment(std::size_t) const { return alignof(std::max_align_t); }
  std::size_t occupied(void* block, std::size_t) const { return malloc_usable_size(block) + sizeof(std::size_t); }

  static std::string version() { return std::string("glibc ") + gnu_get_libc_version(); }

  // mallinfo2 must count malloc's blocks. It would not count those of another malloc in the process.
  static std::string identity_failure() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return "";  // a sanitizer replaces malloc
#else
    constexpr std::size_t kBytes = 50'000;
    const std::size_t before = mallinfo2().uordblks;
    void* const block = observed(std::malloc(kBytes));
    const std::size_t after = mallinfo2().uordblks;
    std::free(block);
    return after >= before + kBytes ? "" : "malloc is not the C library's: mallinfo2 does not count its blocks";
#endif
  }
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::CLibrary>(
      LAB_VARIANT,
      {.idea = "The C library's malloc and free, the default of every program: a cache per thread, then bins of "
               "freed chunks by size; free neighbours merge through the sizes in their headers.",
       .cost = "A few instructions from the cache; else a search of the bins, a split or a merge. Memory: 8 "
               "bytes per block, rounded up to 16.",
       .source = "The GNU C library (ptmalloc, after Doug Lea's dlmalloc)",
       .weakness =
           "Sizes above 1 KiB miss its cache; mixed sizes make it search and merge. Returns the top of its heap to the "
           "system when 128 KiB are free there, and takes page faults when it grows again (growing_buffers)."});
}
