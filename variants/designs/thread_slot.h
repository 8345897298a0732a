/// The calling thread's number among the threads that share one structure: 0 in every thread until somebody (the worker
/// pool) numbers it. Structures that keep something per thread index by it, so that each instance has its own.
#pragma once

#include <cstddef>

namespace lab::designs {

inline constinit thread_local unsigned thread_slot = 0;

/// What one thread writes often is kept this far from what another does: two lines of 64 bytes, because the neighbour
/// prefetcher of x86-64 fetches them in pairs. (std::hardware_destructive_interference_size may change between
/// compilers.)
inline constexpr std::size_t kApart = 128;

}  // namespace lab::designs
