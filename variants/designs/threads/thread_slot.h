/// The calling thread's number among the threads that share a data structure. It is 0 until the worker pool sets it.
/// Data structures use it as an index into their per-thread data.
#pragma once

#include <cstddef>

namespace lab::designs {

inline constinit thread_local unsigned thread_slot = 0;

/// Distance in bytes between data that different threads write often: two cache lines of 64 bytes, because the adjacent
/// line prefetcher of x86-64 fetches pairs. (std::hardware_destructive_interference_size may differ between compilers.)
inline constexpr std::size_t kApart = 128;

}  // namespace lab::designs
