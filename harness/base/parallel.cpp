#include "harness/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lab {

std::size_t all_cpus() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, 16U);
}

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, std::size_t threads) {
  std::atomic<std::size_t> next = 0;
  const auto work_on = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(count, threads); ++i) others.emplace_back(work_on);
  work_on();
  for (std::thread& other : others) other.join();
}

}  // namespace lab
