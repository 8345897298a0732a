#include <jemalloc/jemalloc.h>

#include <cstdlib>

#include "variants/allocator/family/registration.h"

namespace lab::allocator {

// Linking jemalloc replaces the program's malloc.
class Jemalloc {
 public:
  static constexpr bool kThreadSafe = true;

  explicit Jemalloc(const Demand&) {}

  void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  void free(void* block) { std::free(block); }

  std::size_t alignment(std::size_t bytes) const { return bytes <= 8 ? 8 : 16; }
  std::size_t occupied(void* block, std::size_t) const { return malloc_usable_size(block); }

  static std::string version() {
    const char* version = "";
    std::size_t size = sizeof version;
    mallctl("version", &version, &size, nullptr, 0);
    return std::string("jemalloc ") + version;
  }

  // jemalloc's counter of the thread's allocated bytes must count malloc's blocks.
  static std::string identity_failure() {
    constexpr std::size_t kBytes = 50'000;
    const std::uint64_t before = allocated();
    void* const block = observed(std::malloc(kBytes));
    const std::uint64_t after = allocated();
    std::free(block);
    return after >= before + kBytes ? "" : "malloc is not jemalloc's: thread.allocated does not count its blocks";
  }

 private:
  static std::uint64_t allocated() {
    std::uint64_t bytes = 0;
    std::size_t size = sizeof bytes;
    mallctl("thread.allocated", &bytes, &size, nullptr, 0);
    return bytes;
  }
};

}  // namespace lab::allocator

lab::bench::Variant lab::bench::this_variant() {
  return allocator::make_variant<allocator::Jemalloc>(
      LAB_VARIANT,
      {.idea = "Size classes in slabs, a cache per thread in front of arenas; metadata apart from the blocks.",
       .cost = "A few instructions from the cache; many calls share the cost of a fill or a flush. Memory: size "
               "classes at most 25 % apart.",
       .source = "Jason Evans, A Scalable Concurrent malloc(3) Implementation for FreeBSD (2006)",
       .weakness = "Its caches retain freed memory, for each thread."});
}
