#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "variants/designs/objects/acting_model.h"
#include "variants/designs/objects/bitmask_pool.h"
#include "variants/designs/objects/free_list_pool.h"
#include "variants/designs/objects/generational_pool.h"
#include "variants/designs/objects/holder.h"
#include "variants/designs/objects/id_table.h"
#include "variants/designs/objects/next_fit_pool.h"
#include "variants/designs/objects/overflow_pool.h"
#include "variants/designs/objects/pool_model_test.h"
#include "variants/designs/objects/pool_per_size.h"
#include "variants/designs/objects/scan_pool.h"
#include "variants/designs/objects/separate_list_pool.h"
#include "variants/designs/objects/slot_map.h"

namespace lab::designs {
namespace {

template <typename Pool>
class Pools : public testing::Test {};

using AllPools = testing::Types<
    ScanPool<Numbered>, ScanPool<Numbered, BoolMarks>, ScanPool<Numbered, BitMarks>, NextFitPool<Numbered>,
    NextFitPool<Numbered, BoolMarks>, NextFitPool<Numbered, BitMarks>, FreeListPool<Numbered>,
    FreeListPool<Numbered, BitMarks>, FreeListPool<Numbered, InsideMarks, ListStart::kLazy>,
    FreeListPool<Numbered, InsideMarks, ListStart::kThreaded, DeadObjects::kFilled>, SeparateListPool<Numbered>,
    SeparateListPool<Numbered, BoolMarks>, BitmaskPool<Numbered>, GenerationalPool<Numbered>, SlotMap<Numbered>>;
TYPED_TEST_SUITE(Pools, AllPools);

TYPED_TEST(Pools, are_sound_under_random_use_at_every_capacity) {
  for (const std::size_t capacity : {1, 2, 63, 64, 65, 128, 1000, 5000}) {
    expect_sound_under_random_use<TypeParam>(capacity);
    if (this->HasFailure()) return;
  }
}

/// Counts its lives.
struct Counted {
  static constexpr std::size_t kMarkAt = 16;
  explicit Counted(int& live) noexcept : count(&live) { ++*count; }
  Counted(Counted&& other) noexcept : count(other.count) { ++*count; }
  ~Counted() { --*count; }
  std::uint64_t unused = 0;
  int* count;
  std::uint32_t mark;
};

template <typename Pool>
void expect_destructors() {
  int live = 0;
  {
    Pool pool(8);
    std::array<typename Pool::Ref, 8> refs;
    for (auto& ref : refs) ref = pool.create(live);
    EXPECT_EQ(live, 8);
    for (std::size_t i = 0; i < 8; i += 2) pool.destroy(refs[i]);
    EXPECT_EQ(live, 4);
    pool.create(live);
    EXPECT_EQ(live, 5);
  }
  EXPECT_EQ(live, 0) << "the end of a pool ends its objects";
}

TEST(Pools, run_the_destructors_of_their_objects) {
  expect_destructors<ScanPool<Counted>>();
  expect_destructors<FreeListPool<Counted, BitMarks>>();
  expect_destructors<SeparateListPool<Counted>>();
  expect_destructors<BitmaskPool<Counted>>();
  expect_destructors<GenerationalPool<Counted>>();
  expect_destructors<SlotMap<Counted>>();
}

template <typename Pool>
class ActingPools : public testing::Test {};

using AllActingPools =
    testing::Types<ScanPool<Actor>, ScanPool<Actor, BoolMarks>, ScanPool<Actor, BitMarks>, NextFitPool<Actor>,
                   NextFitPool<Actor, BoolMarks>, NextFitPool<Actor, BitMarks>, FreeListPool<Actor>,
                   FreeListPool<Actor, BitMarks>, FreeListPool<Actor, InsideMarks, ListStart::kLazy>,
                   FreeListPool<Actor, InsideMarks, ListStart::kThreaded, DeadObjects::kFilled>,
                   SeparateListPool<Actor>, SeparateListPool<Actor, BoolMarks>, BitmaskPool<Actor>,
                   GenerationalPool<Actor>, SlotMap<Actor>, OverflowPool<ScanPool<Actor>>,
                   OverflowPool<FreeListPool<Actor>>, OverflowPool<BitmaskPool<Actor>>,
                   OverflowPool<GenerationalPool<Actor>>, OverflowPool<SlotMap<Actor>>>;
TYPED_TEST_SUITE(ActingPools, AllActingPools);

TYPED_TEST(ActingPools, are_sound_whatever_their_objects_do) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint8_t> bytes(1 + random() % 2000);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    ASSERT_EQ(ActingModel<TypeParam>::run(bytes), "") << "round " << round;
  }
}

