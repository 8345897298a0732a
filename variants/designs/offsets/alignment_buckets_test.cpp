#include "variants/designs/offsets/alignment_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lab::designs {
namespace {

constexpr ResourceKind kBuffer = ResourceKind::kBuffer, kImage = ResourceKind::kOptimalImage;

/// Heaps with sizes, and real memory behind each allocation where a test asks for it.
struct Simulated {
  explicit Simulated(std::vector<std::uint64_t> heap_of_each_type) : free_bytes(std::move(heap_of_each_type)) {}

  MemoryDevice device() {
    return {[this](unsigned type, std::uint64_t bytes) -> std::optional<std::uint64_t> {
              asked.push_back(bytes);
              if (bytes > free_bytes.at(type)) return std::nullopt;
              free_bytes[type] -= bytes;
              live[++last] = {type, bytes};
              return last;
            },
            [this](std::uint64_t allocation) {
              const auto found = live.find(allocation);
              ASSERT_NE(found, live.end()) << "returned twice";
              free_bytes[found->second.first] += found->second.second;
              live.erase(found);
            }};
  }

  std::vector<std::uint64_t> free_bytes;
  std::vector<std::uint64_t> asked;
  std::map<std::uint64_t, std::pair<unsigned, std::uint64_t>> live;  // type and bytes
  std::uint64_t last = 0;
};

MemoryPolicy policy_for(std::uint64_t heap, std::uint64_t parts, std::uint64_t largest) {
  MemoryPolicy policy;
  policy.heap_bytes = {heap};
  policy.heap_parts = parts;
  policy.largest_resource = largest;
  return policy;
}

bool freed(AlignmentBuckets& buckets, MemoryPlace place) {
  const std::optional<MemoryBlock> block = buckets.find(place);
  if (block) buckets.free(*block);
  return block.has_value();
}

bool moved(AlignmentBuckets& buckets, MemoryPlace from, MemoryPlace to) {
  const std::optional<MemoryBlock> block = buckets.find(from);
  if (!block) return false;
  const std::optional<MemoryBlock> now = buckets.move(*block, to);
  EXPECT_TRUE(!now || now->place == to);
  return now.has_value();
}

TEST(MemoryPolicy, makes_allocations_of_the_larger_of_M_and_a_part_of_the_heap) {
  // The article's example, and the same for 8 GiB.
  EXPECT_EQ(policy_for(8'000'000'000, 62, 64'000'000).allocation_bytes(0), 129'032'258u);
  EXPECT_EQ(policy_for(std::uint64_t{8} << 30, 62, 64'000'000).allocation_bytes(0), 138'547'332u);
  EXPECT_EQ(policy_for(2'000'000'000, 62, 64'000'000).allocation_bytes(0), 64'000'000u);
}

TEST(MemoryPolicy, never_exceeds_the_heap_or_what_the_device_allows_for_one_allocation) {
  EXPECT_EQ(policy_for(1000, 62, 64'000'000).allocation_bytes(0), 1000u);
  MemoryPolicy policy = policy_for(8'000'000'000, 62, 64'000'000);
  policy.max_allocation_bytes = 100'000'000;
  EXPECT_EQ(policy.allocation_bytes(0), 100'000'000u);
  policy.max_allocation_bytes = 50'000'000;
  EXPECT_EQ(policy.allocation_bytes(0), 50'000'000u);
}

TEST(AlignmentBuckets, keeps_kinds_alignments_and_memory_types_apart) {
  Simulated simulated({10'000, 10'000});
  MemoryPolicy policy = policy_for(10'000, 10, 500);
  policy.heap_bytes.push_back(10'000);
  AlignmentBuckets buckets(policy, simulated.device());
  std::set<std::uint64_t> allocations;
  for (const ResourceKind kind : {kBuffer, ResourceKind::kLinearImage, kImage})
    for (const std::uint64_t alignment : {16u, 64u})
      for (const unsigned type : {0u, 1u}) {
        const MemoryRequest request{100, alignment, type, kind};
        const PlacedMemory first = buckets.allocate(request), second = buckets.allocate(request);
        EXPECT_TRUE(allocations.insert(first.block.place.allocation).second) << "an allocation is shared";
        EXPECT_EQ(second.block.place, (MemoryPlace{first.block.place.allocation, alignment == 16 ? 112u : 128u}));
        EXPECT_EQ(simulated.live.at(first.block.place.allocation), (std::pair{type, std::uint64_t{1000}}));
      }
  EXPECT_EQ(buckets.allocation_count(), 12u);
  EXPECT_EQ(buckets.groups().size(), 12u);
  EXPECT_EQ(buckets.usage().rounding(), 6u * 24u + 6u * 56u);
}

TEST(AlignmentBuckets, serves_the_largest_resource_even_if_it_is_no_multiple_of_its_alignment) {
  Simulated simulated({1'000'000'000});
  AlignmentBuckets buckets(policy_for(1'000'000'000, 62, 64'000'000), simulated.device());
  const PlacedMemory placed = buckets.allocate({64'000'000, 65536, 0, kImage});
  EXPECT_EQ(placed.refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.usage().allocated, 64'000'000u);
  EXPECT_EQ(buckets.usage().free(), 0u);
}

TEST(AlignmentBuckets, refuses_with_a_reason_and_without_a_change) {
  Simulated simulated({10'000});
  MemoryPolicy policy = policy_for(10'000, 10, 500);
  policy.max_allocation_bytes = 800;
  policy.max_allocations = 2;
  AlignmentBuckets buckets(policy, simulated.device());
  EXPECT_EQ(buckets.allocate({501, 1, 0, kImage}).refusal, MemoryRefusal::kHumongous);
  EXPECT_EQ(buckets.allocate({501, 1, 0, ResourceKind::kLinearImage}).refusal, MemoryRefusal::kHumongous);
  EXPECT_EQ(buckets.allocate({801, 1, 0, kBuffer}).refusal, MemoryRefusal::kTooLarge);
  EXPECT_EQ(buckets.allocate({~std::uint64_t{0}, 1, 0, kBuffer}).refusal, MemoryRefusal::kTooLarge);
  EXPECT_EQ(buckets.allocate_dedicated({801, 1, 0, kImage}).refusal, MemoryRefusal::kTooLarge);
  EXPECT_EQ(buckets.allocate({1, 0, 0, kBuffer}).refusal, MemoryRefusal::kInvalid);
  EXPECT_EQ(buckets.allocate({1, 1, 1, kBuffer}).refusal, MemoryRefusal::kInvalid);
  EXPECT_EQ(buckets.allocation_count(), 0u);

  EXPECT_EQ(buckets.allocate({501, 1, 0, kBuffer}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.allocate_dedicated({501, 1, 0, kImage}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.allocate({1, 4, 0, kBuffer}).refusal, MemoryRefusal::kTooManyAllocations);
  EXPECT_EQ(buckets.allocate_dedicated({1, 1, 0, kBuffer}).refusal, MemoryRefusal::kTooManyAllocations);
  EXPECT_EQ(buckets.allocate({299, 1, 0, kBuffer}).refusal, MemoryRefusal::kNone) << "an old allocation has room";
  EXPECT_EQ(buckets.allocation_count(), 2u);
  EXPECT_EQ(buckets.dedicated_count(), 1u);

  EXPECT_EQ(sentence(MemoryRefusal::kNone), "");
  EXPECT_EQ(sentence(MemoryRefusal::kHumongous),
            "the image is larger than the largest resource of the policy: a render target of this size needs a "
            "dedicated allocation through the render-target interface");
  EXPECT_NE(sentence(MemoryRefusal::kInvalid), "");
}

TEST(AlignmentBuckets, asks_for_less_when_the_device_has_no_memory_for_a_whole_allocation) {
  Simulated simulated({1300});
  AlignmentBuckets buckets(policy_for(10'000, 10, 500), simulated.device());
  EXPECT_EQ(buckets.allocate({500, 1, 0, kBuffer}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.allocate({500, 1, 0, kBuffer}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.allocate({200, 1, 0, kBuffer}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(simulated.asked, (std::vector<std::uint64_t>{1000, 1000, 500, 250}));
  simulated.asked.clear();
  EXPECT_EQ(buckets.allocate({100, 1, 0, kBuffer}).refusal, MemoryRefusal::kOutOfMemory);
  EXPECT_EQ(simulated.asked, (std::vector<std::uint64_t>{1000, 500, 250, 125, 100}));
  EXPECT_EQ(buckets.allocate({50, 1, 0, kBuffer}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.allocate({50, 4, 0, kBuffer}).refusal, MemoryRefusal::kNone);
  EXPECT_EQ(buckets.allocate({0, 8, 0, kBuffer}).refusal, MemoryRefusal::kOutOfMemory) << "0 counts as 1";
}

TEST(AlignmentBuckets, returns_an_empty_allocation_when_its_bucket_has_a_second_one) {
  Simulated simulated({10'000});
  AlignmentBuckets buckets(policy_for(10'000, 10, 1000), simulated.device());
  std::vector<MemoryPlace> places;
  for (int i = 0; i < 3; ++i) places.push_back(buckets.allocate({1000, 1, 0, kImage}).block.place);
  EXPECT_TRUE(freed(buckets, places[1]));
  EXPECT_EQ(buckets.allocation_count(), 3u) << "one stays for the next resource";
  EXPECT_FALSE(freed(buckets, places[1]));
  EXPECT_EQ(buckets.allocate({1000, 1, 0, kImage}).block.place, places[1]);
  EXPECT_TRUE(freed(buckets, places[1]));
  EXPECT_TRUE(freed(buckets, places[0]));
  EXPECT_EQ(buckets.allocation_count(), 2u);
  EXPECT_FALSE(freed(buckets, places[0])) << "its allocation is gone";
  EXPECT_TRUE(freed(buckets, places[2]));
  EXPECT_EQ(buckets.allocation_count(), 1u);
  buckets.return_empty();
  EXPECT_EQ(buckets.allocation_count(), 0u);
  EXPECT_TRUE(buckets.groups().empty());
  EXPECT_EQ(simulated.free_bytes[0], 10'000u);
}

TEST(AlignmentBuckets, returns_a_dedicated_allocation_at_once) {
  Simulated simulated({10'000});
  AlignmentBuckets buckets(policy_for(10'000, 10, 1000), simulated.device());
  const PlacedMemory placed = buckets.allocate_dedicated({3000, 256, 0, kImage});
  EXPECT_EQ(simulated.live.at(placed.block.place.allocation).second, 3000u);
  EXPECT_FALSE(freed(buckets, {placed.block.place.allocation, 256}));
  EXPECT_TRUE(freed(buckets, placed.block.place));
  EXPECT_EQ(buckets.dedicated_count(), 0u);
  EXPECT_TRUE(simulated.live.empty());
}

TEST(AlignmentBuckets, returns_empty_allocations_of_other_buckets_before_it_refuses) {
  Simulated simulated({2000});
  MemoryPolicy policy = policy_for(2000, 2, 1000);
  policy.max_allocations = 2;
  AlignmentBuckets buckets(policy, simulated.device());
  const MemoryPlace image = buckets.allocate({10, 1, 0, kImage}).block.place;
  const MemoryPlace buffer = buckets.allocate({10, 1, 0, kBuffer}).block.place;
  EXPECT_TRUE(freed(buckets, image));
  EXPECT_EQ(buckets.allocate({1000, 4, 0, kImage}).refusal, MemoryRefusal::kNone) << "the limit is 2 allocations";
  EXPECT_TRUE(freed(buckets, buffer));
  EXPECT_EQ(buckets.allocate_dedicated({1000, 4, 0, kImage}).refusal, MemoryRefusal::kNone) << "the heap has 2000";
  EXPECT_EQ(buckets.allocation_count(), 2u);
}

TEST(AlignmentBuckets, returns_everything_when_it_ends) {
  Simulated simulated({10'000});
  {
    AlignmentBuckets buckets(policy_for(10'000, 10, 1000), simulated.device());
    buckets.allocate({10, 1, 0, kImage});
    buckets.allocate_dedicated({10, 1, 0, kImage});
    EXPECT_EQ(simulated.live.size(), 2u);
  }
  EXPECT_TRUE(simulated.live.empty());
}

TEST(AlignmentBuckets, reports_usage_and_fragmentation) {
  Simulated simulated({10'000});
  AlignmentBuckets buckets(policy_for(10'000, 10, 1000), simulated.device());
  std::vector<MemoryPlace> places;
  for (int i = 0; i < 15; ++i) places.push_back(buckets.allocate({60, 64, 0, kImage}).block.place);
  EXPECT_TRUE(freed(buckets, places[3]));
  EXPECT_TRUE(freed(buckets, places[14]));
  const MemoryUsage usage = buckets.groups().at({kImage, 64, 0, 0});
  EXPECT_EQ(usage.allocations, 1u);
  EXPECT_EQ(usage.resources, 13u);
  EXPECT_EQ(usage.allocated, 1000u);
  EXPECT_EQ(usage.used, 13u * 64u);
  EXPECT_EQ(usage.rounding(), 13u * 4u);
  EXPECT_EQ(usage.free(), 168u);
  EXPECT_EQ(usage.largest_free, 104u);
  EXPECT_EQ(usage.free_tails, 1000u % 64u);
  EXPECT_DOUBLE_EQ(usage.fragmentation(), 1 - 104.0 / 168);
}

TEST(AlignmentBuckets, plans_to_empty_the_emptiest_allocation) {
  Simulated simulated({10'000});
  AlignmentBuckets buckets(policy_for(10'000, 10, 1000), simulated.device());
  std::vector<MemoryPlace> places;
  for (const std::uint64_t bytes : {900u, 100u, 800u})
    places.push_back(buckets.allocate({bytes, 1, 0, kImage}).block.place);
  EXPECT_TRUE(freed(buckets, places[0]));
  const MemoryPlace target{places[2].allocation, 800};
  EXPECT_EQ(plan_compaction(buckets), (std::vector<MemoryMove>{{places[1], target, 100}}));
  EXPECT_TRUE(moved(buckets, places[1], target));
  EXPECT_EQ(buckets.allocation_count(), 2u) << "later moves may need the empty one";
  buckets.return_empty();
  EXPECT_EQ(buckets.allocation_count(), 1u);
  EXPECT_TRUE(freed(buckets, target));
}

TEST(AlignmentBuckets, moves_only_within_a_bucket_and_to_where_space_is_free) {
  Simulated simulated({10'000});
  AlignmentBuckets buckets(policy_for(10'000, 10, 1000), simulated.device());
  const MemoryPlace image = buckets.allocate({10, 16, 0, kImage}).block.place;
  const MemoryPlace other = buckets.allocate({20, 16, 0, kImage}).block.place;
  const MemoryPlace buffer = buckets.allocate({10, 16, 0, kBuffer}).block.place;
  const MemoryPlace alone = buckets.allocate_dedicated({10, 16, 0, kImage}).block.place;
  for (const MemoryPlace& to : {MemoryPlace{buffer.allocation, 160}, other, MemoryPlace{image.allocation, 40},
                                MemoryPlace{image.allocation, 1000}, MemoryPlace{99, 0}, alone})
    EXPECT_FALSE(moved(buckets, image, to)) << to.allocation << ", " << to.offset;
  for (const MemoryPlace& from : {MemoryPlace{image.allocation, 160}, MemoryPlace{99, 0}, alone})
    EXPECT_FALSE(moved(buckets, from, {image.allocation, 320})) << from.allocation << ", " << from.offset;
  EXPECT_TRUE(moved(buckets, image, {image.allocation, 320}));
  EXPECT_TRUE(freed(buckets, {image.allocation, 320}));
  EXPECT_FALSE(freed(buckets, image));
}

/// A program with many resources: what it asked for, and the byte pattern that it wrote.
struct Resource {
  MemoryRequest request;
  bool dedicated;
  unsigned number;
};

class Program {
 public:
  Program(unsigned seed, MemoryPolicy policy)
      : random_(seed), simulated_(policy.heap_bytes), buckets_(policy, simulated_.device()) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      const std::uint64_t choice = random_() % 1000;
      if (choice < 3)
        compact();
      else if (choice < 6)
        buckets_.return_empty();
      else if (!resources_.empty() && choice < (i / 500 % 2 ? 600u : 400u))
        free_one();
      else
        allocate_one();
      check();
    }
    while (!resources_.empty() && !testing::Test::HasFatalFailure()) free_one();
    buckets_.return_empty();
    EXPECT_TRUE(simulated_.live.empty());
    EXPECT_EQ(buckets_.allocation_count(), 0u);
  }

 private:
  void allocate_one() {
    static constexpr std::uint64_t kAlignments[] = {1, 16, 64, 256};
    const MemoryRequest request{random_() % (std::uint64_t{2} << random_() % 11), kAlignments[random_() % 4],
                                static_cast<unsigned>(random_() % 2), static_cast<ResourceKind>(random_() % 3)};
    const bool dedicated = random_() % 50 == 0;
    const PlacedMemory placed = dedicated ? buckets_.allocate_dedicated(request) : buckets_.allocate(request);
    if (placed.refusal != MemoryRefusal::kNone) {
      expect_refused_rightly(request, placed.refusal, dedicated);
      return;
    }
    ASSERT_EQ(placed.block.place.offset % request.alignment, 0u);
    const auto& [type, bytes] = simulated_.live.at(placed.block.place.allocation);
    ASSERT_EQ(type, request.memory_type);
    ASSERT_LE(placed.block.place.offset + std::max<std::uint64_t>(request.bytes, 1), bytes);
    ASSERT_TRUE(resources_.emplace(placed.block.place, Resource{request, dedicated, ++last_}).second);
    write(placed.block.place, request.bytes, last_);
  }

  void expect_refused_rightly(const MemoryRequest& request, MemoryRefusal refusal, bool dedicated) {
    const MemoryPolicy& policy = buckets_.policy();
    switch (refusal) {
      case MemoryRefusal::kHumongous:
        ASSERT_GT(request.bytes, policy.largest_resource);
        ASSERT_NE(request.kind, kBuffer);
        ASSERT_FALSE(dedicated);
        return;
      case MemoryRefusal::kTooLarge:
        ASSERT_GT(request.bytes,
                  dedicated ? policy.max_allocation_bytes : policy.allocation_bytes(request.memory_type));
        return;
      case MemoryRefusal::kTooManyAllocations:
        ASSERT_EQ(buckets_.allocation_count(), policy.max_allocations);
        return;
      case MemoryRefusal::kOutOfMemory:
        ASSERT_GT(std::max<std::uint64_t>(request.bytes, 1), simulated_.free_bytes.at(request.memory_type));
        return;
      default:
        FAIL() << "refused without a reason";
    }
  }

  void free_one() {
    const auto resource = std::next(resources_.begin(), static_cast<std::ptrdiff_t>(random_() % resources_.size()));
    expect_intact(*resource);
    ASSERT_TRUE(freed(buckets_, resource->first));
    resources_.erase(resource);
  }

  void compact() {
    const std::size_t before = buckets_.allocation_count();
    for (const MemoryMove& move : plan_compaction(buckets_)) {
      const auto found = resources_.find(move.from);
      ASSERT_NE(found, resources_.end());
      const Resource resource = found->second;
      ASSERT_EQ(move.bytes, std::max<std::uint64_t>(resource.request.bytes, 1));
      ASSERT_EQ(move.to.offset % resource.request.alignment, 0u);
      expect_intact(*found);
      resources_.erase(found);
      ASSERT_TRUE(moved(buckets_, move.from, move.to));
      ASSERT_FALSE(moved(buckets_, move.from, move.to));
      write(move.to, resource.request.bytes, resource.number);
      resources_.emplace(move.to, resource);
    }
    buckets_.return_empty();
    ASSERT_LE(buckets_.allocation_count(), before);
    for (const auto& resource : resources_) expect_intact(resource);
  }

  void write(MemoryPlace place, std::uint64_t bytes, unsigned number) {
    for (std::uint64_t i = 0; i < bytes; ++i) memory_[{place.allocation, place.offset + i}] = number;
  }
  void expect_intact(const std::pair<const MemoryPlace, Resource>& resource) {
    const auto& [place, what] = resource;
    for (std::uint64_t i = 0; i < what.request.bytes; ++i)
      ASSERT_EQ(memory_.at({place.allocation, place.offset + i}), what.number) << "another resource wrote here";
  }

  // What the allocator says is what the program holds.
  void check() {
    std::size_t resources = 0;
    buckets_.for_each_allocation([&](const MemoryAllocation& allocation, auto for_each_range) {
      ASSERT_EQ(simulated_.live.at(allocation.name), (std::pair{allocation.memory_type, allocation.bytes}));
      std::uint64_t end = 0;
      for_each_range([&](const OffsetRange& range) {
        ASSERT_EQ(range.offset, std::exchange(end, range.end()));
        if (!range.used) return;
        const auto found = resources_.find({allocation.name, range.offset});
        ASSERT_NE(found, resources_.end());
        const Resource& resource = found->second;
        ASSERT_EQ(range.requested, std::max<std::uint64_t>(resource.request.bytes, 1));
        ASSERT_EQ(!allocation.group, resource.dedicated);
        if (allocation.group) {
          ASSERT_EQ(*allocation.group,
                    (MemoryGroup{resource.request.kind, resource.request.alignment, resource.request.memory_type, 0}));
        }
        ++resources;
      });
      ASSERT_EQ(end, allocation.bytes);
    });
    ASSERT_EQ(resources, resources_.size());
    ASSERT_EQ(buckets_.usage().resources, resources);
    ASSERT_EQ(buckets_.allocation_count(), simulated_.live.size());
    ASSERT_LE(buckets_.allocation_count(), buckets_.policy().max_allocations);
  }

  std::mt19937_64 random_;
  Simulated simulated_;
  AlignmentBuckets buckets_;
  std::map<MemoryPlace, Resource> resources_;
  std::map<MemoryPlace, unsigned> memory_;
  unsigned last_ = 0;
};

TEST(AlignmentBuckets, keeps_every_resource_intact_for_random_requests) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    MemoryPolicy policy = policy_for(seed % 2 ? 20'000 : 60'000, 10 + seed, 1500);
    policy.heap_bytes.push_back(12'000);
    policy.max_allocations = seed % 3 ? 14 : 60;
    policy.max_allocation_bytes = seed % 4 ? 1800 : 1000;
    Program(seed, policy).run(2500);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace lab::designs
