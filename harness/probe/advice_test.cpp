#include "harness/probe/advice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lab::probe {

namespace {

using designs::ResourceKind;
using results::AdviceUse;
using results::MemoryType;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// As RADV describes a Radeon RX 5700.
AdviceDevice radeon() {
  return {"radv-1-navi10",
          {{8 * kGiB, {"device local"}}, {16 * kGiB, {}}, {256 << 20, {"device local"}}},
          {{0, {"device local"}},
           {1, {"host visible", "host coherent"}},
           {2, {"device local", "host visible", "host coherent"}},
           {1, {"host visible", "host coherent", "host cached"}},
           {0, {"device local", "device coherent amd"}},
           {0, {"device local", "lazily allocated"}}},
          4096,
          4 * kGiB};
}

AdviceRequest image(std::string name, std::uint64_t size, std::uint64_t alignment, std::uint64_t count = 1) {
  AdviceRequest request;
  request.name = std::move(name);
  request.what = "an image";
  request.count = count;
  request.needs = {.size = size, .alignment = alignment, .memory_type_bits = 0x3f};
  return request;
}

AdviceRequest buffer(std::string name, std::uint64_t size, std::uint64_t count = 1) {
  AdviceRequest request = image(std::move(name), size, 16, count);
  request.what = "a buffer";
  request.kind = ResourceKind::kBuffer;
  return request;
}

results::Advice advice_for(const std::vector<AdviceRequest>& requests, const AdviceOptions& options = {},
                           const AdviceDevice& device = radeon()) {
  const Expected<results::Advice> advice = advise(requests, device, options);
  EXPECT_TRUE(advice) << advice.error().what;
  return advice ? *advice : results::Advice{};
}

std::vector<std::string> reasons(const results::Advice& advice) {
  std::vector<std::string> all;
  for (const results::AdviceRefusal& refused : advice.refused)
    all.push_back(std::to_string(refused.use.count) + " " + refused.use.name + ": " + refused.why);
  return all;
}

using Reasons = std::vector<std::string>;

}  // namespace

TEST(ChosenMemoryType, is_the_first_device_local_one_that_the_driver_allows) {
  const std::vector<MemoryType> types = radeon().memory_types;
  EXPECT_EQ(chosen_memory_type(types, 0x3f, {}), 0u);
  EXPECT_EQ(chosen_memory_type(types, 0x3e, {}), 2u);
  EXPECT_EQ(chosen_memory_type(types, 0x0a, {}), 1u) << "none is device local";
  EXPECT_EQ(chosen_memory_type(types, 0xffffffff, {"host visible"}), 2u);
  EXPECT_EQ(chosen_memory_type(types, 0x3f, {"host visible", "host cached"}), 3u);
  EXPECT_EQ(chosen_memory_type(types, 0, {}), std::nullopt);
  EXPECT_EQ(chosen_memory_type(types, 0x1, {"host visible"}), std::nullopt);
  EXPECT_EQ(chosen_memory_type({}, 0x1, {}), std::nullopt);
}

TEST(ChosenMemoryType, is_one_for_a_special_use_only_on_request) {
  const std::vector<MemoryType> types = radeon().memory_types;
  EXPECT_EQ(chosen_memory_type(types, 0x30, {}), std::nullopt);
  EXPECT_EQ(chosen_memory_type(types, 0x3f, {"lazily allocated"}), 5u);
  EXPECT_EQ(chosen_memory_type(types, 0x3f, {"device coherent amd"}), 4u);
}