/// Its destructor destroys another one.
template <template <typename> class Pool>
struct Avenging {
  explicit Avenging(Pool<Avenging>& of, int& ended) noexcept : pool(&of), ends(&ended) {}
  Avenging(Avenging&& moved) noexcept : pool(moved.pool), ends(moved.ends), other(moved.other) { moved.pool = nullptr; }
  ~Avenging() {
    if (pool == nullptr) return;
    ++*ends;
    pool->destroy(other);
  }
  Pool<Avenging>* pool;
  int* ends;
  ObjectHandle other;
};
template <template <typename> class Pool>
void expect_one_end_for_each_of_two_that_destroy_each_other() {
  int ends = 0;
  Pool<Avenging<Pool>> pool(8);
  const ObjectHandle a = pool.create(pool, ends), b = pool.create(pool, ends);
  pool.get(a)->other = b;
  pool.get(b)->other = a;
  pool.destroy(a);
  EXPECT_EQ(ends, 2);
  EXPECT_EQ(pool.size(), 0u);
  std::set<std::uint32_t> slots;
  for (int i = 0; i < 8; ++i) slots.insert(pool.create(pool, ends).index);
  EXPECT_EQ(slots.size(), 8u) << "a slot was given out twice";
}

TEST(Handles, of_two_that_destroy_each_other_end_each_once) {
  expect_one_end_for_each_of_two_that_destroy_each_other<GenerationalPool>();
  expect_one_end_for_each_of_two_that_destroy_each_other<SlotMap>();
}

TEST(SlotMap, moves_no_object_that_is_visited) {
  SlotMap<Numbered> pool(4);
  std::vector<ObjectHandle> handles;
  for (std::uint64_t i = 0; i < 4; ++i) handles.push_back(pool.create(i));
  std::multiset<std::uint64_t> seen;
  pool.update([&](Numbered& object) {
    seen.insert(object.number);
    if (object.number == 3) {
      pool.destroy(handles[0]);
      pool.destroy(handles[1]);
      EXPECT_EQ(object.number, 3u);
      EXPECT_EQ(pool.get(handles[3]), &object);
      EXPECT_EQ(pool.size(), 2u);
      for (std::uint64_t i = 4; i < 6; ++i) EXPECT_NE(pool.create(i), ObjectHandle{}) << "two slots are free";
      EXPECT_EQ(pool.create(6u), ObjectHandle{});
    }
    return false;
  });
  EXPECT_EQ(seen, (std::multiset<std::uint64_t>{0, 1, 2, 3}));
  pool.each([&](const Numbered& object) { seen.insert(object.number); });
  EXPECT_EQ(seen, (std::multiset<std::uint64_t>{0, 1, 2, 2, 3, 3, 4, 5}));
}

TEST(SlotMap, ends_a_pass_in_which_each_object_leaves_a_successor) {
  SlotMap<Numbered> pool(4);
  pool.create(0u);
  int visited = 0;
  pool.update([&](Numbered& object) {
    pool.create(object.number + 1);
    return ++visited < 100;
  });
  EXPECT_EQ(visited, 1);
  EXPECT_EQ(pool.size(), 1u);
}

TEST(OverflowPool, may_grow_while_it_is_walked) {
  OverflowPool<FreeListPool<Numbered>> pool(4);
  for (std::uint64_t i = 0; i < 8; ++i) pool.create(i);
  int left = 100;
  pool.update([&](const Numbered&) {
    for (; left > 0; --left) pool.create();
    return true;
  });
  EXPECT_EQ(pool.size(), 100u);
}

/// Its destructor clears the reference to it.
struct Clearing {
  Clearing(void* kept, void (*by)(void*)) noexcept : ref(kept), clear(by) {}
  ~Clearing() { clear(ref); }
  void* ref;
  void (*clear)(void*);
};

TEST(OverflowPool, destroys_an_object_that_clears_its_reference) {
  using Pool = OverflowPool<GenerationalPool<Clearing>>;
  Pool pool(1);
  Pool::Ref ref;
  ref = pool.create(&ref, [](void* kept) { *static_cast<Pool::Ref*>(kept) = {}; });
  pool.destroy(ref);
  EXPECT_EQ(ref, Pool::Ref{});
  EXPECT_EQ(pool.size(), 0u);
}

