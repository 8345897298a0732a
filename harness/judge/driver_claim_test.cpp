#include "harness/judge/driver_claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/base/error.h"
#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

using results::DriverCheck;
using results::DriverColumn;
using results::ImageSize;

const results::Article& vulkan() {
  return sample::article("vulkan_memory");
}

std::string check(const DriverCheck& driver_check, const DriverColumn& column,
                  const results::MemoryFindings* memory = nullptr) {
  const CheckOutcome outcome = check_claim(driver_check, column, vulkan().sweep, memory);
  return fmt::format("{} | {} | {}", outcome.reading, outcome.found,
                     !outcome.answered ? "no data"
                     : !outcome.holds  ? "open"
                     : *outcome.holds  ? "holds"
                                       : "does not");
}

/// A column with buffers of these requirements alone.
DriverColumn with_buffers(std::vector<results::BufferRow> buffers) {
  DriverColumn column;
  column.name = "made-1";
  column.buffers = std::move(buffers);
  return column;
}

/// A column with these heaps; its memory types make those in `visible` host visible.
DriverColumn with_heaps(std::vector<results::MemoryHeap> heaps, const std::vector<std::uint32_t>& visible) {
  DriverColumn column;
  column.name = "made-1";
  column.heaps = std::move(heaps);
  column.memory_types = {{0, {"device local"}}};
  for (const std::uint32_t heap : visible) column.memory_types.push_back({heap, {"host visible", "host coherent"}});
  return column;
}

DriverColumn with_limit(std::uint64_t value) {
  DriverColumn column;
  column.limits = {{"most", value}};
  return column;
}

/// A column of a wide sweep: storage buffers of 2001 bytes and images, and the same for one more usage and tiling.
DriverColumn with_sweep(results::Needs storage, results::Needs uniform, results::Needs optimal, results::Needs linear) {
  DriverColumn column = sample::atlas()[1];
  results::ImageKind image{.format = "R8_UNORM", .type = "2d", .tiling = "optimal", .usage = "sampled", .flags = ""};
  results::SweepAnswers answers;
  answers.name = "wide";
  answers.buffers = {{{"storage buffer", ""}, {{2001, storage}}},
                     {{"uniform buffer", ""}, {{2001, uniform}}},
                     {{"uniform buffer", "sparse binding"}, {{2001, {65536, 65536, 1}}}}};
  answers.images = {{image, {{64, 64, 1, optimal}, {100, 64, 1, optimal}}}};
  image.tiling = "linear";
  answers.images.push_back({image, {{64, 64, 1, linear}, {1, 1, 1, {64, 64, 1}}}});
  column.sweeps = {answers};
  return column;
}

struct Row {
  DriverCheck check;
  DriverColumn column;
  std::string_view expected;
};

