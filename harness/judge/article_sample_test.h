/// Measurements for tests of the articles' claims: a result of the command bucket family and two driver columns.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/base/random.h"
#include "harness/bench/checksum.h"
#include "harness/judge/claim.h"
#include "harness/judge/driver_claim.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"
#include "harness/results/result.h"

namespace lab::judge::sample {

/// A checkout with articles about the families of the sample results.
inline std::filesystem::path checkout() {
  return std::filesystem::path(LAB_SOURCE_DIR) / "harness/judge/testdata/checkout";
}

/// One of its articles.
inline const results::Article& article(const std::string& name) {
  static const std::vector<results::Article> all = *results::load_articles(checkout());
  return *std::find_if(all.begin(), all.end(), [&](const results::Article& one) { return one.name == name; });
}

/// A variant's true time of one phase, and how far processes scatter around it (a share).
struct Phase {
  std::string name;
  double ns = 0;
};

inline void add_processes(results::Result& result, const std::string& benchmark, const std::vector<Phase>& phases,
                          double operations, int blocks, double scatter) {
  bench::Checksum seed;
  seed.bytes(benchmark.data(), benchmark.size());
  Random random(seed.value());
  for (int block = 0; block < blocks; ++block) {
    results::Process process;
    process.benchmark = benchmark;
    process.repetitions = 5;
    process.process = block;
    process.block = block;
    process.checksum = "00c0ffee00c0ffee";
    process.operations = static_cast<std::uint64_t>(operations);
    const double drift = 1 + 0.01 * block;
    for (const Phase& phase : phases) {
      const double factor = 1 + scatter * (static_cast<double>(random.below(2000)) / 1000 - 1);
      process.samples[phase.name].assign(5, phase.ns * operations * drift * factor);
      process.real_time += phase.ns * drift * factor;
    }
    process.cpu_time = process.real_time;
    result.processes.push_back(std::move(process));
  }
}

inline void add_bucket_family(results::Result& result, int blocks) {
  struct Version {
    const char* name;
    double add, sort, submit;
  };
  // Times that make every verdict happen: V2 reproduced, V3 weaker, V4 undecided, V5's submit refuted.
  constexpr Version kVersions[] = {{"v1_st_new", 166, 61, 17},
                                   {"v2_st_linear", 113, 60, 16},
                                   {"v3_mt_new", 88, 61, 17},
                                   {"v4_mt_linear_atomic", 85, 60, 16},
                                   {"v5_mt_linear_aligned64", 84.5, 60, 16},
                                   {"v6_mt_thread_local", 66, 61, 16},
                                   {"v7_mt_thread_local_blocks", 58, 64, 16}};
  for (const auto& [name, title, work] :
       {std::tuple{"frame", "10,000 meshes and 10,000 lights through three command buckets", 0.45},
        std::tuple{"frame_work", "the same with artificial work for each command", 1.0}})
    result.workloads.push_back({"command_bucket", name, title, 1, {"add", "sort", "submit"}, 40000, "command", true});
  for (const Version& version : kVersions) {
    const std::string name = version.name;
    result.variants.push_back({"command_bucket",
                               name,
                               name == "v1_st_new",
                               "one idea",
                               "O(1) a command",
                               "the article",
                               "needs a budget",
                               {}});
    for (const auto& [workload, work] : {std::pair{"frame", 0.45}, std::pair{"frame_work", 1.0}})
      add_processes(result, results::benchmark_name("command_bucket", name, workload),
                    {{"add", version.add * work}, {"sort", version.sort}, {"submit", version.submit}}, 40000, blocks,
                    0.02);
  }
}

/// A column of the full sweep: `storage` gives {size, alignment} of an image.
template <typename Storage>
results::DriverColumn column(const std::string& name, const Storage& storage, std::uint64_t buffer_unit) {
  results::DriverColumn made;
  made.name = name;
  made.probed_at = "2026-01-31T20:00:00Z";
  made.driver.short_name = name.substr(0, name.find('-'));
  made.driver.version = "22.3.6";
  made.driver.device_name = "a simulated " + made.driver.short_name;
  made.driver.device_type = made.driver.short_name == "lavapipe" ? "cpu" : "discrete gpu";
  if (name.find("-simulated") != std::string::npos) {
    made.driver.simulated = results::SimulatedDevice{"navi10", "amdgpu_noop_drm_shim", {}};
  } else {
    made.heaps = {{std::uint64_t{8} << 30, {"device local"}}};
    made.memory_types = {{0, {"device local", "host visible"}}};
  }
  made.limits = {
      {"maxMemoryAllocationCount", 4096}, {"maxImageDimension2D", 16384}, {"minStorageBufferOffsetAlignment", 4}};
  made.buffer_memory_type_bits = {1};
  for (std::uint64_t width = 1; width <= 4096; width *= 2)
    for (std::uint64_t height = 1; height <= 4096; height *= 2) {
      const auto [size, alignment] = storage(width, height);
      made.images.push_back({width, height, size, alignment, 1});
    }
  for (std::uint64_t ten = 1; ten <= 100000000; ten *= 10)
    for (const std::uint64_t digit : {1, 2, 4, 8}) {
      const std::uint64_t length = digit * ten;
      made.buffers.push_back({length, (length + buffer_unit - 1) / buffer_unit * buffer_unit, 16});
    }
  std::sort(made.buffers.begin(), made.buffers.end(), [](const auto& a, const auto& b) { return a.length < b.length; });
  return made;
}

/// The tiles of 4096 bytes of an Intel HD Graphics 620, followed by its compression data (`compressed`), and by the
/// bytes that a newer version adds.
inline results::DriverColumn hd620(const std::string& name, bool compressed, std::uint64_t added = 0) {
  return column(
      name,
      [=](std::uint64_t width, std::uint64_t height) {
        const std::uint64_t tiles = (width + 31) / 32 * ((height + 31) / 32);
        const std::uint64_t compression = (tiles + 255) / 256 * 4096 + 24;
        return std::pair<std::uint64_t, std::uint64_t>{tiles * 4096 + (compressed ? compression : 0) + added, 4096};
      },
      1);
}

/// A driver that stores rows of 64-byte pieces, and one with tiles of 4096 bytes that changes its alignment.
inline std::vector<results::DriverColumn> atlas() {
  using Requirement = std::pair<std::uint64_t, std::uint64_t>;
  return {
      column(
          "lavapipe-22.3.6",
          [](std::uint64_t width, std::uint64_t height) {
            return Requirement{(width * 4 + 63) / 64 * 64 * height, 64};
          },
          1),
      column(
          "radv-22.3.6-navi10-simulated",
          [](std::uint64_t width, std::uint64_t height) {
            const std::uint64_t big = width >= 128 && height >= 128 ? 65536 : 4096;
            return Requirement{
                (std::max<std::uint64_t>(width, 32) * std::max<std::uint64_t>(height, 32) * 4 + big - 1) / big * big,
                big};
          },
          16)};
}

}  // namespace lab::judge::sample

namespace lab::judge {

/// The claims about the article's family, with the result's own fitness.
inline std::vector<JudgedClaim> judge_claims(const results::Article& article, const results::Result& result) {
  return judge_claims(article, result, judge_fitness(result));
}

}  // namespace lab::judge
