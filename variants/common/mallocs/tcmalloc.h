/// tcmalloc of gperftools as a rival. Linking it replaces the program's malloc. Only for what links lab_tcmalloc.
#pragma once

#include <gperftools/malloc_extension_c.h>
#include <gperftools/tcmalloc.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace lab {

struct Tcmalloc {
  static constexpr bool kReplacesMalloc = true;

  static void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  static void free(void* block) { std::free(block); }
  static std::size_t usable_bytes(void* block) { return tc_malloc_size(block); }

  static std::string version() {
    int major = 0, minor = 0;
    const char* patch = "";
    tc_version(&major, &minor, &patch);
    return "gperftools " + std::to_string(major) + "." + std::to_string(minor) + patch;
  }

  /// How malloc is not tcmalloc's; "" if it is.
  static std::string identity_failure() {
    void* volatile block = std::malloc(50'000);  // volatile: or the compiler removes an unused allocation
    const bool own = MallocExtension_GetOwnership(block) == MallocExtension_kOwned;
    std::free(block);
    return own ? "" : "malloc is not tcmalloc's: tcmalloc does not own its blocks";
  }
};

}  // namespace lab
