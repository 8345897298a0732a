#include "variants/gpu_memory/family/gpu_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "harness/base/fit.h"
#include "variants/designs/offsets/unmerged_fit.h"
#include "variants/gpu_memory/family/conformance.h"
#include "variants/gpu_memory/family/figures.h"
#include "variants/gpu_memory/family/fixed_size.h"
#include "variants/gpu_memory/family/fuzz.h"
#include "variants/gpu_memory/family/named_pools.h"
#include "variants/gpu_memory/family/plans.h"
#include "variants/gpu_memory/family/registration.h"
#include "variants/gpu_memory/family/soundness.h"
#include "variants/gpu_memory/family/workloads.h"

namespace lab::gpu_memory {
namespace {

using Policy = Pools<designs::BestFit, kByAlignment>;

Setup on_a_heap_of_8_gb(SimulatedDevice& device) {
  Setup setup;
  setup.policy.heap_bytes = {kHeapBytes};
  setup.device = device.device();
  return setup;
}

const DeviceTable& table_of(const std::string& name) {
  return *std::ranges::find_if(device_tables(), [&](const DeviceTable& table) { return table.name == name; });
}

TEST(DeviceTables, are_those_of_the_atlas) {
  for (const auto& [name, column] : std::map<std::string, std::string>{{"lavapipe", "lavapipe-25.0.7"},
                                                                       {"hd620", "anv-25.0.7-hd620-simulated"},
                                                                       {"navi10", "radv-25.0.7-navi10-simulated"},
                                                                       {"ga102", "nvk-25.0.7-ga102-simulated"}}) {
    const DeviceTable& table = table_of(name);
    EXPECT_EQ(table.images.size(), 169u) << name;
    EXPECT_EQ(table.buffers.size(), 36u) << name;
    std::ifstream file("results/reference/atlas/" + column + "/column.json");
    std::stringstream text;
    text << file.rdbuf();
    const boost::json::value parsed = boost::json::parse(text.str());
    EXPECT_EQ(table.granularity, parsed.at("limits").at("bufferImageGranularity").to_number<std::uint64_t>()) << name;
  }
  const auto& images = table_of("navi10").images;
  const auto found =
      std::ranges::find_if(images, [](const ImageNeeds& image) { return image.width == 128 && image.height == 128; });
  EXPECT_EQ(found->bytes, 65'536u);
  EXPECT_EQ(found->alignment, 65'536u);
}

TEST(Plans, end_with_the_resources_with_which_they_start) {
  const DeviceTable& table = table_of("navi10");
  for (const ResourcePlan& plan : {one_alignment(1, 4096, false), one_alignment(2, 65'536, true), streaming(1, table),
                                   streaming(2, table), level_loading(1, table)}) {
    std::vector<std::uint32_t> slots(plan.slots, Step::kNothing);
    for (const Step& step : plan.fill) slots[step.slot] = step.resource;
    const std::vector<std::uint32_t> start = slots;
    for (const Step& step : plan.steps) slots[step.slot] = step.resource;
    EXPECT_EQ(slots, start);
    for (const Resource& resource : plan.resources) {
      EXPECT_TRUE(resource.dedicated || resource.request.bytes <= 32'000'000);
      EXPECT_GT(resource.request.bytes, 0u);
    }
  }
  EXPECT_NE(streaming(1, table).steps[5].resource, streaming(2, table).steps[5].resource);
}

TEST(Plans, keep_the_articles_limit_of_2048x2048_for_textures) {
  const ResourcePlan plan = streaming(1, table_of("navi10"));
  unsigned least = 4096, most = 0;
  for (std::size_t i = 0; i < plan.resources.size(); ++i) {
    if (plan.resources[i].dedicated || plan.shapes[i].length != 0) continue;
    least = std::min({least, plan.shapes[i].width, plan.shapes[i].height});
    most = std::max({most, plan.shapes[i].width, plan.shapes[i].height});
  }
  EXPECT_EQ(least, 32u);
  EXPECT_EQ(most, 2048u);
}

TEST(Plans, ask_for_sizes_rounded_to_the_alignment_only_if_told_to) {
  const auto is_whole = [](const Resource& resource) { return resource.request.bytes % 4096 == 0; };
  EXPECT_TRUE(std::ranges::all_of(one_alignment(1, 4096, true).resources, is_whole));
  EXPECT_FALSE(std::ranges::all_of(one_alignment(1, 4096, false).resources, is_whole));
}

TEST(Plans, hint_at_the_most_bytes_of_each_group) {
  ResourcePlan plan;
  plan.slots = 2;
  plan.resources = {{{100, 64, 0, ResourceKind::kBuffer}},
                    {{1000, 256, 0, ResourceKind::kOptimalImage}},
                    {{5000, 256, 0, ResourceKind::kOptimalImage}, true}};
  plan.fill = {{0, 0}, {1, 0}};
  plan.steps = {{0, 1}, {1, 2}, {0, Step::kNothing}};
  std::map<designs::MemoryGroup, std::uint64_t> hints;
  for (const designs::MemoryHint& hint : plan.hints()) hints[hint.group] = hint.bytes;
  EXPECT_EQ(hints, (std::map<designs::MemoryGroup, std::uint64_t>{{{ResourceKind::kBuffer, 64, 0, 0}, 256},
                                                                  {{ResourceKind::kOptimalImage, 256, 0, 0}, 1024}}));
  EXPECT_EQ(plan.most_requested(), 6000u);
}

namespace {

std::string megabytes(double bytes) {
  return thousands(fmt::format("{:.0f}", bytes / 1e6));
}

/// "| ga102 | ... |": what the policy and best fit take from the device and need as a heap.
std::string cost_of_grouping(const DeviceTable& table) {
  const ResourcePlan plan = streaming(1, table);
  const Subject grouped = subject_of<Policy>(), together = subject_of<Pools<designs::BestFit, kByKind>>();
  return fmt::format("| {} | {} | {} | {} | {} |", table.name, megabytes(counted(grouped, plan).at("device_bytes")),
                     megabytes(counted(together, plan).at("device_bytes")),
                     megabytes(minimum_heap(grouped, plan).at("minimum_heap_bytes")),
                     megabytes(minimum_heap(together, plan).at("minimum_heap_bytes")));
}

}  // namespace

TEST(Readme, has_what_the_grouping_costs) {
  std::ifstream file("variants/gpu_memory/README.md");
  std::stringstream readme;
  readme << file.rdbuf();
  for (const DeviceTable& table : device_tables()) {
    const std::string row = cost_of_grouping(table);
    EXPECT_NE(readme.str().find(row + "\n"), std::string::npos) << row;
  }
}

TEST(Grouping, by_alignment_leaves_no_gaps_and_takes_more_of_the_device_where_alignments_are_mixed) {
  for (const char* name : {"navi10", "ga102"}) {
    const ResourcePlan plan = streaming(1, table_of(name));
    const auto grouped = counted(subject_of<Policy>(), plan),
               together = counted(subject_of<Pools<designs::BestFit, kByKind>>(), plan);
    EXPECT_EQ(grouped.at("gap_bytes"), 0) << name;
    EXPECT_GT(together.at("gap_bytes"), 0) << name;
    EXPECT_GE(grouped.at("device_bytes"), together.at("device_bytes")) << name;
  }
}

TEST(Merging, keeps_the_free_spaces_few) {
  const ResourcePlan plan = streaming(1, table_of("navi10"));
  const auto merged = counted(subject_of<Policy>(), plan),
             apart = counted(subject_of<Pools<designs::UnmergedFit, kByAlignment>>(), plan);
  EXPECT_LT(merged.at("free_spaces"), apart.at("free_spaces"));
  EXPECT_LE(merged.at("device_bytes"), apart.at("device_bytes"));
}

TEST(Hints, make_allocations_as_large_as_they_say) {
  SimulatedDevice device(kHeapBytes);
  auto setup = on_a_heap_of_8_gb(device);
  setup.hints = {{{ResourceKind::kBuffer, 64, 0, 0}, 8'000'000}};
  Hinted memory(setup);
  memory.allocate({64, 64, 0, ResourceKind::kBuffer});
  EXPECT_EQ(device.given_bytes(), 9'000'000u) << "an eighth more, in whole blocks";
  memory.allocate({64, 256, 0, ResourceKind::kBuffer});
  EXPECT_EQ(device.given_bytes(), 9'000'000u + 129'032'258u) << "nothing is known of this group";
  for (int i = 0; i < 9; ++i) memory.allocate({1'000'000, 64, 0, ResourceKind::kBuffer});
  EXPECT_EQ(device.given_bytes(), 9'000'000u + 129'032'258u + 1'125'056u) << "the hint was too low";
}

TEST(Article, a_heap_of_8e9_bytes_in_62_parts_gives_129032258) {
  SimulatedDevice device(kHeapBytes);
  Policy memory(on_a_heap_of_8_gb(device));
  memory.allocate({1, 1, 0, ResourceKind::kBuffer});
  EXPECT_EQ(device.given_bytes(), 129'032'258u);
}

// 250 allocations of 32 MB cover 8 GB, and 62 of 128 MB.
TEST(Article, allocations_that_cover_a_heap) {
  const auto covering = [](const Subject& subject) {
    SimulatedDevice device(kHeapBytes);
    const auto memory = subject(on_a_heap_of_8_gb(device));
    while (memory->allocate({16'000'000, 4096, 0, ResourceKind::kOptimalImage}).refusal ==
           designs::MemoryRefusal::kNone) {
    }
    return device.calls();
  };
  EXPECT_EQ(covering(subject_of<FixedSize<Policy, 32'000'000>>()), 250u);
  EXPECT_EQ(covering(subject_of<FixedSize<Policy, 128'000'000>>()), 63u) << "the last one has 64 MB";
}

// The pairs of alignment S and memory type T, of each kind, that get nothing from a heap of 8 GB when it is full.
TEST(Article, pairs_that_starve_are_named) {
  const DeviceTable& table = table_of("navi10");
  const auto starved = [&](const Subject& subject, const ResourcePlan& plan) {
    std::string names;
    for (const auto& [name, value] : filled(subject, plan, smallest_of_each_group(table)))
      if (name.starts_with("starved_") && name != "starved_pairs" && value > 0) names += name.substr(8) + " ";
    return names;
  };
  const Subject small = subject_of<FixedSize<Policy, 32'000'000>>(),
                large = subject_of<FixedSize<Policy, 128'000'000>>();
  // Only images of a few texels are aligned to 256, and the program creates none before the heap is full.
  EXPECT_EQ(starved(small, fill_heap(1, table)), "images_256_type0 ");
  EXPECT_EQ(starved(large, fill_heap(1, table)), "images_256_type0 ");
  // Large textures alone take all of the heap, whatever the allocations.
  ResourcePlan plan = fill_heap(1, table);
  plan.resources.assign(plan.resources.size(), {{16'000'000, 65'536, kDeviceType, ResourceKind::kOptimalImage}});
  const std::string others = "buffers_16_type0 buffers_16_type1 images_256_type0 images_4096_type0 ";
  EXPECT_EQ(starved(small, plan), others);
  EXPECT_EQ(starved(large, plan), others);
}

// The larger the allocations, the earlier the heap is used up, so that a pair that comes later gets none.
TEST(Article, large_allocations_use_up_the_heap_earlier) {
  for (const DeviceTable& table : device_tables()) {
    const ResourcePlan plan = fill_heap(1, table);
    const auto groups = smallest_of_each_group(table);
    const auto small = filled(subject_of<FixedSize<Policy, 32'000'000>>(), plan, groups),
               large = filled(subject_of<FixedSize<Policy, 128'000'000>>(), plan, groups);
    EXPECT_LT(large.at("given_share"), small.at("given_share")) << table.name;
    EXPECT_LE(small.at("given_share"), small.at("filled_share")) << table.name;
    EXPECT_EQ(small.at("device_allocations"), 250) << table.name;
    EXPECT_EQ(large.at("device_allocations"), 63) << table.name;
  }
}

// Until the heap is used up, a pair that has no allocation yet gets one, and from then on it starves.
TEST(Article, a_pair_that_comes_when_the_heap_is_used_up_starves) {
  const std::vector<MemoryRequest> late{{64, 64, 1, ResourceKind::kBuffer}};
  ResourcePlan plan;
  plan.heap_bytes = 64'000'000;
  plan.resources = {{{15'000'000, 4096, 0, ResourceKind::kOptimalImage}}};
  plan.slots = 4;
  const Subject subject = subject_of<FixedSize<Policy, 32'000'000>>();
  for (std::uint32_t images = 1; images <= 4; ++images) {
    plan.steps.push_back({images - 1, 0});
    const auto counters = filled(subject, plan, late);
    EXPECT_EQ(counters.at("starved_pairs"), images > 2) << images;
    EXPECT_DOUBLE_EQ(counters.at("given_share"), std::min(images, 3u) * 15.0 / 64) << images;
  }
}

template <GpuMemory A>
std::map<std::string, std::string> found_traits() {
  return complete("", {}, traits_of<A>(), subject_of<A>(), {}).traits;
}

TEST(Traits, say_what_the_resources_of_an_allocation_have_in_common) {
  using Found = std::map<std::string, std::string>;
  using BySize = Pools<designs::BestFit, designs::Grouping{.by_kind = false, .by_size = true}>;
  EXPECT_EQ(found_traits<Policy>(), (Found{{"shares", "kind, alignment, memory type"}}));
  EXPECT_EQ(found_traits<BySize>(), (Found{{"shares", "memory type, size"}}));
  EXPECT_EQ(found_traits<OwnAllocations>(), (Found{{"shares", "nothing"}}));
}

/// Places every resource at the same offset.
class Overlaps : public Policy {
 public:
  using Policy::Policy;
  PlacedMemory allocate(const MemoryRequest& request) {
    PlacedMemory placed = Policy::allocate(request);
    placed.block.place.offset = 0;
    return placed;
  }
};
/// Forgets the alignment.
class Misaligns : public Pools<designs::BestFit, kByKind> {
 public:
  using Pools::Pools;
  PlacedMemory allocate(MemoryRequest request) {
    if (request.alignment > 1 && (request.alignment & (request.alignment - 1)) == 0) request.alignment = 1;
    return Pools::allocate(request);
  }
};
/// Takes all memory as if it were of type 0.
class MixesTypes : public Policy {
 public:
  using Policy::Policy;
  PlacedMemory allocate(MemoryRequest request) {
    if (request.memory_type == 1) request.memory_type = 0;
    return Policy::allocate(request);
  }
};
/// Obeys no limit on the number of allocations.
class IgnoresLimits : public Policy {
 public:
  explicit IgnoresLimits(Setup setup) : Policy(unlimited(setup)) {}
  static Setup unlimited(Setup setup) {
    setup.policy.max_allocations = designs::MemoryPolicy::kUnlimited;
    return setup;
  }
};
/// Images and buffers share allocations without any distance.
class IgnoresGranularity : public Pools<designs::BestFit, designs::Grouping{.by_kind = false}> {
 public:
  explicit IgnoresGranularity(Setup setup) : Pools(fine(setup)) {}
  static Setup fine(Setup setup) {
    setup.policy.granularity = 1;
    return setup;
  }
};

std::vector<std::string> failed_checks(const Subject& subject) {
  std::vector<std::string> failed;
  for (const bench::ConformanceCheck& check : checks_of(subject))
    if (!check.what_is_wrong().empty()) failed.push_back(check.name);
  return failed;
}

TEST(Conformance, finds_what_is_wrong) {
  const std::string places = "resources are aligned, inside of an allocation of their memory type, and do not overlap",
                    granularity = "with a bufferImageGranularity, linear and optimal resources share no page of it",
                    alignments = "every alignment from 1 to 65536 is kept";
  const auto has = [](const Subject& subject, const std::string& name) {
    const auto failed = failed_checks(subject);
    return std::ranges::find(failed, name) != failed.end();
  };
  EXPECT_EQ(failed_checks(subject_of<Policy>()), std::vector<std::string>{});
  EXPECT_TRUE(has(subject_of<Misaligns>(), alignments));
  EXPECT_TRUE(has(subject_of<MixesTypes>(), places));
  EXPECT_TRUE(has(subject_of<IgnoresLimits>(), places));
  EXPECT_EQ(failed_checks(subject_of<IgnoresGranularity>()), std::vector<std::string>{granularity});
}

TEST(Soundness, finds_an_overlap) {
  SimulatedDevice device(kHeapBytes);
  CheckedMemory memory(subject_of<Overlaps>(), on_a_heap_of_8_gb(device), device);
  EXPECT_EQ(memory.allocate({100, 64, 0, ResourceKind::kBuffer}, false), "");
  EXPECT_EQ(memory.everything(), "");
  EXPECT_EQ(memory.allocate({100, 64, 0, ResourceKind::kBuffer}, false), "");
  EXPECT_EQ(
      memory.everything(),
      "a resource of 100 bytes at offset 0 of allocation 1 and a resource of 100 bytes at offset 0 of allocation 1 "
      "overlap");
}

TEST(Fuzz, takes_any_input_and_finds_a_fault) {
  std::string input;
  std::uint32_t state = 1;
  for (int i = 0; i < 4000; ++i) input += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  for (std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{700}, input.size()})
    EXPECT_EQ(fuzz(subject_of<Policy>(), bytes.first(length)), "") << length;
  EXPECT_NE(fuzz(subject_of<Misaligns>(), bytes), "");
  EXPECT_NE(fuzz(subject_of<MixesTypes>(), bytes), "");
}

TEST(Workloads, count_the_same_in_every_process) {
  const ResourcePlan plan = streaming(3, table_of("hd620"));
  const auto first = counted(subject_of<Policy>(), plan), second = counted(subject_of<Policy>(), plan);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.at("peak_requested_bytes"), static_cast<double>(plan.most_requested()));
  EXPECT_GE(first.at("device_bytes"), first.at("peak_requested_bytes"));
  EXPECT_GE(first.at("device_allocations"), first.at("most_allocations"));
}

TEST(Workloads, minimum_heap_serves_the_plan_and_a_step_less_does_not) {
  ResourcePlan plan = one_alignment(1, 4096, true);
  plan.steps.resize(500);
  const double heap = minimum_heap(subject_of<Policy>(), plan).at("minimum_heap_bytes");
  EXPECT_GE(heap, static_cast<double>(plan.most_requested()));
  const auto serves = [&](double bytes) {
    ResourcePlan bounded = plan;
    bounded.heap_bytes = bounded.allocation_bytes = static_cast<std::uint64_t>(bytes);
    SimulatedDevice device(bounded.heap_bytes);
    const auto memory = subject_of<Policy>()(bounded.setup(device));
    std::map<std::uint32_t, MemoryBlock> blocks;
    for (const auto* part : {&bounded.fill, &bounded.steps})
      for (const Step& step : *part) {
        if (const auto old = blocks.find(step.slot); old != blocks.end()) memory->free(old->second);
        const PlacedMemory placed = memory->allocate(bounded.resources[step.resource].request);
        if (placed.refusal != designs::MemoryRefusal::kNone) return false;
        blocks[step.slot] = placed.block;
      }
    return true;
  };
  EXPECT_TRUE(serves(heap));
  EXPECT_FALSE(serves(heap - static_cast<double>(plan.least_heap_step)));
}

}  // namespace
}  // namespace lab::gpu_memory
