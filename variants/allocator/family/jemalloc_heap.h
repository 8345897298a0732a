/// jemalloc, for the variants with its two ways to free. Linking it replaces the program's malloc.
#pragma once

#include <jemalloc/jemalloc.h>

#include <cstdlib>

#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

class JemallocHeap {
 public:
  static constexpr bool kThreadSafe = true;

  explicit JemallocHeap(const Demand&) {}

  void* allocate(std::size_t bytes) { return std::malloc(bytes); }

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
