#include <gnu/libc-version.h>
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/bench/preload.h"
#include "variants/allocator/family/malloc_checks.h"
#include "variants/allocator/family/registration.h"

namespace lab::allocator {

/// Whether the harness has preloaded another malloc (`run --malloc`).
bool is_replaced() {
  static const bool replaced = std::getenv(bench::kPreloadedAs) != nullptr;
  return replaced;
}

std::string preloaded_file() {
  const char* const file = std::getenv("LD_PRELOAD");
  return file == nullptr ? "" : file;
}

/// The process's malloc: the C library's, or another that the harness has preloaded.
class CLibrary {
 public:
  static constexpr bool kThreadSafe = true;

  explicit CLibrary(const Demand&) {}

  void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  void free(void* block) { std::free(block); }

  // C promises any malloc's block the alignment of what fits into it.
  std::size_t alignment(std::size_t bytes) const {
    constexpr std::size_t kMost = alignof(std::max_align_t);
    return !is_replaced() || bytes >= kMost ? kMost : std::bit_floor(std::max<std::size_t>(bytes, 1));
  }
  // Nothing is known of another malloc's header.
  std::size_t occupied(void* block, std::size_t bytes) const {
    if (is_replaced()) return can_tell_occupied() ? malloc_usable_size(block) : bytes;
    return malloc_usable_size(block) + sizeof(std::size_t);
  }
  static bool can_tell_occupied() {
    static const bool can = is_of_malloc("malloc_usable_size");
    return can;
  }
  // A replacement may return null for 0 bytes, as C allows.
  static std::size_t smallest_request() {
    static const std::size_t smallest = [] {
      void* const block = observed(std::malloc(0));
      std::free(block);
      return std::size_t{block == nullptr};
    }();
    return is_replaced() ? smallest : 0;
  }

  static std::string version() { return is_replaced() ? "" : std::string("glibc ") + gnu_get_libc_version(); }

  static std::string identity_failure() { return is_replaced() ? not_of_library() : not_of_c_library(); }

 private:
  // Every function must be the preloaded file's: free would get the blocks of the others.
  static std::string not_of_library() {
    const std::string file = preloaded_file();
    for (const char* const function : bench::kMallocFunctions) {
      const std::string definer = definer_of(function);
      std::error_code failed;
      if (!std::filesystem::equivalent(definer, file, failed))
        return std::string("expected ") + function + " of '" + file + "', found that of '" + definer + "'";
    }
    return "";
  }

  // mallinfo2 must count malloc's blocks. It would not count those of another malloc in the process.
  static std::string not_of_c_library() {
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

namespace {

lab::bench::Card card() {
  using namespace lab::allocator;
  if (is_replaced()) {
    static const std::string source = "run --malloc " + std::filesystem::path(preloaded_file()).filename().string();
    return {.idea = "A malloc replacement from a file, preloaded under the executable that measures the C library.",
            .cost = CLibrary::can_tell_occupied()
                        ? "Not known here. The bytes of a block are those of malloc_usable_size, without any header."
                        : "Not known here: it defines no malloc_usable_size, so its rounding cannot be measured.",
            .source = source.c_str(),
            .weakness =
                "Not known here. A call goes through the dynamic linker's table, as in every program that it is "
                "preloaded into."};
  }
  return {
      .idea =
          "The C library's malloc and free, the default of every program: a cache per thread, then bins of "
          "freed chunks by size; free neighbours merge through the sizes in their headers.",
      .cost =
          "A few instructions from the cache; else a search of the bins, a split or a merge. Memory: 8 "
          "bytes per block, rounded up to 16.",
      .source = "The GNU C library (ptmalloc, after Doug Lea's dlmalloc)",
      .weakness =
          "Sizes above 1 KiB miss its cache; mixed sizes make it search and merge. Returns the top of its heap to the "
          "system when 128 KiB are free there, and takes page faults when it grows again (growing_buffers)."};
}

}  // namespace

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::with_malloc_checks(allocator::make_variant<allocator::CLibrary>(LAB_VARIANT, card()));
}
