#include "variants/designs/offsets/movable_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

using Memory = MovableMemory<AlignmentBuckets>;

constexpr ResourceKind kBuffer = ResourceKind::kBuffer, kImage = ResourceKind::kOptimalImage;
constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};

/// Allocations with real bytes, from one heap of each memory type.
struct Device {
  explicit Device(std::vector<std::uint64_t> heaps) : free_bytes(std::move(heaps)) {}

  MemoryDevice functions() {
    return {[this](unsigned type, std::uint64_t bytes) -> std::optional<std::uint64_t> {
              if (bytes > free_bytes.at(type)) return std::nullopt;
              free_bytes[type] -= bytes;
              live[++last] = {type, std::vector<std::uint8_t>(bytes)};
              return last;
            },
            [this](std::uint64_t allocation) {
              const auto found = live.find(allocation);
              ASSERT_NE(found, live.end()) << "returned twice";
              free_bytes[found->second.type] += found->second.bytes.size();
              live.erase(found);
            }};
  }

  struct Allocation {
    unsigned type;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<std::uint64_t> free_bytes;
  std::map<std::uint64_t, Allocation> live;
  std::uint64_t last = 0;
};

/// Allocations of 1000 bytes.
MemoryPolicy policy_of_1000() {
  MemoryPolicy policy;
  policy.heap_bytes = {100'000, 100'000};
  policy.fixed_bytes = 1000;
  policy.largest_resource = 1000;
  return policy;
}

/// A memory of one group, and a picture of it.
struct Images {
  Images() : device({100'000, 100'000}), memory(policy_of_1000(), device.functions()) {}

  MemoryHandle add(std::uint64_t bytes) {
    const HandledMemory made = memory.allocate({bytes, 1, 0, kImage});
    EXPECT_EQ(made.refusal, MemoryRefusal::kNone);
    EXPECT_EQ(memory.place(made.handle), made.place);
    return made.handle;
  }
  std::vector<MemoryHandle> add_all(const std::vector<std::uint64_t>& sizes) {
    std::vector<MemoryHandle> handles;
    for (const std::uint64_t bytes : sizes) handles.push_back(add(bytes));
    return handles;
  }
  /// "1: 100 -50 300", a line for each allocation; free spaces are negative, that at the end is left out.
  std::string picture() const {
    std::string text;
    memory.for_each_allocation([&](const MemoryAllocation& allocation, auto for_each_range) {
      text += (text.empty() ? "" : "\n") + std::to_string(allocation.name) + ":";
      for_each_range([&](const OffsetRange& range) {
        if (range.used || range.end() < allocation.bytes)
          text += (range.used ? " " : " -") + std::to_string(range.bytes);
      });
    });
    return text;
  }
  std::vector<HandledMove> begin(std::uint64_t most_bytes = kAnyBytes, std::size_t most_moves = Memory::kAnyNumber) {
    const std::span<const HandledMove> moves = memory.begin_pass(most_bytes, most_moves);
    return {moves.begin(), moves.end()};
  }
  int passes(std::uint64_t most_bytes) {
    int count = 0;
    for (; !begin(most_bytes).empty() && count < 1000; ++count) memory.end_pass();
    return count;
  }

