/// malloc and free, as packet_memory.h wants a heap: of the library that the executable links.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace lab::command_bucket {

struct MallocHeap {
  static void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  static void free(void* packet) { std::free(packet); }
};

}  // namespace lab::command_bucket
