/// Clears the caches between frames as the article does: random reads and writes of unrelated memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "harness/base/random.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::command_bucket {

/// 16 MB. Every worker makes on average one access per cache line, because each core has its own caches.
class CacheClearer {
 public:
  static constexpr std::size_t kBytes = 16 * 1000 * 1000;

  explicit CacheClearer(std::uint64_t seed) : words_(kBytes / sizeof(Word)), seed_(seed) {}

  void clear(designs::WorkerPool& pool) {
    const std::uint64_t round = seed_++;
    // The tasks are small, so that all workers finish at nearly the same time.
    const std::size_t tasks = pool.workers() * (kBytes / kLine / kAccessesPerTask + 1);
    pool.run(tasks, [&](std::size_t task) {
      Random random(round << 32 ^ task);
      for (std::size_t i = 0; i < kAccessesPerTask; ++i) {
        Word& word = words_[random.below(words_.size())];
        word.store(word.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      }
    });
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kAccessesPerTask = 1000;
  using Word = std::atomic<std::uint64_t>;

  std::vector<Word> words_;
  std::uint64_t seed_;
};

}  // namespace lab::command_bucket