  Device device;
  Memory memory;
};

TEST(MemoryHandles, know_a_freed_resource_even_if_another_has_its_entry) {
  MemoryHandles handles;
  EXPECT_EQ(handles.find({}), nullptr);
  const MemoryHandle first = handles.add({{1, 10}, 2, 3});
  const MemoryHandle second = handles.add({{1, 20}, 2, 4});
  EXPECT_EQ(handles.find(first)->block, (MemoryBlock{{1, 10}, 2, 3}));
  handles.remove(first);
  EXPECT_EQ(handles.find(first), nullptr);
  const MemoryHandle third = handles.add({{5, 0}, 6, 7});
  EXPECT_EQ(third.index, first.index);
  EXPECT_EQ(handles.find(first), nullptr);
  EXPECT_EQ(handles.find({third.index, third.generation + 1}), nullptr);
  EXPECT_EQ(handles.find(third)->block, (MemoryBlock{{5, 0}, 6, 7}));
  EXPECT_EQ(handles.find(second)->block, (MemoryBlock{{1, 20}, 2, 4}));
  EXPECT_EQ(handles.count(), 2u);
}

TEST(MovableMemory, answers_for_a_freed_resource_that_it_is_gone) {
  Images images;
  const MemoryHandle handle = images.add(100);
  EXPECT_TRUE(images.memory.free(handle));
  EXPECT_FALSE(images.memory.free(handle));
  EXPECT_EQ(images.memory.place(handle), std::nullopt);
  const MemoryHandle other = images.add(100);
  EXPECT_EQ(images.memory.place(handle), std::nullopt);
  EXPECT_FALSE(images.memory.free(handle));
  EXPECT_FALSE(images.memory.drop(other));
  EXPECT_NE(images.memory.place(other), std::nullopt);
  EXPECT_FALSE(images.memory.free({}));
}

TEST(MovableMemory, passes_on_why_a_request_is_refused) {
  Images images;
  EXPECT_EQ(images.memory.allocate({1001, 1, 0, kImage}).refusal, MemoryRefusal::kHumongous);
  EXPECT_EQ(images.memory.allocate({1, 3, 0, kImage}).refusal, MemoryRefusal::kInvalid);
  EXPECT_EQ(images.memory.allocate_dedicated({100'001, 1, 0, kImage}).refusal, MemoryRefusal::kTooLarge);
  EXPECT_EQ(images.memory.place(images.memory.allocate({1001, 1, 0, kImage}).handle), std::nullopt);
}

TEST(MovableMemory, empties_the_least_used_allocation_into_the_most_used_one_that_has_room) {
  Images images;
  const auto handles = images.add_all({700, 300, 800, 150, 30, 1000, 100, 60});
  images.memory.free(handles[1]);
  ASSERT_EQ(images.picture(), "1: 700\n2: 800 150 30\n3: 1000\n4: 100 60") << "the small ones came when 1 was full";
  EXPECT_EQ(images.begin(),
            (std::vector<HandledMove>{{handles[6], {4, 0}, {1, 700}, 100}, {handles[7], {4, 100}, {1, 800}, 60}}));
  EXPECT_EQ(images.picture(), "1: 700 100 60\n2: 800 150 30\n3: 1000\n4: 100 60");
  EXPECT_EQ(images.memory.place(handles[6]), (MemoryPlace{4, 0}));
  images.memory.end_pass();
  EXPECT_EQ(images.picture(), "1: 700 100 60\n2: 800 150 30\n3: 1000");
  EXPECT_EQ(images.memory.place(handles[6]), (MemoryPlace{1, 700}));
  EXPECT_EQ(images.device.live.size(), 3u);
  EXPECT_TRUE(images.begin().empty());
}

TEST(MovableMemory, moves_nothing_out_of_an_allocation_that_has_just_received) {
  Images images;
  const auto handles = images.add_all({900, 100, 900, 100, 60, 60, 880, 110});
  for (const std::size_t filler : {1, 3, 6}) images.memory.free(handles[filler]);
  ASSERT_EQ(images.picture(), "1: 900\n2: 900\n3: 60 60\n4: 110");
  EXPECT_EQ(images.passes(kAnyBytes), 1);
  EXPECT_EQ(images.picture(), "1: 900\n2: 900\n3: 60 60 110") << "60 and 60 fit into the others, and then 110 does not";
}

TEST(MovableMemory, moves_nothing_out_of_an_allocation_that_the_others_cannot_take_whole) {
  Images images;
  const auto handles = images.add_all({700, 200, 100, 500, 90});
  images.memory.free(handles[2]);
  ASSERT_EQ(images.picture(), "1: 700 200\n2: 500 90");
  EXPECT_TRUE(images.begin().empty());
}

TEST(MovableMemory, closes_holes_towards_the_beginning_without_an_overlap) {
  Images images;
  const auto handles = images.add_all({100, 50, 200, 70, 60, 300, 220});
  ASSERT_EQ(images.picture(), "1: 100 50 200 70 60 300 220");
  images.memory.free(handles[1]);
  images.memory.free(handles[3]);
  ASSERT_EQ(images.picture(), "1: 100 -50 200 -70 60 300 220");
  EXPECT_EQ(images.begin(), (std::vector<HandledMove>{{handles[4], {1, 420}, {1, 350}, 60}}));
  images.memory.end_pass();
  EXPECT_EQ(images.picture(), "1: 100 -50 200 60 -70 300 220");
  EXPECT_TRUE(images.begin().empty()) << "what is behind a small space would overlap itself";
}

TEST(MovableMemory, never_exceeds_the_bytes_and_moves_of_a_pass) {
  struct Bound {
    std::uint64_t bytes;
    std::size_t moves;
    std::vector<std::uint64_t> moved;
  };
  for (const Bound& bound : std::initializer_list<Bound>{{0, Memory::kAnyNumber, {}},
                                                         {1, Memory::kAnyNumber, {}},
                                                         {19, Memory::kAnyNumber, {}},
                                                         {59, Memory::kAnyNumber, {}},
                                                         {60, Memory::kAnyNumber, {60}},
                                                         {100, Memory::kAnyNumber, {60, 40}},
                                                         {199, Memory::kAnyNumber, {60, 50, 40, 30}},
                                                         {200, Memory::kAnyNumber, {60, 50, 40, 30, 20}},
                                                         {kAnyBytes, 2, {60, 50}},
                                                         {kAnyBytes, 0, {}}}) {
    Images images;
    const auto handles = images.add_all({700, 300, 60, 50, 40, 30, 20});
    images.memory.free(handles[1]);
    ASSERT_EQ(images.picture(), "1: 700\n2: 60 50 40 30 20");
    std::vector<std::uint64_t> moved;
    for (const HandledMove& move : images.begin(bound.bytes, bound.moves)) moved.push_back(move.bytes);
    EXPECT_EQ(moved, bound.moved) << bound.bytes << ": below 60, the second allocation cannot be emptied";
    EXPECT_EQ(images.memory.in_pass(), !moved.empty());
  }
}

TEST(MovableMemory, goes_on_in_the_next_pass) {
  Images images;
  const auto handles = images.add_all({600, 400, 100, 90, 80, 70, 60});
  images.memory.free(handles[1]);
  ASSERT_EQ(images.picture(), "1: 600\n2: 100 90 80 70 60");
  EXPECT_EQ(images.begin(170),
            (std::vector<HandledMove>{{handles[2], {2, 0}, {1, 600}, 100}, {handles[5], {2, 270}, {1, 870}, 70}}));
  images.memory.end_pass();
  EXPECT_EQ(images.passes(170), 2);
  EXPECT_EQ(images.picture(), "1: 600 100 90 80 70 60");
}

TEST(MovableMemory, does_not_empty_an_allocation_with_a_resource_above_the_bound_but_fills_it_first) {
  Images images;
  const auto handles = images.add_all({500, 500, 200, 100, 90});
  images.memory.free(handles[1]);
  const auto more = images.add_all({60, 50});
  ASSERT_EQ(images.picture(), "1: 500 60 50\n2: 200 100 90");
  images.memory.free(handles[0]);
  ASSERT_EQ(images.picture(), "1: -500 60 50\n2: 200 100 90");
  EXPECT_EQ(images.passes(199), 1);
  EXPECT_EQ(images.picture(), "2: 200 100 90 60 50") << "the first has smaller ones alone";
  const MemoryHandle large = images.add(800);
  images.memory.free(handles[2]);
  ASSERT_EQ(images.picture(), "3: 800\n2: -200 100 90 60 50");
  images.memory.free(handles[3]);
  images.memory.free(handles[4]);
  EXPECT_EQ(images.begin(799),
            (std::vector<HandledMove>{{more[0], {2, 390}, {3, 800}, 60}, {more[1], {2, 450}, {3, 860}, 50}}));
  images.memory.end_pass();
  EXPECT_EQ(images.memory.place(large), (MemoryPlace{3, 0}));
}

TEST(MovableMemory, keeps_a_resource_whose_move_is_dropped_until_a_pass_finds_no_moves) {
  Images images;
  const auto handles = images.add_all({600, 400, 100, 90});
  images.memory.free(handles[1]);
  ASSERT_EQ(images.begin().size(), 2u);
  EXPECT_TRUE(images.memory.drop(handles[2]));
  EXPECT_FALSE(images.memory.drop(handles[2]));
  EXPECT_EQ(images.picture(), "1: 600 -100 90\n2: 100 90");
  images.memory.end_pass();
  EXPECT_EQ(images.picture(), "1: 600 -100 90\n2: 100");
  EXPECT_EQ(images.memory.place(handles[2]), (MemoryPlace{2, 0}));
  const std::vector<HandledMove> next = images.begin();
  ASSERT_EQ(next.size(), 2u) << "the second allocation is fixed, and takes all of the first";
  EXPECT_EQ(next[0], (HandledMove{handles[0], {1, 0}, {2, 100}, 600}));
  for (const HandledMove& move : next) EXPECT_TRUE(images.memory.drop(move.handle));
  images.memory.end_pass();
  EXPECT_TRUE(images.begin().empty());
  EXPECT_EQ(images.begin().size(), 1u) << "a new round";
}

TEST(MovableMemory, frees_both_places_of_a_resource_that_is_freed_during_its_move) {
  Images images;
  const auto handles = images.add_all({600, 400, 100, 90});
  images.memory.free(handles[1]);
  ASSERT_EQ(images.begin().size(), 2u);
  EXPECT_TRUE(images.memory.free(handles[2]));
  EXPECT_EQ(images.picture(), "1: 600 -100 90\n2: -100 90");
  const MemoryHandle during = images.add(100);
  EXPECT_EQ(images.memory.place(during), (MemoryPlace{1, 600}));
  images.memory.end_pass();
  EXPECT_EQ(images.picture(), "1: 600 100 90");
  EXPECT_EQ(images.memory.place(handles[2]), std::nullopt);
  EXPECT_EQ(images.memory.place(handles[3]), (MemoryPlace{1, 700}));
}

TEST(MovableMemory, never_moves_a_dedicated_resource_or_one_into_another_group) {
  Images images;
  const MemoryHandle alone = images.memory.allocate_dedicated({10, 1, 0, kImage}).handle;
  images.add(10);
  images.memory.allocate({10, 1, 0, kBuffer});
  images.memory.allocate({10, 2, 0, kImage});
  images.memory.allocate({10, 1, 1, kImage});
  EXPECT_TRUE(images.begin().empty());
  EXPECT_EQ(images.memory.place(alone)->offset, 0u);
  EXPECT_EQ(images.device.live.size(), 5u);
}

/// A program with real bytes, which allocates, frees and defragments.
class Program {
 public:
  Program(unsigned seed, const MemoryPolicy& policy)
      : random_(seed),
        device_(policy.heap_bytes),
        memory_(policy, device_.functions()),
        limit_(policy.max_allocations) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      act(i / 300 % 2 == 1);
      if (i % 10 == 0) pass();
      check();
    }
    if (!testing::Test::HasFatalFailure()) finish();
    while (!resources_.empty() && !testing::Test::HasFatalFailure()) free_one();
    if (testing::Test::HasFatalFailure()) return;
    for (const MemoryHandle handle : freed_) ASSERT_EQ(memory_.place(handle), std::nullopt);
    ASSERT_EQ(memory_.usage().resources, 0u);
  }

 private:
  struct Resource {
    MemoryRequest request;
    MemoryHandle handle;
    unsigned number;
    bool dedicated;
  };
  using Range = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // allocation, begin, end

  static std::uint64_t bytes_of(const Resource& resource) { return std::max<std::uint64_t>(resource.request.bytes, 1); }
  static Range range_of(MemoryPlace place, std::uint64_t bytes) {
    return {place.allocation, place.offset, place.offset + bytes};
  }

  void act(bool shrink) {
    if (!resources_.empty() && random_() % 100 < (shrink ? 65u : 35u))
      free_one();
    else
      allocate_one();
  }

  void allocate_one() {
    static constexpr std::uint64_t kAlignments[] = {1, 16, 256};
    const MemoryRequest request{random_() % (std::uint64_t{2} << random_() % 10), kAlignments[random_() % 3],
                                static_cast<unsigned>(random_() % 2), random_() % 3 == 0 ? kBuffer : kImage};
    const bool dedicated = random_() % 40 == 0;
    const HandledMemory made = dedicated ? memory_.allocate_dedicated(request) : memory_.allocate(request);
    ASSERT_LE(device_.live.size(), limit_);
    if (made.refusal != MemoryRefusal::kNone) return;
    resources_.push_back({request, made.handle, ++last_, dedicated});
    ASSERT_EQ(memory_.place(made.handle), made.place);
    for (std::uint64_t i = 0; i < request.bytes; ++i) bytes_at(made.place)[i] = pattern(last_, i);
  }

  void free_one() {
    const std::size_t index = random_() % resources_.size();
    expect_intact(resources_[index]);
    ASSERT_TRUE(memory_.free(resources_[index].handle));
    ASSERT_FALSE(memory_.free(resources_[index].handle));
    freed_.push_back(resources_[index].handle);
    resources_[index] = resources_.back();
    resources_.pop_back();
  }

  void pass() {
    static constexpr std::uint64_t kBounds[] = {0, 1, 2, 50, 300, 1000, 3000, kAnyBytes};
    const std::uint64_t bound = kBounds[random_() % 8];
    const std::size_t most_moves = random_() % 3 == 0 ? random_() % 4 : Memory::kAnyNumber;
    pass(bound, most_moves, true);
  }

  std::size_t pass(std::uint64_t bound, std::size_t most_moves, bool disturb) {
    const std::size_t before = device_.live.size();
    const auto potential_before = potential(bound);
    const std::span<const HandledMove> begun = memory_.begin_pass(bound, most_moves);
    const std::vector<HandledMove> moves(begun.begin(), begun.end());
    EXPECT_EQ(device_.live.size(), before) << "a pass takes nothing from the device";
    std::uint64_t bytes = 0;
    std::map<std::uint64_t, HandledMove> by_number;
    for (const HandledMove& move : moves) {
      bytes += move.bytes;
      const auto resource =
          std::ranges::find_if(resources_, [&](const Resource& r) { return r.handle == move.handle; });
      if (resource == resources_.end()) {
        ADD_FAILURE() << "moves what is not there";
        return 0;
      }
      EXPECT_EQ(move.from, memory_.place(move.handle));
      EXPECT_EQ(move.bytes, bytes_of(*resource));
      EXPECT_EQ(move.to.offset % resource->request.alignment, 0u);
      EXPECT_EQ(device_.live.at(move.to.allocation).type, resource->request.memory_type);
      EXPECT_TRUE(by_number.emplace(resource->number, move).second) << "moves twice";
    }
    EXPECT_LE(bytes, bound);
    EXPECT_LE(moves.size(), most_moves);
    expect_apart(by_number);
    if (moves.empty()) return 0;

    // The copies, in any order, while the program goes on.
    std::vector<unsigned> order;
    for (const auto& [number, move] : by_number) order.push_back(static_cast<unsigned>(number));
    std::ranges::shuffle(order, random_);
    for (const unsigned number : order) {
      const auto resource = std::ranges::find(resources_, number, &Resource::number);
      if (resource == resources_.end()) {
        by_number.erase(number);  // freed by now
        continue;
      }
      const HandledMove& move = by_number.at(number);
      if (disturb && random_() % 8 == 0) {
        EXPECT_TRUE(memory_.drop(move.handle));
        by_number.erase(number);
        continue;
      }
      const std::uint8_t* const source = bytes_at(move.from);
      std::copy(source, source + move.bytes, bytes_at(move.to));
      EXPECT_EQ(memory_.place(move.handle), move.from);
      for (std::uint64_t i = 0; disturb && i < random_() % 4; ++i) act(i % 2 == 0);
    }
    std::erase_if(by_number, [&](const auto& move) {
      return std::ranges::find(resources_, move.first, &Resource::number) == resources_.end();
    });
    expect_apart(by_number);
    for (const Resource& resource : resources_) expect_intact(resource);
    std::map<std::uint64_t, MemoryPlace> expected;
    for (const Resource& resource : resources_) {
      const auto move = by_number.find(resource.number);
      expected[resource.number] = move == by_number.end() ? *memory_.place(resource.handle) : move->second.to;
    }
    memory_.end_pass();
    for (const Resource& resource : resources_) EXPECT_EQ(memory_.place(resource.handle), expected[resource.number]);
    if (!disturb) {
      EXPECT_LE(device_.live.size(), before);
      EXPECT_LT(potential(bound), potential_before);
    }
    check();
    return moves.size();
  }

  // Passes end, for each bound, and a second round has nothing to do.
  void finish() {
    ASSERT_TRUE(memory_.begin_pass(0).empty()) << "what was dropped may move again";
    for (const std::uint64_t bound : {std::uint64_t{100}, std::uint64_t{1000}, kAnyBytes}) {
      while (pass(bound, Memory::kAnyNumber, false) > 0 && !testing::Test::HasFailure()) {
      }
      ASSERT_TRUE(memory_.begin_pass(bound).empty());
    }
    const auto smallest = std::ranges::min_element(resources_, {}, bytes_of);
    ASSERT_TRUE(smallest == resources_.end() || memory_.begin_pass(bytes_of(*smallest) - 1).empty());
  }

  // What falls with every pass: requested bytes where all resources may move; minus the squares; all offsets.
  std::array<std::int64_t, 3> potential(std::uint64_t bound) const {
    std::array<std::int64_t, 3> sums{};
    memory_.for_each_allocation([&](const MemoryAllocation& allocation, auto for_each_range) {
      if (!allocation.group) return;
      std::int64_t requested = 0;
      bool fixed = false;
      for_each_range([&](const OffsetRange& range) {
        if (!range.used) return;
        requested += static_cast<std::int64_t>(range.requested);
        fixed |= range.requested > bound;
        sums[2] += static_cast<std::int64_t>(range.offset);
      });
      if (fixed) return;
      sums[0] += requested;
      sums[1] -= requested * requested;
    });
    return sums;
  }

  // All sources and destinations at once.
  void expect_apart(const std::map<std::uint64_t, HandledMove>& moves) const {
    std::vector<Range> ranges;
    for (const Resource& resource : resources_)
      ranges.push_back(range_of(*memory_.place(resource.handle), bytes_of(resource)));
    for (const auto& [number, move] : moves) ranges.push_back(range_of(move.to, move.bytes));
    std::ranges::sort(ranges);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const auto& [allocation, begin, end] = ranges[i];
      EXPECT_LE(end, device_.live.at(allocation).bytes.size());
      if (i + 1 < ranges.size() && std::get<0>(ranges[i + 1]) == allocation) {
        EXPECT_LE(end, std::get<1>(ranges[i + 1])) << "overlap";
      }
    }
  }

  std::uint8_t* bytes_at(MemoryPlace place) { return device_.live.at(place.allocation).bytes.data() + place.offset; }
  static std::uint8_t pattern(unsigned number, std::uint64_t i) {
    return static_cast<std::uint8_t>((number * 0x9e3779b9u + i * 0x85ebca6bu) >> 11);
  }
  void expect_intact(const Resource& resource) {
    const MemoryPlace place = memory_.place(resource.handle).value();
    for (std::uint64_t i = 0; i < resource.request.bytes; ++i)
      ASSERT_EQ(bytes_at(place)[i], pattern(resource.number, i)) << "byte " << i << " of resource " << resource.number;
  }

  void check() {
    const MemoryUsage usage = memory_.usage();
    ASSERT_EQ(usage.resources, resources_.size());
    ASSERT_EQ(usage.allocations, device_.live.size());
    std::uint64_t requested = 0;
    for (const Resource& resource : resources_) requested += bytes_of(resource);
    ASSERT_EQ(usage.requested, requested);
  }

  std::mt19937_64 random_;
  Device device_;
  Memory memory_;
  std::size_t limit_;
  std::vector<Resource> resources_;
  std::vector<MemoryHandle> freed_;
  unsigned last_ = 0;
};

TEST(MovableMemory, keeps_every_byte_of_a_random_program_that_goes_on_between_and_during_passes) {
  for (unsigned seed = 0; seed < 16; ++seed) {
    MemoryPolicy policy;
    policy.heap_bytes = {seed % 2 ? 40'000u : 15'000u, 12'000};
    policy.heap_parts = 8 + seed % 5;
    policy.largest_resource = 1000;
    policy.max_allocations = seed % 3 ? 14 : 60;
    policy.max_allocation_bytes = seed % 4 ? 1800 : 1037;
    Program(seed, policy).run(1500);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace lab::designs