#ifndef NDEBUG
/// Does one thing that is not allowed.
struct Forbidden {
  enum What { kNothing, kWalkWhenBegun, kDestroyWhenBegun, kDestroyWhenEnded, kWalkWhenEnded };
  static constexpr std::size_t kMarkAt = 8;
  Forbidden(FreeListPool<Forbidden>& of, What does) noexcept : pool(&of), what(does) {
    if (what == kWalkWhenBegun) pool->each([](const Forbidden&) {});
    if (what == kDestroyWhenBegun) pool->destroy(this);
  }
  ~Forbidden() {
    if (what == kDestroyWhenEnded) pool->destroy(this);
    if (what == kWalkWhenEnded) pool->each([](const Forbidden&) {});
  }
  FreeListPool<Forbidden>* pool;
  std::uint32_t mark;
  What what;
};

/// Destroys another one while it is created.
struct Displacing {
  Displacing(SlotMap<Displacing>& pool, ObjectHandle other) noexcept { pool.destroy(other); }
  std::uint64_t number = 1;
};

TEST(ObjectLivesDeathTest, names_a_destruction_by_a_constructor) {
  SlotMap<Displacing> pool(4);
  const ObjectHandle first = pool.create(pool, ObjectHandle{});
  EXPECT_DEATH(pool.create(pool, first), "object pool: an object destroys one while it is created");
}

TEST(ObjectLivesDeathTest, names_what_is_not_allowed) {
  FreeListPool<Forbidden> pool(4);
  Forbidden* const object = pool.create(pool, Forbidden::kNothing);
  EXPECT_DEATH(pool.create(pool, Forbidden::kWalkWhenBegun), "object pool: .*inside a constructor or destructor");
  EXPECT_DEATH(pool.create(pool, Forbidden::kDestroyWhenBegun), "object that does not live|while it is created");
  EXPECT_DEATH(pool.destroy(pool.create(pool, Forbidden::kDestroyWhenEnded)), "whose destructor runs");
  EXPECT_DEATH(pool.destroy(pool.create(pool, Forbidden::kWalkWhenEnded)), "inside a constructor or destructor");
  EXPECT_DEATH(pool.update([&](Forbidden& visited) {
    pool.destroy(&visited);
    return true;
  }),
               "destroyed its own object and then returned true");
  pool.destroy(object);
  EXPECT_DEATH(pool.destroy(object), "an object that does not live");
}
#endif

