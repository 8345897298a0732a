/// tcmalloc of gperftools, for the variants with its two ways to free. Linking it replaces the program's malloc.
#pragma once

#include <gperftools/malloc_extension_c.h>
#include <gperftools/tcmalloc.h>

#include <cstdlib>

#include "variants/allocator/family/allocator.h"

namespace lab::allocator {

class TcmallocHeap {
 public:
  static constexpr bool kThreadSafe = true;

  explicit TcmallocHeap(const Demand&) {}

  void* allocate(std::size_t bytes) { return std::malloc(bytes); }

  std::size_t alignment(std::size_t bytes) const { return bytes <= 8 ? 8 : 16; }
  std::size_t occupied(void* block, std::size_t) const { return tc_malloc_size(block); }

  static std::string version() {
    int major = 0, minor = 0;
    const char* patch = "";
    tc_version(&major, &minor, &patch);
    return "gperftools " + std::to_string(major) + "." + std::to_string(minor) + patch;
  }

  static std::string identity_failure() {
    void* const block = observed(std::malloc(50'000));
    const bool own = MallocExtension_GetOwnership(block) == MallocExtension_kOwned;
    std::free(block);
    return own ? "" : "malloc is not tcmalloc's: tcmalloc does not own its blocks";
  }
};

}  // namespace lab::allocator
