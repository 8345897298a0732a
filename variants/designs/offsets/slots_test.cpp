#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "variants/designs/offsets/slot_blocks.h"
#include "variants/designs/offsets/slot_counter.h"
#include "variants/designs/threads/worker_pool.h"

namespace lab::designs {
namespace {

constexpr std::size_t kEmpty = ~std::size_t{0};

/// Stores claim i in its slot, closes the holes, and returns the claims in the front of the array.
template <typename Slots>
std::vector<std::size_t> front_of(Slots& slots, std::vector<std::size_t> array) {
  const std::size_t count = slots.compact([&](std::size_t from, std::size_t to, std::size_t moved) {
    EXPECT_GT(moved, 0u);
    EXPECT_TRUE(to + moved <= from || from + moved <= to) << "overlap";
    std::copy_n(array.begin() + static_cast<std::ptrdiff_t>(from), moved,
                array.begin() + static_cast<std::ptrdiff_t>(to));
  });
  array.resize(count);
  return array;
}

template <typename Slots>
void expect_all_claims_in_front(Slots& slots, const std::vector<std::size_t>& array, std::size_t claims) {
  const std::vector<std::size_t> front = front_of(slots, array);
  std::set<std::size_t> found(front.begin(), front.end());
  std::set<std::size_t> wanted;
  for (std::size_t claim = 0; claim < claims; ++claim) wanted.insert(claim);
  EXPECT_EQ(front.size(), claims);
  EXPECT_EQ(found, wanted);
}

/// Claims on behalf of given threads, one after the other.
template <typename Slots>
std::vector<std::size_t> claim_as(Slots& slots, const std::vector<unsigned>& threads, std::size_t capacity) {
  std::vector<std::size_t> array(capacity, kEmpty);
  for (std::size_t claim = 0; claim < threads.size(); ++claim) {
    thread_slot = threads[claim];
    const std::size_t slot = slots.claim();
    EXPECT_LT(slot, capacity);
    EXPECT_EQ(array[slot], kEmpty) << "claimed twice";
    array[slot] = claim;
  }
  thread_slot = 0;
  return array;
}

template <typename Blocks = SlotBlocks<>>
void expect_blocks_keep_all(const std::vector<unsigned>& sequence, unsigned threads, std::size_t at_once) {
  const std::size_t capacity = Blocks::capacity(sequence.size(), threads, at_once);
  Blocks slots(capacity, threads, at_once);
  for (int frame = 0; frame < 2; ++frame) {
    const auto array = claim_as(slots, sequence, capacity);
    expect_all_claims_in_front(slots, array, sequence.size());
    slots.reset();
  }
}

TEST(SlotBlocks, assigns_neighbouring_slots_to_a_thread_and_the_next_block_to_the_next_thread) {
  SlotBlocks<> slots(96, 2);
  EXPECT_EQ(claim_as(slots, std::vector<unsigned>(33, 1), 64)[32], 32u);
  thread_slot = 0;
  EXPECT_EQ(slots.claim(), 64u);
  EXPECT_EQ(slots.claim(), 65u);
}

TEST(SlotBlocks, count_what_a_thread_claimed_and_did_not_use) {
  SlotBlocks<> slots(96, 2);
  EXPECT_EQ(slots.unused(), 0u);
  claim_as(slots, std::vector<unsigned>(33, 1), 96);
  EXPECT_EQ(slots.unused(), 31u);
  thread_slot = 0;
  slots.claim();
  EXPECT_EQ(slots.unused(), 62u);
  slots.reset();
  EXPECT_EQ(slots.unused(), 0u);
}

TEST(SlotBlocks, closes_the_holes_of_every_number_of_claims_of_two_threads) {
  for (unsigned a = 0; a <= 10; ++a)
    for (unsigned b = 0; b <= 10; ++b) {
      std::vector<unsigned> sequence(a, 0u);
      sequence.insert(sequence.end(), b, 1u);
      expect_blocks_keep_all(sequence, 2, 4);
    }
}

TEST(SlotBlocks, closes_the_holes_of_many_threads_in_any_order) {
  std::mt19937 random(3);
  for (const unsigned threads : {1u, 3u, 8u, 61u})
    for (const std::size_t claims : {0u, 1u, 31u, 32u, 33u, 1000u, 1999u}) {
      std::vector<unsigned> sequence(claims);
      for (unsigned& thread : sequence) thread = static_cast<unsigned>(random() % threads);
      for (const std::size_t at_once : {1u, 5u, 32u, 256u}) expect_blocks_keep_all(sequence, threads, at_once);
      expect_blocks_keep_all<SlotBlocks<alignof(std::size_t)>>(sequence, threads, 32);
    }
}

TEST(SlotBlocks, needs_exactly_its_capacity_in_the_worst_case) {
  std::vector<unsigned> sequence(64 * 7, 0u);
  for (unsigned thread = 1; thread < 7; ++thread) sequence.push_back(thread);
  sequence.push_back(0);
  const std::size_t capacity = SlotBlocks<>::capacity(sequence.size(), 7, 64);
  SlotBlocks<> slots(capacity, 7, 64);
  std::size_t highest = 0;
  for (unsigned thread : sequence) {
    thread_slot = thread;
    highest = std::max(highest, slots.claim());
  }
  thread_slot = 0;
  // Each of the seven current blocks holds one claim; the array ends with the last of them.
  EXPECT_EQ(highest / 64 * 64 + 64, capacity);
}

template <typename Slots>
void expect_all_claims_kept_by(WorkerPool& pool) {
  constexpr std::size_t kClaims = 10'007;
  const std::size_t capacity = Slots::capacity(kClaims, pool.workers());
  Slots slots(capacity, pool.workers());
  std::vector<std::size_t> array(capacity, kEmpty);
  for (int frame = 0; frame < 5; ++frame) {
    pool.run(kClaims, [&](std::size_t claim) { array[slots.claim()] = claim; });
    expect_all_claims_in_front(slots, array, kClaims);
    slots.reset();
  }
}

TEST(Slots, keep_every_claim_of_many_threads_at_once) {
  for (const unsigned workers : {1u, 2u, 7u, 16u}) {
    WorkerPool pool(workers);
    expect_all_claims_kept_by<AtomicSlotCounter>(pool);
    expect_all_claims_kept_by<SaturatingSlotCounter>(pool);
    expect_all_claims_kept_by<SlotBlocks<>>(pool);
    expect_all_claims_kept_by<SlotBlocks<alignof(std::size_t)>>(pool);
  }
}

/// Claims more than the array has room for, from all workers: as many get a slot as the array has slots for.
template <typename Slots>
void expect_no_slot_beyond(WorkerPool& pool, std::size_t capacity) {
  constexpr std::size_t kClaims = 5'000;
  Slots slots(capacity, pool.workers());
  std::vector<std::size_t> array(capacity, kEmpty);
  for (int frame = 0; frame < 3; ++frame) {
    std::atomic<std::size_t> served = 0;
    pool.run(kClaims, [&](std::size_t claim) {
      const std::size_t slot = slots.claim();
      if (slot == kNoSlot) return;
      ASSERT_LT(slot, capacity);
      array[slot] = claim;
      ++served;
    });
    EXPECT_LE(served, capacity);
    EXPECT_GE(served + pool.workers() * (Slots::kAtOnce - 1) + Slots::kAtOnce - 1, std::min(capacity, kClaims));
    EXPECT_EQ(front_of(slots, array).size(), served);
    slots.reset();
  }
}

TEST(Slots, of_a_full_array_are_refused_and_the_claims_before_are_kept) {
  for (const unsigned workers : {1u, 2u, 7u}) {
    WorkerPool pool(workers);
    for (const std::size_t capacity : {0u, 1u, 31u, 32u, 33u, 1'000u, 4'999u}) {
      if (workers == 1) expect_no_slot_beyond<SlotCounter>(pool, capacity);
      expect_no_slot_beyond<AtomicSlotCounter>(pool, capacity);
      expect_no_slot_beyond<SaturatingSlotCounter>(pool, capacity);
      expect_no_slot_beyond<SlotBlocks<>>(pool, capacity);
    }
  }
}

TEST(Slots, are_counted_from_zero_again_after_reset) {
  SlotCounter plain(3);
  AtomicSlotCounter atomic(3);
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(plain.claim(), i);
      EXPECT_EQ(atomic.claim(), i);
    }
    plain.reset();
    atomic.reset();
  }
}

}  // namespace
}  // namespace lab::designs