TEST(BitmaskPool, takes_the_lowest_free_slot) {
  BitmaskPool<Numbered> pool(10'000);
  std::vector<Numbered*> slots;
  for (std::uint64_t i = 0; i < 10'000; ++i) slots.push_back(pool.create(i));
  EXPECT_EQ(pool.create(), nullptr);
  for (const std::size_t index : {9'999u, 5'000u, 64u, 4'096u}) pool.destroy(slots[index]);
  for (const std::size_t index : {64u, 4'096u, 5'000u, 9'999u}) EXPECT_EQ(pool.create(), slots[index]);
}

TEST(FreeList, uses_the_slot_destroyed_last_first) {
  FreeListPool<Numbered> pool(3);
  Numbered* const a = pool.create();
  Numbered* const b = pool.create();
  pool.destroy(a);
  pool.destroy(b);
  EXPECT_EQ(pool.create(), b);
  EXPECT_EQ(pool.create(), a);
}

TEST(SeparateList, takes_a_pointer_for_each_slot_besides) {
  constexpr std::size_t kSlots = 1000;
  SeparateListPool<Numbered> pool(kSlots);
  const ScanPool<Numbered> without(kSlots);
  const std::size_t members = sizeof pool - sizeof without;
  EXPECT_EQ(pool.memory_bytes() - without.memory_bytes(), kSlots * sizeof(Numbered*) + members);
  Numbered* const a = pool.create();
  Numbered* const b = pool.create();
  EXPECT_NE(a, b);
  pool.destroy(a);
  EXPECT_EQ(pool.create(), a) << "the slot destroyed last is used first";
}

// A generation comes back to 0 after 2^31 uses: then Ref{} has that of a free slot, as this forged handle has.
template <typename Pool>
void expect_no_object_of_an_even_generation() {
  Pool pool(2);
  const ObjectHandle handle = pool.create(1u);
  pool.destroy(handle);
  const ObjectHandle forged{handle.index, handle.generation + 1};
  EXPECT_EQ(pool.get(forged), nullptr);
  pool.destroy(forged);
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_NE(pool.create(2u), ObjectHandle{});
  EXPECT_NE(pool.create(3u), ObjectHandle{});
  EXPECT_EQ(pool.create(4u), ObjectHandle{}) << "the slot was freed twice";
}

TEST(Handles, of_an_even_generation_have_no_object) {
  expect_no_object_of_an_even_generation<GenerationalPool<Numbered>>();
  expect_no_object_of_an_even_generation<SlotMap<Numbered>>();
}

TEST(DebugFill, finds_a_write_to_a_destroyed_object) {
  FreeListPool<Numbered, InsideMarks, ListStart::kThreaded, DeadObjects::kFilled> pool(4);
  Numbered* const object = pool.create(1u);
  pool.destroy(object);
  std::uint32_t seen;
  std::memcpy(&seen, reinterpret_cast<const std::byte*>(object) + sizeof(void*) + sizeof(std::uint32_t), sizeof seen);
  EXPECT_EQ(seen, kDeadFill) << "a read of a destroyed object finds the fill";
  EXPECT_EQ(pool.create(2u), object);
  EXPECT_EQ(pool.finder().overwritten(), 0u);
  pool.destroy(object);
  const std::uint64_t stray = 5;
  std::memcpy(reinterpret_cast<std::byte*>(object) + 16, &stray, sizeof stray);
  EXPECT_EQ(pool.create(3u), object);
  EXPECT_EQ(pool.finder().overwritten(), 1u);
}

TEST(OverflowPool, grows_by_a_pool_and_gives_back_what_is_empty) {
  using Pool = OverflowPool<FreeListPool<Numbered>>;
  Pool pool(4);
  std::vector<Pool::Ref> refs;
  const std::size_t before = pool.memory_bytes();
  for (std::uint64_t i = 0; i < 10; ++i) refs.push_back(pool.create(i));
  EXPECT_EQ(pool.size(), 10u);
  EXPECT_EQ(pool.capacity(), 12u);
  EXPECT_EQ(pool.grown(), 2u);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(pool.get(refs[i])->number, i);
  for (std::uint64_t i = 4; i < 8; ++i) pool.destroy(refs[i]);
  EXPECT_EQ(pool.capacity(), 8u) << "the one in the middle is empty";
  EXPECT_EQ(pool.get(refs[9])->number, 9u);
  pool.update([](const Numbered&) { return true; });
  EXPECT_EQ(pool.size(), 0u);
  EXPECT_EQ(pool.given_back(), 2u);
  EXPECT_EQ(pool.memory_bytes(), before);
}

TEST(PoolPerSize, has_a_pool_for_each_type) {
  PoolPerSize<FreeListPool, Numbered, Counted> pools({2, 3});
  EXPECT_EQ(pools.pool<0>().capacity(), 2u);
  EXPECT_EQ(pools.pool<1>().capacity(), 3u);
  EXPECT_EQ(pools.memory_bytes(), pools.pool<0>().memory_bytes() + pools.pool<1>().memory_bytes());
}

TEST(IdTable, finds_stale_ids) {
  IdTable<int> table(2);
  int a = 1, b = 2;
  const ObjectHandle first = table.add(&a);
  EXPECT_EQ(table.get(first), &a);
  table.remove(first);
  EXPECT_EQ(table.get(first), nullptr);
  EXPECT_EQ(table.get({first.index, first.generation + 1}), nullptr) << "a forged ID of the free entry";
  const ObjectHandle second = table.add(&b);
  EXPECT_EQ(second.index, first.index) << "the entry is used again";
  EXPECT_EQ(table.get(first), nullptr);
  EXPECT_EQ(table.get(second), &b);
  table.remove(first);
  EXPECT_EQ(table.get(second), &b) << "a stale ID has no effect";
  EXPECT_NE(table.add(&a).index, second.index);
}

struct Watched {
  Holders<Watched> holders;
};

TEST(Holder, is_told_when_its_object_ends) {
  Watched first, second;
  std::array<Holder<Watched>, 4> holders;
  for (Holder<Watched>& holder : holders) holder.hold(first);
  holders[1].hold(second);
  holders[2].release();
  first.holders.notify();
  EXPECT_EQ(holders[0].get(), nullptr);
  EXPECT_EQ(holders[1].get(), &second);
  EXPECT_EQ(holders[2].get(), nullptr);
  EXPECT_EQ(holders[3].get(), nullptr);
}

}  // namespace
}  // namespace lab::designs
