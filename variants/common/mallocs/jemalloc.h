/// jemalloc as a rival. Linking it replaces the program's malloc. Only for what links lab_jemalloc.
#pragma once

#include <jemalloc/jemalloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace lab {

struct Jemalloc {
  static constexpr bool kReplacesMalloc = true;

  static void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  static void free(void* block) { std::free(block); }
  static std::size_t usable_bytes(void* block) { return malloc_usable_size(block); }

  static std::string version() {
    const char* version = "";
    std::size_t size = sizeof version;
    mallctl("version", &version, &size, nullptr, 0);
    return std::string("jemalloc ") + version;
  }

  /// How malloc is not jemalloc's; "" if it is: its counter of the thread's allocated bytes counts malloc's blocks.
  static std::string identity_failure() {
    constexpr std::size_t kBytes = 50'000;
    const std::uint64_t before = allocated();
    void* volatile block = std::malloc(kBytes);  // volatile: or the compiler removes an unused allocation
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

}  // namespace lab