TEST(Advice, for_the_articles_example_has_allocations_of_129032258_bytes) {
  const results::Advice advice =
      advice_for({image("texture", 16'777'216, 65536, 10)},
                 {.heap_parts = 62, .largest_resource = 64'000'000, .heap_bytes = 8'000'000'000});
  const results::Advice expected{.column = "radv-1-navi10",
                                 .origin = "",
                                 .heap_parts = 62,
                                 .largest_resource = 64'000'000,
                                 .max_allocations = 4096,
                                 .max_allocation_bytes = 4 * kGiB,
                                 .allocations = 2,
                                 .heaps = {{0, 8'000'000'000, true, 2 * 129'032'258}},
                                 .buckets = {{.kind = "optimal images",
                                              .alignment = 65536,
                                              .memory_type = 0,
                                              .heap = 0,
                                              .flags = {"device local"},
                                              .allocation_bytes = 129'032'258,
                                              .allocations = 2,
                                              .allocated = 258'064'516,
                                              .requested = 167'772'160,
                                              .rounding = 0,
                                              .tails = 2 * (129'032'258 % 65536),
                                              .free = 258'064'516 - 167'772'160 - 2 * (129'032'258 % 65536),
                                              .uses = {{"texture", "an image", 10, 16'777'216}}}},
                                 .dedicated = {},
                                 .refused = {},
                                 .errata = {}};
  EXPECT_EQ(advice, expected) << serialize(to_json(advice));
}

TEST(Advice, keeps_kinds_alignments_and_memory_types_apart) {
  AdviceRequest linear = image("linear", 1000, 4096);
  linear.kind = ResourceKind::kLinearImage;
  AdviceRequest upload = buffer("upload", 1000);
  upload.memory = {"host visible"};
  const results::Advice advice = advice_for({image("small", 5000, 4096, 3), buffer("vertices", 100),
                                             image("large", 70'000, 65536), linear, upload, image("icon", 100, 4096)});
  std::vector<std::string> buckets;
  for (const results::AdviceBucket& bucket : advice.buckets) {
    buckets.push_back(bucket.kind + " " + std::to_string(bucket.alignment) + " " + std::to_string(bucket.memory_type));
    for (const AdviceUse& use : bucket.uses) buckets.back() += " " + use.name;
    buckets.back() += " " + std::to_string(bucket.rounding);
  }
  EXPECT_EQ(buckets, (std::vector<std::string>{
                         "buffers 16 0 vertices 12", "buffers 16 2 upload 8", "linear images 4096 0 linear 3096",
                         "optimal images 4096 0 small icon 13572", "optimal images 65536 0 large 61072"}));
  EXPECT_EQ(advice.allocations, 5u);
  EXPECT_EQ(reasons(advice), Reasons{});
  // The heap of 256 MB is no more than four times M.
  EXPECT_EQ(advice.buckets[1].allocation_bytes, 64'000'000u);
  EXPECT_EQ(advice.buckets[0].allocation_bytes, 138'547'332u);
}

TEST(Advice, gives_an_allocation_of_its_own_to_what_the_driver_wishes_and_to_humongous_render_targets) {
  AdviceRequest preferred = image("preferred", 1000, 4096, 2), required = image("required", 2000, 4096);
  preferred.needs.dedicated = results::Dedicated::kPreferred;
  required.needs.dedicated = results::Dedicated::kRequired;
  AdviceRequest target = image("target", 70'000'000, 4096);
  target.render_target = true;
  AdviceRequest small_target = image("small target", 1000, 4096);
  small_target.render_target = true;
  const results::Advice advice = advice_for({preferred, required, target, small_target});
  EXPECT_EQ(advice.dedicated, (std::vector<results::AdviceDedicated>{
                                  {{"preferred", "an image", 2, 1000}, 0, "the driver prefers it"},
                                  {{"required", "an image", 1, 2000}, 0, "the driver requires it"},
                                  {{"target", "an image", 1, 70'000'000}, 0, "a humongous render target"}}));
  EXPECT_EQ(advice.allocations, 5u);
  EXPECT_EQ(advice.heaps, (std::vector<results::AdviceHeap>{{0, 8 * kGiB, false, 138'547'332 + 70'004'000}}));
}

TEST(Advice, says_what_is_over_which_limit) {
  AdviceDevice device = radeon();
  device.max_allocation_bytes = 200'000'000;
  AdviceRequest refused = image("3d", 0, 0);
  refused.refusal = "VK_ERROR_FORMAT_NOT_SUPPORTED";
  AdviceRequest nowhere = image("nowhere", 1, 1), cached = buffer("cached", 1);
  nowhere.needs.memory_type_bits = 0;
  cached.needs.memory_type_bits = 1;
  cached.memory = {"host visible", "host cached"};
  AdviceRequest target = image("target", 300'000'000, 4096, 2);
  target.render_target = true;
  EXPECT_EQ(reasons(advice_for({image("terrain", 64'000'001, 4096, 3), buffer("archive", 138'547'333), target, refused,
                                nowhere, cached},
                               {}, device)),
            (Reasons{"3 terrain: humongous, above M = 64,000,000 bytes, and no render target: a texture of this size "
                     "needs another scheme, or a larger M",
                     "1 archive: larger than an allocation, 138,547,332 bytes: split it, or raise M",
                     "2 target: larger than maxMemoryAllocationSize, 200,000,000 bytes",
                     "1 3d: the driver refuses it: VK_ERROR_FORMAT_NOT_SUPPORTED",
                     "1 nowhere: the driver allows no memory type for it",
                     "1 cached: no memory type that the driver allows is host visible and host cached"}));
}

TEST(Advice, counts_what_a_small_heap_or_a_low_limit_leaves_without_memory) {
  EXPECT_EQ(reasons(advice_for({image("texture", 10'000'000, 65536, 10)}, {.heap_bytes = 70'000'000})),
            (Reasons{"4 texture: heap 0, 70,000,000 bytes, is too small"}));
  AdviceDevice device = radeon();
  device.max_allocations = 3;
  const results::Advice advice =
      advice_for({image("texture", 60'000'000, 65536, 10), buffer("vertices", 10)}, {}, device);
  EXPECT_EQ(reasons(advice), (Reasons{"4 texture: maxMemoryAllocationCount, 3, is reached",
                                      "1 vertices: maxMemoryAllocationCount, 3, is reached"}));
  EXPECT_EQ(advice.allocations, 3u);
  EXPECT_EQ(advice.buckets.at(0).uses.at(0).count, 6u);
}

TEST(Advice, needs_the_size_of_a_heap_from_somewhere) {
  AdviceDevice device = radeon();
  for (results::MemoryHeap& heap : device.heaps) heap.size = 0;
  const Expected<results::Advice> advice = advise({image("texture", 1000, 4096)}, device, {});
  ASSERT_FALSE(advice);
  EXPECT_EQ(advice.error().what, "column 'radv-1-navi10': the size of heap 0, which 'texture' needs, is not known");
  EXPECT_EQ(advice.error().hint, "state it in the file: \"heap_bytes\": 8000000000");
  EXPECT_EQ(advice.error().status, ExitStatus::kUsage);
  AdviceRequest upload = buffer("upload", 1000);
  upload.memory = {"host visible", "host cached"};
  EXPECT_EQ(advice_for({image("texture", 1000, 4096), upload}, {.heap_bytes = kGiB}, device).heaps,
            (std::vector<results::AdviceHeap>{{0, kGiB, true, 64'000'000}, {1, kGiB, true, 64'000'000}}));
}

TEST(AdviceDevice, of_a_simulated_device_has_the_heaps_of_its_memory_types) {
  results::DriverColumn column;
  column.name = "radv-1-navi10-simulated";
  column.memory_types = radeon().memory_types;
  column.limits = {{"maxMemoryAllocationCount", 4096}};
  const AdviceDevice device = advice_device(column);
  EXPECT_EQ(device.column, column.name);
  EXPECT_EQ(device.heaps, (std::vector<results::MemoryHeap>{{0, {"device local"}}, {0, {}}, {0, {"device local"}}}));
  EXPECT_EQ(device.max_allocations, 4096u);
  EXPECT_EQ(device.max_allocation_bytes, std::nullopt);
}

TEST(AdviceDevice, has_no_heaps_that_cannot_exist) {
  results::DriverColumn column;
  column.memory_types = {{1, {}}, {UINT32_MAX, {}}, {UINT32_MAX - 1, {}}};
  EXPECT_EQ(advice_device(column).heaps.size(), 2u);
}

TEST(AdviceDevice, of_an_imported_column_has_one_memory_type) {
  const AdviceDevice device = advice_device(results::DriverColumn{});
  EXPECT_EQ(device.memory_types, std::vector<MemoryType>{{}});
  EXPECT_EQ(device.heaps, std::vector<results::MemoryHeap>{{}});
}

}  // namespace lab::probe