/// A positive and a negative case of each kind, and some that stay open.
std::vector<Row> rows() {
  const DriverColumn lines = sample::atlas()[0], navi10 = sample::atlas()[1];
  const DriverColumn hd620 = sample::hd620("anv-22.3.6-hd620-simulated", true);
  DriverColumn odd = navi10;  // one 256x64 image is aligned as large ones are, and one buffer to 24
  for (results::ImageRow& row : odd.images)
    if (row.width == 256 && row.height == 64) row.alignment = 65536;
  odd.buffers.back().alignment = 24;
  DriverColumn apart = navi10;
  apart.buffer_memory_type_bits = {2, 6};
  const std::vector<ImageSize> narrow{{2, 4096}, {4, 4096}, {32, 4096}};
  const std::vector<ImageSize> wider{{2, 4096}, {32, 4096}, {64, 4096}};
  constexpr std::uint64_t kGigabyte = 1'000'000'000;
  const std::vector<results::HeapCheck> three{{8 * kGigabyte, true, false}, {0, false, true}, {256000000, true, true}};
  const std::vector<results::MemoryHeap> of_card{
      {8'321'499'136, {"device local"}}, {12 * kGigabyte, {}}, {268'435'456, {"device local"}}};
  return {
      {{.kind = "image alignments", .bytes = {4096, 65536}}, navi10, "4,096 and 65,536 | 4,096 and 65,536 | holds"},
      {{.kind = "image alignments", .bytes = {4096}}, navi10, "4,096 | 4,096 and 65,536 | does not"},
      {{.kind = "smallest image alignment", .bytes = {64}}, lines, "64 | 64 | holds"},
      {{.kind = "smallest image alignment", .bytes = {256}}, navi10, "256 | 4,096 | does not"},
      {{.kind = "smallest image storage", .bytes = {4096}}, navi10, "4,096 | 4,096 | holds"},
      {{.kind = "smallest image storage", .bytes = {8126}}, hd620, "8,126 | 8,216 | does not"},
      // 1x1 takes 64 bytes there, but the article's sweep begins at 2x2.
      {{.kind = "smallest image storage", .bytes = {128}}, lines, "128 | 128 | holds"},
      {{.kind = "first image aligned", .bytes = {65536}, .image = {128, 128}},
       navi10,
       "65,536 first at 128x128 | first at 128x128 | holds"},
      {{.kind = "first image aligned", .bytes = {65536}, .image = {256, 64}},
       odd,
       "65,536 first at 256x64 | first at 128x128 | does not"},
      {{.kind = "first image aligned", .bytes = {65536}, .image = {128, 128}},
       lines,
       "65,536 first at 128x128 | at no image | does not"},
      {{.kind = "no alignment rule"},
       odd,
       "neither a side nor the number of texels decides | none of them decides | holds"},
      {{.kind = "no alignment rule"},
       navi10,
       "neither a side nor the number of texels decides | the shorter side decides: 4,096, from 128 on 65,536 | does "
       "not"},
      {{.kind = "no alignment rule"},
       lines,
       "neither a side nor the number of texels decides | all images have one alignment | open"},
      {{.kind = "image storage", .bytes = {20504, 16384, 8192}, .image = {128, 16}},
       hd620,
       "20,504 or 16,384 or 8,192 | 20,504 | holds"},
      {{.kind = "image storage", .bytes = {20504, 16384}, .image = {128, 16}},
       lines,
       "20,504 or 16,384 | 8,192 | does not"},
      {{.kind = "image alignment", .bytes = {65536}, .image = {128, 128}}, navi10, "65,536 | 65,536 | holds"},
      {{.kind = "image alignment", .bytes = {4096}, .image = {128, 128}}, navi10, "4,096 | 65,536 | does not"},
      {{.kind = "image storage and alignment", .image = {256, 256}, .storage = 262144, .alignment = 65536},
       navi10,
       "262,144 aligned to 65,536 | 262,144 aligned to 65,536 | holds"},
      {{.kind = "image storage and alignment", .image = {256, 256}, .storage = 262144, .alignment = 65536},
       lines,
       "262,144 aligned to 65,536 | 262,144 aligned to 64 | does not"},
      {{.kind = "image storage near", .image = {4096, 1024}, .storage = 16000000, .about = 0.1},
       navi10,
       "14,400,000 to 17,600,000 (tolerance 10 %) | 16,777,216 | holds"},
      {{.kind = "image storage near", .image = {4096, 1024}, .storage = 16000000, .about = 0.04},
       navi10,
       "15,360,000 to 16,640,000 (tolerance 4 %) | 16,777,216 | does not"},
      {{.kind = "image storage just over", .image = {4096, 4096}, .storage = 64000000, .about = 0.1},
       navi10,
       "above 64,000,000, up to 70,400,000 (tolerance 10 %) | 67,108,864 | holds"},
      {{.kind = "image storage just over", .image = {4096, 4096}, .storage = 67108864, .about = 0.1},
       navi10,
       "above 67,108,864, up to 73,819,750 (tolerance 10 %) | 67,108,864 | does not"},
      {{.kind = "image storage within", .image = {2048, 2048}, .storage = 32000000},
       navi10,
       "up to 32,000,000 | 16,777,216 | holds"},
      {{.kind = "image storage within", .image = {4096, 4096}, .storage = 32000000},
       navi10,
       "up to 32,000,000 | 67,108,864 | does not"},
      {{.kind = "same image storage", .images = narrow}, navi10, "equal | 524,288 | holds"},
      {{.kind = "same image storage", .images = wider},
       navi10,
       "equal | 524,288, but 1,048,576 for 64x4096 | does not"},
      {{.kind = "least image storage"}, navi10, "more than its texels | 4,096 for 2x2, 16 of texels | holds"},
      {{.kind = "power-of-two image storage"}, navi10, "every image: a power of two | 144 of 144 images | holds"},
      {{.kind = "power-of-two image storage"},
       hd620,
       "every image: a power of two | 0 of 144 images, 8,216 for 2x2 | does not"},
      {{.kind = "no power-of-two image storage", .typically = 0.5},
       hd620,
       "at least 50 % of the images: not a power of two | 144 of 144 images | holds"},
      {{.kind = "no power-of-two image storage", .typically = 0.5},
       navi10,
       "at least 50 % of the images: not a power of two | 0 of 144 images, 4,096 for 2x2 | does not"},
      {{.kind = "few image alignments", .most = 3, .low = 256, .high = 65536},
       navi10,
       "up to 3, powers of two from 256 to 65,536 | 4,096 and 65,536 | holds"},
      {{.kind = "few image alignments", .most = 3, .low = 256, .high = 65536},
       lines,
       "up to 3, powers of two from 256 to 65,536 | 64 | does not"},
      {{.kind = "few image alignments", .most = 1, .low = 256, .high = 65536},
       navi10,
       "up to 1, powers of two from 256 to 65,536 | 4,096 and 65,536 | does not"},
      {{.kind = "power-of-two alignments"},
       navi10,
       "powers of two, of every image and buffer | 16 and 4,096 and 65,536 | holds"},
      {{.kind = "power-of-two alignments"},
       odd,
       "powers of two, of every image and buffer | 16 and 24 and 4,096 and 65,536 | does not"},
      {{.kind = "one buffer alignment"}, lines, "one | 16 | holds"},
      {{.kind = "one buffer alignment"}, odd, "one | 16 and 24 | does not"},
      {{.kind = "buffer alignments", .low = 1, .high = 256}, lines, "powers of two from 1 to 256 | 16 | holds"},
      {{.kind = "buffer alignments", .low = 1, .high = 8}, lines, "powers of two from 1 to 8 | 16 | does not"},
      {{.kind = "buffer alignment by limit", .limit = "minStorageBufferOffsetAlignment"},
       lines,
       "multiples of minStorageBufferOffsetAlignment | 16, the limit is 4 | holds"},
      {{.kind = "buffer alignment by limit", .limit = "maxMemoryAllocationCount"},
       lines,
       "multiples of maxMemoryAllocationCount | 16, the limit is 4,096 | does not"},
      {{.kind = "small buffer storage", .bytes = {16}, .below = 16}, navi10, "16 | 16 | holds"},
      {{.kind = "small buffer storage", .bytes = {16}, .below = 16}, lines, "16 | 1 or 2 or 4 or 8 or 10 | does not"},
      {{.kind = "buffer extra", .most = 8, .above = 32, .about = 0.25, .typically = 0.9},
       with_buffers({{32, 132, 4}, {40, 140, 4}, {41, 51, 4}, {100, 100, 4}}),
       "at least 90 % of the lengths above 40: up to 10 more (tolerance 25 %) | 2 of 2 lengths, 10 more at 41 | holds"},
      {{.kind = "buffer extra", .most = 8, .above = 32, .typically = 0.9},
       navi10,
       "at least 90 % of the lengths above 32: up to 8 more | 29 of 30 lengths, 12 more at 100 | holds"},
      {{.kind = "buffer extra", .most = 8, .above = 32},
       navi10,
       "every length above 32: up to 8 more | 29 of 30 lengths, 12 more at 100 | does not"},
      {{.kind = "buffer extra", .most = 8, .above = 32, .about = 0.25, .typically = 0.9},
       with_buffers({{100, 111, 4}, {200, 200, 4}}),
       "at least 90 % of the lengths above 40: up to 10 more (tolerance 25 %) | 1 of 2 lengths, 11 more at 100 | does "
       "not"},
      {{.kind = "buffer extra", .most = 0, .above = 1000},
       lines,
       "every length above 1,000: nothing more | 23 of 23 lengths | holds"},
      {{.kind = "buffer extra", .most = 0, .above = 1000},
       with_buffers({{1000, 1008, 4}, {2001, 2016, 4}, {4000, 4000, 4}}),
       "every length above 1,000: nothing more | 1 of 2 lengths, 15 more at 2,001 | does not"},
      // 1,000 takes 1,008, but every longer one that was asked is a multiple of 16.
      {{.kind = "buffer extra", .most = 0, .above = 1000, .about = 0.25},
       navi10,
       "every length above 1,250: nothing more (tolerance 25 %) | 23 lengths, all multiples of 16, to which this "
       "driver rounds: other "
       "lengths would need more | open"},
      // The article's lengths leave it open, one of the wide sweep does not.
      {{.kind = "buffer extra", .most = 0, .above = 1000},
       with_sweep({2016, 16, 1}, {2016, 16, 1}, {4096, 4096, 1}, {4096, 64, 1}),
       "every length above 1,000: nothing more | 23 of 24 lengths, 15 more at 2,001 | does not"},
      {{.kind = "same for buffer usages"},
       with_sweep({2016, 16, 1}, {2016, 16, 1}, {4096, 4096, 1}, {4096, 64, 1}),
       "the same storage and alignment for every usage | the same for 2 usages | holds"},
      {{.kind = "same for buffer usages"},
       with_sweep({2016, 16, 1}, {2048, 64, 1}, {4096, 4096, 1}, {4096, 4096, 1}),
       "the same storage and alignment for every usage | different for 1 of 1 lengths; of 2,001 bytes, 2,016 aligned "
       "to "
       "16 for storage buffer, 2,048 aligned to 64 for uniform buffer | does not"},
      {{.kind = "same for buffer usages"},
       navi10,
       "the same storage and alignment for every usage | one usage was asked | no data"},
      {{.kind = "linear tiling relaxes"},
       with_sweep({2016, 16, 1}, {2016, 16, 1}, {4096, 4096, 1}, {4096, 64, 1}),
       "less storage or alignment for some image | for 1 of 1 images | holds"},
      {{.kind = "linear tiling relaxes"},
       with_sweep({2016, 16, 1}, {2016, 16, 1}, {4096, 4096, 1}, {8192, 4096, 1}),
       "less storage or alignment for some image | for 0 of 1 images | does not"},
      {{.kind = "linear tiling relaxes"},
       navi10,
       "less storage or alignment for some image | no image was asked in both tilings | no data"},
      {{.kind = "limit at least", .low = 4096, .limit = "most"}, with_limit(4096), "at least 4,096 | 4,096 | holds"},
      {{.kind = "limit at least", .low = 4096, .limit = "most"}, with_limit(4095), "at least 4,096 | 4,095 | does not"},
      {{.kind = "limit at most", .most = 100, .limit = "most", .about = 0.25},
       with_limit(125),
       "at most 125 (tolerance 25 %) | 125 | holds"},
      {{.kind = "limit at most", .most = 100, .limit = "most", .about = 0.25},
       with_limit(126),
       "at most 125 (tolerance 25 %) | 126 | does not"},
      {{.kind = "heaps", .heaps = three, .about = 0.1},
       with_heaps(of_card, {1, 2}),
       "7,200,000,000 to 8,800,000,000 device local, host visible, 230,400,000 to 281,600,000 device local and host "
       "visible (tolerance 10 %) | 8,321,499,136 device local, 12,000,000,000 host visible, 268,435,456 device local "
       "and host visible | "
       "holds"},
      {{.kind = "heaps", .heaps = {{0, true, true}}},
       with_heaps(of_card, {1, 2}),
       "device local and host visible | 8,321,499,136 device local, 12,000,000,000 host visible, 268,435,456 device "
       "local and host visible | does not"},
      {{.kind = "heaps", .heaps = {{8 * kGigabyte, true, false}}, .about = 0.1},
       with_heaps({{4 * kGigabyte, {"device local"}}}, {}),
       "7,200,000,000 to 8,800,000,000 device local (tolerance 10 %) | 4,000,000,000 device local | does not"},
      {{.kind = "heaps", .heaps = {{0, true, true}}},
       hd620,
       "device local and host visible | a simulated device has no heaps | no data"},
      {{.kind = "separate memory types"}, apart, "no memory type for both | none for both | holds"},
      {{.kind = "separate memory types"}, navi10, "no memory type for both | 1 type for both | does not"},
  };
}

struct MemoryRow {
  DriverCheck check;
  results::MemoryFindings memory;
  std::string_view expected;
};

results::MemoryFindings with_count(std::uint64_t succeeded, const std::string& result, const std::string& stopped) {
  results::MemoryFindings memory;
  memory.limit =
      results::AllocationCount{.reported = 4096, .succeeded = succeeded, .result = result, .stopped = stopped};
  return memory;
}

/// Times of sampling a texture in both tilings, in memory types 0 and 1.
results::MemoryFindings with_textures(double linear_by_tiles, double linear_by_columns, const std::string& device) {
  results::MemoryFindings memory;
  memory.device_type = device;
  memory.timings = {{"textures", "sample optimal tiling by tiles", 0, 64, "", {100, 101, 99}},
                    {"textures", "sample optimal tiling by columns", 0, 64, "", {200}},
                    {"textures", "sample linear tiling by tiles", 0, 64, "", {linear_by_tiles}},
                    {"textures", "sample linear tiling by columns", 0, 64, "", {linear_by_columns}},
                    {"textures", "sample linear tiling by columns", 1, 64, "", {99999}}};
  return memory;
}

results::MemoryFindings with_times(std::vector<double> nanoseconds) {
  results::MemoryFindings memory;
  memory.timings = {{"allocation", "vkAllocateMemory", 0, 64, "", {1e9}},
                    {"allocation", "sub-allocate", 0, 64, "", {50}},
                    {"allocation", "sub-allocate", 0, 4096, "", std::move(nanoseconds)}};
  return memory;
}

std::vector<MemoryRow> memory_rows() {
  const DriverCheck count{.kind = "allocations at once", .low = 80};
  const DriverCheck slower{.kind = "linear sampling slower", .factor = 1.5};
  const DriverCheck within{.kind = "operation within", .most = 16000000, .operation = "sub-allocate"};
  return {
      {count, with_count(80, "", "80 are enough"), "at least 80 exist at once | 80 succeeded | holds"},
      {count, with_count(79, "VK_ERROR_TOO_MANY_OBJECTS", ""),
       "at least 80 exist at once | 79 succeeded, then VK_ERROR_TOO_MANY_OBJECTS | does not"},
      {count, with_count(12, "", "the memory was full"),
       "at least 80 exist at once | 12 succeeded, then the memory was full | open"},
      {count, {}, "at least 80 exist at once | no allocations were made | no data"},
      {slower, with_textures(110, 400, "discrete gpu"),
       "in some order of access, 1.5 times the time of optimal tiling | 1.10 by tiles, 2.00 by columns times | holds"},
      {slower, with_textures(90, 220, "discrete gpu"),
       "in some order of access, 1.5 times the time of optimal tiling | 0.90 by tiles, 1.10 by columns times | does "
       "not"},
      {slower, with_textures(110, 400, "cpu"),
       "in some order of access, 1.5 times the time of optimal tiling | 1.10 by tiles, 2.00 by columns times, a CPU "
       "driver: this is the CPU's memory | open"},
      {slower,
       {},
       "in some order of access, 1.5 times the time of optimal tiling | no texture was sampled in both tilings | no "
       "data"},
      {within, with_times({90, 105.4, 1e9}), "sub-allocate: at most 16,000,000 ns | 105 ns | holds"},
      {within, with_times({2e9}), "sub-allocate: at most 16,000,000 ns | 2,000,000,000 ns | does not"},
      {within, {}, "sub-allocate: at most 16,000,000 ns | it was not timed | no data"},
  };
}

}  // namespace

TEST(DriverClaim, is_checked_on_real_allocations) {
  for (const auto& [driver_check, memory, expected] : memory_rows())
    EXPECT_EQ(check(driver_check, sample::atlas()[0], &memory), expected) << driver_check.kind;
}

TEST(DriverClaim, is_checked_on_a_column) {
  for (const auto& [driver_check, column, expected] : rows())
    EXPECT_EQ(check(driver_check, column), expected) << driver_check.kind;
}

TEST(DriverClaim, about_least_storage_does_not_hold_where_every_image_takes_its_texels) {
  const DriverColumn tight = sample::column(
      "tight-1",
      [](std::uint64_t width, std::uint64_t height) {
        return std::pair{width * height * 4, std::uint64_t{4}};
      },
      1);
  EXPECT_EQ(check({.kind = "least image storage"}, tight),
            "more than its texels | 16 for 2x2, 16 of texels | does not");
}

TEST(DriverClaim, of_every_published_kind_is_tested_above_and_open_without_data) {
  std::set<std::string> holds{}, fails{"least image storage"};
  for (const auto& [driver_check, column, expected] : rows())
    (expected.ends_with("| holds") ? holds : fails).insert(driver_check.kind);
  for (const auto& [driver_check, memory, expected] : memory_rows())
    (expected.ends_with("| holds") ? holds : fails).insert(driver_check.kind);
  ASSERT_FALSE(vulkan().claims.empty());
  for (const results::Claim& claim : vulkan().claims) {
    const auto* driver_claim = std::get_if<results::DriverClaim>(&claim.kind);
    if (driver_claim == nullptr) continue;
    const DriverCheck& driver_check = driver_claim->check;
    EXPECT_TRUE(holds.contains(driver_check.kind)) << driver_check.kind;
    EXPECT_TRUE(fails.contains(driver_check.kind)) << driver_check.kind;
    const CheckOutcome checked = check_claim(driver_check, DriverColumn{}, vulkan().sweep);
    EXPECT_FALSE(checked.answered || checked.holds) << claim.text;
    EXPECT_NE(checked.found, "") << claim.text;
    EXPECT_NE(checked.reading, "") << claim.text;
  }
}

}  // namespace lab::judge
