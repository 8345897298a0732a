/// Independent pieces of work on all CPUs.
#pragma once

#include <cstddef>
#include <functional>

namespace lab {

/// As many threads as there are CPUs, 16 at most.
std::size_t all_cpus();

/// Calls work(0) to work(count - 1), each once and in about this order, on `threads` threads. Returns when all have
/// returned. `work` may not throw.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, std::size_t threads = all_cpus());

}  // namespace lab
