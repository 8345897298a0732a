/// mimalloc as a rival, under its own names. Only for what links lab_mimalloc.
#pragma once

#include <mimalloc.h>

#include <cstddef>
#include <string>

namespace lab {

struct Mimalloc {
  static constexpr bool kReplacesMalloc = false;

  static void* allocate(std::size_t bytes) { return mi_malloc(bytes); }
  static void free(void* block) { mi_free(block); }
  static std::size_t usable_bytes(void* block) { return mi_usable_size(block); }

  static std::string version() {
    const int version = mi_version();
    return "mimalloc " + std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) + "." +
           std::to_string(version % 10);
  }

  /// How mi_malloc's blocks are not mimalloc's; "" if they are.
  static std::string identity_failure() {
    void* volatile block = mi_malloc(100);
    const bool own = mi_heap_check_owned(mi_heap_get_default(), block);
    mi_free(block);
    return own ? "" : "a block of mi_malloc is not in mimalloc's heap";
  }
};

}  // namespace lab
