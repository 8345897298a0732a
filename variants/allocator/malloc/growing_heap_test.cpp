#include "variants/allocator/malloc/growing_heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/random.h"
#include "variants/common/heaps/growth.h"

namespace lab::allocator {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

unsigned char* bytes_of(void* block) {
  return static_cast<unsigned char*>(block);
}

bool holds(const void* block, std::size_t bytes, unsigned char content) {
  const auto* const begin = static_cast<const unsigned char*>(block);
  return std::all_of(begin, begin + bytes, [=](unsigned char byte) { return byte == content; });
}

/// A heap for each test, which must free all of it.
class GrowingHeaps : public testing::Test {
 protected:
  void TearDown() override {
    heap_.trim();
    EXPECT_EQ(heap_.arenas(), 0u) << "something is still live";
  }

  GrowingHeap heap_;
};

TEST_F(GrowingHeaps, keep_the_contents_of_blocks_of_all_sizes) {
  struct Live {
    void* block;
    std::size_t bytes;
    unsigned char content;
  };
  std::vector<Live> live;
  std::map<std::uintptr_t, std::uintptr_t> places;  // from a block's begin to the end of what it may use
  Random random(1);
  const auto put = [&](void* block, std::size_t bytes, std::size_t alignment) {
    ASSERT_NE(block, nullptr);
    const auto begin = reinterpret_cast<std::uintptr_t>(block);
    ASSERT_EQ(begin % alignment, 0u) << bytes;
    const std::size_t usable = heap_.usable_bytes(block);
    ASSERT_GE(usable, bytes);
    const auto next = places.lower_bound(begin);
    ASSERT_TRUE(next == places.end() || begin + usable <= next->first);
    ASSERT_TRUE(next == places.begin() || std::prev(next)->second <= begin);
    places[begin] = begin + usable;
    live.push_back({block, bytes, static_cast<unsigned char>(random.next())});
    std::memset(block, live.back().content, bytes);
  };
  // Larger than what lies in an arena, now and then.
  const auto size = [&] {
    return random.below(std::uint64_t{1} << random.between(0, random.below(10) == 0 ? 22 : 14));
  };
  for (int i = 0; i < 6'000; ++i) {
    const std::uint64_t what = random.below(10);
    if (what < 3 || live.size() < 2) {
      const std::size_t bytes = size();
      put(heap_.allocate(bytes), bytes, 16);
    } else if (what == 3) {
      const std::size_t bytes = size(), alignment = std::size_t{1} << random.between(4, 22);
      put(heap_.allocate_aligned(alignment, bytes), bytes, alignment);
    } else if (what == 4) {
      const std::size_t bytes = size();
      void* const block = heap_.allocate_zeroed(bytes);
      ASSERT_TRUE(block != nullptr && holds(block, bytes, 0)) << bytes;
      put(block, bytes, 16);
    } else {
      std::swap(live[random.below(live.size())], live.back());
      const Live one = live.back();
      live.pop_back();
      places.erase(reinterpret_cast<std::uintptr_t>(one.block));
      ASSERT_TRUE(holds(one.block, one.bytes, one.content)) << one.bytes;
      if (what < 8) {
        heap_.free(one.block);
      } else {
        const std::size_t bytes = size() + 1;
        void* const moved = heap_.reallocate(one.block, bytes);
        ASSERT_TRUE(moved != nullptr && holds(moved, std::min(bytes, one.bytes), one.content)) << bytes;
        put(moved, bytes, 16);
      }
    }
  }
  for (const Live& one : live) {
    EXPECT_TRUE(holds(one.block, one.bytes, one.content));
    heap_.free(one.block);
  }
}

TEST_F(GrowingHeaps, take_arenas_and_give_all_but_one_back) {
  std::vector<void*> blocks;
  while (heap_.arenas() < 4) blocks.push_back(heap_.allocate(kMiB));
  EXPECT_GE(blocks.size(), 3 * 60u);
  for (void* const block : blocks) heap_.free(block);
  EXPECT_EQ(heap_.arenas(), 1u);
  EXPECT_TRUE(heap_.trim());
  EXPECT_EQ(heap_.arenas(), 0u);
  EXPECT_FALSE(heap_.trim());
}

TEST_F(GrowingHeaps, use_the_freed_memory_of_every_arena_before_they_take_another) {
  std::vector<void*> blocks;
  while (heap_.arenas() < 4) blocks.push_back(heap_.allocate(100'000));
  const std::size_t full = blocks.size();
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < blocks.size(); ++i) std::swap(blocks[i], blocks[i * 7919 % blocks.size()]);
    for (; blocks.size() > full / 4; blocks.pop_back()) heap_.free(blocks.back());
    const std::size_t kept = heap_.arenas();
    // Some of what was freed is not asked for again: less than a sixteenth of each arena.
    while (blocks.size() < full * 9 / 10) blocks.push_back(heap_.allocate(100'000));
    EXPECT_LE(heap_.arenas(), std::max<std::size_t>(kept, 4)) << "round " << round;
  }
  for (void* const block : blocks) heap_.free(block);
}

TEST_F(GrowingHeaps, reuse_memory) {
  if (!kMemoryIsMeasurable) GTEST_SKIP() << "needs a build without a sanitizer";
  const auto round = [&](std::size_t bytes, std::size_t count) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < count; ++i) blocks.push_back(std::memset(heap_.allocate(bytes), 1, bytes));
    for (void* const block : blocks) heap_.free(block);
    return std::string();
  };
  EXPECT_EQ(unbounded_growth(10'000 * 50, [&] { return round(50, 10'000); }), "");
  EXPECT_EQ(unbounded_growth(20 * 50'000, [&] { return round(50'000, 20); }), "");
  EXPECT_EQ(unbounded_growth(2 * kMiB, [&] { return round(2 * kMiB, 1); }), "");
}

