#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "variants/designs/addresses/atomic_linear.h"
#include "variants/designs/addresses/linear.h"
#include "variants/designs/addresses/thread_local_linear.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::designs {
namespace {

struct alignas(kApart) Buffer {
  std::byte bytes[1 << 20];
};

template <typename Design>
std::size_t place(const Buffer& buffer, Design& design, std::size_t bytes) {
  return static_cast<std::size_t>(static_cast<std::byte*>(design.allocate(bytes)) - buffer.bytes);
}

/// Expectations that Linear, AtomicLinear and one thread of ThreadLocalLinear share, over the first 256 bytes of
/// `buffer`.
template <typename Design>
void expect_linear_with_granule_4(Buffer& buffer, Design& design) {
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(design.used(), 0u);
    EXPECT_EQ(place(buffer, design, 20), 0u);
    EXPECT_EQ(place(buffer, design, 36), 20u);
    EXPECT_EQ(place(buffer, design, 1), 56u);
    EXPECT_EQ(place(buffer, design, 196), 60u);
    EXPECT_EQ(design.used(), 256u);
    EXPECT_EQ(design.allocate(1), nullptr);
    EXPECT_EQ(design.allocate(~std::size_t{0}), nullptr);
    design.reset();
  }
  EXPECT_EQ(design.allocate(257), nullptr);
  EXPECT_EQ(design.allocate(~std::size_t{0}), nullptr);
  EXPECT_EQ(place(buffer, design, 256), 0u);
}

TEST(Linear, designs_pack_without_gaps_to_the_last_byte) {
  const auto buffer = std::make_unique<Buffer>();
  Linear<4> one(buffer->bytes, 256);
  AtomicLinear<4> atomic(buffer->bytes, 256);
  ThreadLocalLinear<4> local(buffer->bytes, 256, 1);
  expect_linear_with_granule_4(*buffer, one);
  expect_linear_with_granule_4(*buffer, atomic);
  expect_linear_with_granule_4(*buffer, local);
}

TEST(Linear, blocks_share_no_cache_line_with_a_granule_of_a_line) {
  const auto buffer = std::make_unique<Buffer>();
  AtomicLinear<64> atomic(buffer->bytes, 256);
  Linear<64> one(buffer->bytes, 256);
  for (const std::size_t expected : {0u, 64u, 128u, 192u}) {
    EXPECT_EQ(place(*buffer, atomic, 20), expected);
    EXPECT_EQ(place(*buffer, one, 36), expected);
  }
  EXPECT_EQ(atomic.allocate(20), nullptr);
  EXPECT_EQ(one.allocate(20), nullptr);
}

/// Fills `design` with requests of `bytes`, and counts them.
template <typename Design>
std::size_t served(Design& design, std::size_t bytes) {
  design.reset();
  std::size_t count = 0;
  while (design.allocate(bytes) != nullptr) ++count;
  return count;
}

/// The design states its largest request and its capacity for every size, over the first `bytes` of a buffer.
template <typename Design>
void expect_exact_capacity(Design& design, std::size_t bytes) {
  const std::size_t largest = design.capacity();
  ASSERT_LE(largest, bytes);
  EXPECT_EQ(served(design, largest + 1), 0u) << bytes;
  for (std::size_t request = 0; request <= largest; ++request)
    ASSERT_EQ(design.capacity(request), served(design, request)) << request << " of " << bytes;
  for (const std::size_t request : {largest + 1, SIZE_MAX / 2, SIZE_MAX - 62, SIZE_MAX})
    EXPECT_EQ(design.capacity(request), 0u) << request;
}

TEST(Linear, designs_serve_exactly_the_capacity_that_they_state) {
  const auto buffer = std::make_unique<Buffer>();
  for (const std::size_t bytes : {63u, 64u, 100u, 128u, 640u, 1000u, 1024u}) {
    Linear<16> one(buffer->bytes, bytes);
    AtomicLinear<16> atomic(buffer->bytes, bytes);
    AtomicLinear<64> lines(buffer->bytes, bytes);
    expect_exact_capacity(one, bytes);
    expect_exact_capacity(atomic, bytes);
    expect_exact_capacity(lines, bytes);
  }
  for (const unsigned threads : {1u, 2u, 3u}) {
    ThreadLocalLinear<16> local(buffer->bytes, 1000, threads);
    expect_exact_capacity(local, 1000);
  }
}

