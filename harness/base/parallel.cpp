#include "harness/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lab {

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto work_on = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t workers = std::min<std::size_t>({count, std::max(1U, std::thread::hardware_concurrency()), 16});
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work_on);
  work_on();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace lab