TEST_F(GrowingHeaps, resize_blocks_in_place_where_they_fit) {
  void* const small = heap_.allocate(100);
  EXPECT_EQ(heap_.reallocate(small, heap_.usable_bytes(small)), small);
  EXPECT_EQ(heap_.reallocate(small, 60), small);
  void* const smaller = heap_.reallocate(small, 20);
  EXPECT_LT(heap_.usable_bytes(smaller), 100u) << "a block of less than half the size saves memory";
  heap_.free(smaller);
  void* const large = heap_.allocate(3 * kMiB);
  EXPECT_EQ(heap_.usable_bytes(large), 3 * kMiB);
  EXPECT_EQ(heap_.reallocate(large, 3 * kMiB - 1), large);
  EXPECT_EQ(heap_.reallocate(large, 2 * kMiB), large);
  EXPECT_EQ(heap_.usable_bytes(large), 2 * kMiB) << "the pages behind went back to the system";
  heap_.free(large);
}

TEST_F(GrowingHeaps, keep_contents_from_any_kind_of_block_to_any_other) {
  const std::size_t sizes[] = {1, 16, 100, 8192, 8193, 100'000, kMiB, kMiB + 1, 5 * kMiB};
  for (const std::size_t from : sizes)
    for (const std::size_t to : sizes) {
      void* const block = std::memset(heap_.allocate(from), 7, from);
      void* const moved = heap_.reallocate(block, to);
      ASSERT_TRUE(holds(moved, std::min(from, to), 7)) << from << " to " << to;
      std::memset(moved, 8, to);
      heap_.free(moved);
    }
}

TEST_F(GrowingHeaps, resize_large_blocks_that_the_program_has_divided) {
  for (const std::size_t after : {6 * kMiB, 2 * kMiB, kMiB / 2}) {
    unsigned char* const block = bytes_of(heap_.allocate(3 * kMiB));
    std::memset(block, 7, 3 * kMiB);
    ASSERT_EQ(madvise(block + kMiB, kMiB, MADV_DONTDUMP), 0);  // the system moves no mapping of three parts
    unsigned char* const moved = bytes_of(heap_.reallocate(block, after));
    ASSERT_NE(moved, nullptr) << after;
    EXPECT_TRUE(holds(moved, std::min(after, 3 * kMiB), 7)) << after;
    std::memset(moved, 8, after);
    heap_.free(moved);
  }
}

TEST_F(GrowingHeaps, keep_some_freed_large_blocks_and_give_all_back) {
  void* const block = heap_.allocate(3 * kMiB);
  std::memset(block, 7, 3 * kMiB);
  heap_.free(block);
  EXPECT_EQ(heap_.kept_bytes(), 3 * kMiB);
  void* const smaller = heap_.allocate(3 * kMiB / 2);  // it would waste half
  EXPECT_NE(smaller, block);
  void* const same = heap_.allocate_zeroed(3 * kMiB - 5000);
  EXPECT_EQ(same, block);
  EXPECT_TRUE(holds(same, 3 * kMiB - 5000, 0));
  EXPECT_EQ(heap_.usable_bytes(same), 3 * kMiB);
  EXPECT_EQ(heap_.kept_bytes(), 0u);
  heap_.free(smaller);
  heap_.free(same);
  EXPECT_TRUE(heap_.trim());
  EXPECT_EQ(heap_.kept_bytes(), 0u);
  EXPECT_FALSE(heap_.trim());
}

TEST_F(GrowingHeaps, keep_no_more_than_their_limits) {
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 2 * GrowingHeap::kMostKept; ++i) blocks.push_back(heap_.allocate(2 * kMiB));
  blocks.push_back(heap_.allocate(GrowingHeap::kMostKeptBytes + kMiB));
  for (void* const block : blocks) heap_.free(block);
  EXPECT_EQ(heap_.kept_bytes(), std::min(GrowingHeap::kMostKept * 2 * kMiB, GrowingHeap::kMostKeptBytes));
  std::this_thread::sleep_for(std::chrono::seconds(GrowingHeap::kKeptSeconds + 2));
  heap_.free(heap_.allocate(4 * kMiB));
  EXPECT_EQ(heap_.kept_bytes(), 4 * kMiB);  // the others are too old
}