TEST(ThreadLocalLinear, keeps_each_thread_in_its_slice) {
  const auto buffer = std::make_unique<Buffer>();
  ThreadLocalLinear<4> local(buffer->bytes, 4 * kApart, 2);
  EXPECT_EQ(place(*buffer, local, 2 * kApart), 0u);
  EXPECT_EQ(local.allocate(4), nullptr);
  thread_slot = 1;
  EXPECT_EQ(place(*buffer, local, 2 * kApart), 2 * kApart);
  EXPECT_EQ(local.allocate(4), nullptr);
  thread_slot = 0;
  EXPECT_EQ(local.used(), 4 * kApart);
}

TEST(AtomicLinear, stays_full_after_any_number_of_refusals) {
  const auto buffer = std::make_unique<Buffer>();
  // A pretended size: the memory is never touched. 16 such requests are 2^64 bytes.
  constexpr std::size_t kHuge = std::size_t{1} << 60;
  AtomicLinear<4> atomic(buffer->bytes, kHuge);
  EXPECT_EQ(place(*buffer, atomic, kHuge), 0u);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(atomic.allocate(kHuge), nullptr) << "refusal " << i;
  EXPECT_EQ(atomic.used(), kHuge);
  WorkerPool pool(5);
  std::atomic<int> served = 0;
  pool.run(1000, [&](std::size_t i) { served += atomic.allocate(i % 2 ? kHuge : 1) != nullptr; });
  EXPECT_EQ(served, 0);
  atomic.reset();
  EXPECT_EQ(place(*buffer, atomic, kHuge), 0u);
}

TEST(AtomicLinear, allocates_no_byte_twice_while_other_requests_are_refused) {
  const auto buffer = std::make_unique<Buffer>();
  WorkerPool pool(5);
  constexpr std::size_t kRequests = 4000, kBytes = 4096;
  AtomicLinear<4> atomic(buffer->bytes, kBytes);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::pair<std::byte*, std::size_t>> served(kRequests);
    pool.run(kRequests, [&](std::size_t i) {
      const std::size_t bytes = i % 7 == 6 ? kBytes / 2 : 4 + i % 5;  // large ones are refused early, small ones late
      served[i] = {static_cast<std::byte*>(atomic.allocate(bytes)), bytes};
    });
    std::sort(served.begin(), served.end());
    std::byte* end = buffer->bytes;
    for (const auto& [begin, bytes] : served) {
      if (begin == nullptr) continue;
      ASSERT_GE(begin, end);
      end = begin + bytes;
    }
    EXPECT_GT(end, buffer->bytes);
    EXPECT_LE(end, buffer->bytes + kBytes);
    EXPECT_EQ(atomic.allocate(1), nullptr);
    atomic.reset();
  }
}

/// Many threads allocate and fill blocks; no block may overlap another and no write may be lost.
template <typename Design>
void expect_no_overlap(WorkerPool& pool, Design& design) {
  constexpr std::size_t kCount = 4000;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<std::byte*, std::size_t>> all(kCount);
    pool.run(kCount, [&](std::size_t i) {
      const std::size_t bytes = i % 2 ? 20 : 36;
      all[i] = {static_cast<std::byte*>(design.allocate(bytes)), bytes};
      ASSERT_NE(all[i].first, nullptr);
      std::memset(all[i].first, static_cast<int>(i % 251), bytes);
    });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < kCount; ++i)
      for (std::size_t byte = 0; byte < all[i].second; ++byte)
        wrong += std::to_integer<std::size_t>(all[i].first[byte]) != i % 251;
    EXPECT_EQ(wrong, 0u);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < kCount; ++i) ASSERT_GE(all[i].first, all[i - 1].first + all[i - 1].second);
    design.reset();
  }
}

TEST(Linear, designs_for_many_threads_never_allocate_a_byte_twice) {
  const auto buffer = std::make_unique<Buffer>();
  for (const unsigned workers : {1u, 2u, 5u}) {
    WorkerPool pool(workers);
    AtomicLinear<4> packed(buffer->bytes, sizeof buffer->bytes);
    AtomicLinear<64> lines(buffer->bytes, sizeof buffer->bytes);
    ThreadLocalLinear<4> local(buffer->bytes, sizeof buffer->bytes, workers);
    expect_no_overlap(pool, packed);
    expect_no_overlap(pool, lines);
    expect_no_overlap(pool, local);
  }
}

}  // namespace
}  // namespace lab::designs
