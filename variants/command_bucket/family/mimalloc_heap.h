/// mimalloc under its own names, as packet_memory.h wants a heap.
#pragma once

#include <mimalloc.h>

#include <cstddef>

namespace lab::command_bucket {

struct MimallocHeap {
  static void* allocate(std::size_t bytes) { return mi_malloc(bytes); }
  static void free(void* packet) { mi_free(packet); }
};

}  // namespace lab::command_bucket