TEST_F(GrowingHeaps, keep_what_their_readme_says) {
  std::ifstream file(LAB_SOURCE_DIR "/variants/allocator/malloc/README.md");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::ranges::replace(text, '\n', ' ');
  const auto says = [&](const std::string& words) { return text.find(words) != std::string::npos; };
  const auto mebibytes = [](std::size_t bytes) { return std::to_string(bytes / kMiB) + " MiB"; };
  EXPECT_TRUE(says("arenas of " + mebibytes(GrowingHeap::kArenaBytes)));
  EXPECT_TRUE(says("larger than " + mebibytes(GrowingHeap::kMostInArena)));
  EXPECT_TRUE(says("at most " + std::to_string(GrowingHeap::kMostKept) + ", and at most " +
                   mebibytes(GrowingHeap::kMostKeptBytes)));
  EXPECT_TRUE(says("more than " + std::to_string(GrowingHeap::kKeptSeconds) + " s"));
  static_assert(GrowingHeap::kMostUnusedShare == 4, "README says: a quarter");
}

TEST_F(GrowingHeaps, give_a_kept_block_with_the_protection_of_a_new_one) {
  unsigned char* const block = bytes_of(heap_.allocate(2 * kMiB));
  ASSERT_EQ(mprotect(block, kMiB, PROT_READ), 0);
  ASSERT_EQ(madvise(block, kMiB, MADV_DONTFORK), 0);
  heap_.free(block);
  unsigned char* const again = bytes_of(heap_.allocate(2 * kMiB));
  ASSERT_EQ(again, block);
  again[0] = 1;
  const pid_t child = fork();
  if (child == 0) _exit(again[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  heap_.free(again);
}

TEST_F(GrowingHeaps, let_the_thread_that_forks_allocate) {
  heap_.begin_fork();
  void* const block = heap_.allocate(100);
  void* const large = heap_.allocate(2 * kMiB);
  std::atomic<bool> served = false;
  std::thread other([&] {
    heap_.free(heap_.allocate(50));
    served = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(served);
  heap_.free(large);
  heap_.end_fork();
  other.join();
  heap_.free(block);
}

TEST_F(GrowingHeaps, align_blocks_of_any_size_to_any_power_of_two) {
  for (std::size_t alignment = 16; alignment <= 64 * kMiB; alignment *= 2) {
    std::vector<void*> blocks;
    for (const std::size_t bytes : {0ul, 1ul, 17ul, 100ul, 1000ul, 5000ul, 9000ul, 300'000ul, kMiB, 2 * kMiB + 5})
      for (const std::size_t more : {0ul, alignment}) {
        if (more > kMiB && bytes > 0) continue;
        void* const block = heap_.allocate_aligned(alignment, bytes + more);
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0u) << alignment << " " << bytes + more;
        std::memset(block, 1, std::min(bytes + more, 4 * kMiB));
        blocks.push_back(block);
      }
    for (void* const block : blocks) heap_.free(block);
  }
}

TEST_F(GrowingHeaps, refuse_what_is_too_large) {
  void* const kept = std::memset(heap_.allocate(2 * kMiB), 3, 2 * kMiB);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 4096, SIZE_MAX / 2 + 1, SIZE_MAX / 2, SIZE_MAX / 2 - 4096}) {
    EXPECT_EQ(heap_.allocate(bytes), nullptr) << bytes;
    EXPECT_EQ(heap_.allocate_zeroed(bytes), nullptr) << bytes;
    EXPECT_EQ(heap_.allocate_aligned(64, bytes), nullptr) << bytes;
    EXPECT_EQ(heap_.reallocate(kept, bytes), nullptr) << bytes;
  }
  for (unsigned log2 = 48; log2 < 64; ++log2)
    EXPECT_EQ(heap_.allocate_aligned(std::size_t{1} << log2, 10), nullptr) << log2;
  EXPECT_TRUE(holds(kept, 2 * kMiB, 3));
  heap_.free(kept);
}

TEST_F(GrowingHeaps, serve_threads_that_free_each_others_blocks) {
  constexpr unsigned kThreads = 4;
  std::atomic<unsigned char*> handed[16] = {};
  std::atomic<bool> damaged = false;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < kThreads; ++thread)
    running.emplace_back([&, thread] {
      Random random(thread + 1);
      for (int i = 0; i < 20'000; ++i) {
        const std::size_t bytes = 1 + random.below(std::uint64_t{1} << random.between(1, i % 100 == 0 ? 21 : 12));
        unsigned char* const block = bytes_of(heap_.allocate(bytes));
        block[0] = block[heap_.usable_bytes(block) - 1] = static_cast<unsigned char>(bytes);
        unsigned char* const other = handed[random.below(16)].exchange(block);
        if (other == nullptr) continue;
        if (other[0] != other[heap_.usable_bytes(other) - 1]) damaged = true;
        heap_.free(other);
      }
    });
  for (std::thread& one : running) one.join();
  EXPECT_FALSE(damaged);
  for (std::atomic<unsigned char*>& one : handed)
    if (one != nullptr) heap_.free(one);
}

/// In a process that may map so many bytes more, whether `check` holds.
template <typename Check>
bool holds_within(std::size_t bytes, const Check& check) {
  const pid_t child = fork();
  if (child == 0) {
    // The stack grows now, because a stack that may not grow later ends the process.
    volatile std::byte stack[kMiB / 2];
    for (std::size_t at = sizeof(stack); at > 0; at -= GrowingHeap::kPageBytes) stack[at - 1] = std::byte{};
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * GrowingHeap::kPageBytes + bytes, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

TEST_F(GrowingHeaps, refuse_where_the_system_has_no_memory_and_serve_again_later) {
  if (!kMemoryIsMeasurable) GTEST_SKIP() << "needs a build without a sanitizer";
  const auto fills_twice = [&](std::size_t bytes) {
    void* blocks[20'000];
    std::size_t counts[2] = {};
    for (std::size_t& count : counts) {
      while (count < std::size(blocks) && (blocks[count] = heap_.allocate(bytes)) != nullptr)
        std::memset(blocks[count++], 1, 1);
      for (std::size_t i = 0; i < count; ++i) heap_.free(blocks[i]);
    }
    return counts[0] > 0 && counts[0] < std::size(blocks) && counts[1] + 64 >= counts[0];
  };
  EXPECT_TRUE(holds_within(300 * kMiB, [&] { return fills_twice(500'000); }));
  EXPECT_TRUE(holds_within(300 * kMiB, [&] { return fills_twice(5'000'000); }));
  EXPECT_TRUE(holds_within(20 * kMiB, [&] { return fills_twice(5'000); })) << "an arena has no room, but pages have";
}

TEST_F(GrowingHeaps, end_the_process_at_the_free_of_what_is_no_block) {
  const std::string message = "free or realloc of an address that is no block's";
  auto* const block = static_cast<std::byte*>(heap_.allocate(100));
  alignas(4096) static std::byte foreign[3 * 4096];
  EXPECT_DEATH(heap_.free(block + 1), message);
  EXPECT_DEATH(heap_.free(foreign + 16), message);
  EXPECT_DEATH(heap_.free(foreign + 4096), message);
  EXPECT_DEATH(heap_.reallocate(foreign + 4096, 10), message);
  heap_.free(block);
  void* const large = heap_.allocate(2 * kMiB);
  heap_.free(large);
  EXPECT_DEATH(heap_.free(large), message);  // it is kept, so its header is still there
}

}  // namespace
}  // namespace lab::allocator
