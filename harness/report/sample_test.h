/// A result, a history and a bisect record for tests: what a session of both families on a small machine looks like.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/judge/article_sample_test.h"
#include "harness/report/exhibits.h"
#include "harness/report/report.h"
#include "harness/results/bisect_record.h"
#include "harness/results/result.h"

namespace lab::report::sample {

using namespace judge::sample;

/// Articles and families of the checkout for tests.
inline const Background& background() {
  static const Background loaded = *load_background(checkout());
  return loaded;
}

inline void add_allocator_family(results::Result& result, int blocks) {
  struct Timed {
    const char* variant;
    double replace, growing;
  };
  constexpr Timed kVariants[] = {{"c_library", 111, 42},
                                 {"buddy", 27.9, 12.4},
                                 {"jemalloc", 31.1, 29},
                                 {"linear", 0, 3.1},
                                 {"mimalloc", 32.1, 24}};
  result.workloads.push_back({"allocator",
                              "random_replace",
                              "free one of 10,000 live blocks, allocate 16 to 4096 bytes",
                              1,
                              {"replace"},
                              100000,
                              "pair",
                              false});
  result.workloads.push_back(
      {"allocator", "growing_buffers", "1,000 buffers that double until 64 KiB", 1, {"grow"}, 20000, "step", false});
  for (const Timed& variant : kVariants) {
    const std::string name = variant.variant;
    result.variants.push_back(
        {"allocator", name, name == "c_library", "one idea", "O(1)", "somewhere", "fragments", {}});
    result.variants.back().traits["frees"] = variant.replace > 0 ? "by pointer" : "everything at once";
    if (variant.replace > 0)
      add_processes(result, results::benchmark_name("allocator", name, "random_replace"),
                    {{"replace", variant.replace}}, 100000, blocks, 0.05);
    add_processes(result, results::benchmark_name("allocator", name, "growing_buffers"), {{"grow", variant.growing}},
                  20000, blocks, 0.03);
  }
  for (results::Process& process : result.processes) {
    const bool replaces = process.benchmark.ends_with("/random_replace");
    if (process.benchmark.starts_with("allocator/buddy/"))
      process.counters = {{"metadata_bytes", 131072},
                          {"buffer_bytes", 67108864},
                          {"internal_fragmentation", replaces ? 1.33 : 1.01},
                          {"external_fragmentation", 0.25},
                          {"minimum_heap_bytes", 4096.0 * (replaces ? 300 : 200)},
                          {"peak_requested_bytes", 524288}};
    if (process.benchmark.starts_with("allocator/mimalloc/"))
      process.counters = {{"internal_fragmentation", 1.08}, {"peak_requested_bytes", 524288}};
  }
  result.unsupported.push_back({"allocator/linear/random_replace", "it cannot free one block"});
}

/// Forty variants of the allocator family, most of them with a minimum heap, of which seven beat all others in time or
/// in memory.
inline void add_many_variants(results::Result& result, int blocks) {
  Random random(11);
  const auto made = result.processes.size();
  for (int i = 0; i < 40; ++i) {
    const std::string name =
        fmt::format("{}_{}", std::array{"buddy_of_kind", "list_first_fit", "slab", "tlsf"}[i % 4], i);
    result.variants.push_back({"allocator",
                               name,
                               false,
                               "one idea",
                               "O(1)",
                               "somewhere",
                               "rounds up to powers of two",
                               {{"frees", "by pointer"}, {"threads", i % 3 == 0 ? "any number" : "one"}}});
    add_processes(result, results::benchmark_name("allocator", name, "random_replace"),
                  {{"replace", i < 7 ? 10.0 + 9 * i : 20 + static_cast<double>(random.below(120))}}, 100000, blocks,
                  0.03);
  }
  for (std::size_t i = made; i < result.processes.size(); ++i) {
    const auto at = static_cast<double>((i - made) / static_cast<std::size_t>(blocks));
    if (at < 35)
      result.processes[i].counters = {{"minimum_heap_bytes", at < 7 ? 150 - 7 * at : 152 + 2 * at},
                                      {"peak_requested_bytes", 100}};
  }
}

/// What makes a page wide: five workloads whose variants count rounding and heap, and a benchmark with a long name.
inline void add_wide_family(results::Result& result, int blocks) {
  const auto made = result.processes.size();
  for (const char* name : {"random_replace", "growing_buffers", "random_replace_untouched",
                           "frame_of_short_lived_blocks", "asset_streaming"})
    result.workloads.push_back({"heaps", name, "blocks that come and go", 1, {"replace"}, 1000, "pair", false});
  for (const char* name :
       {"c_library", "buddy", "buddy_that_keeps_its_free_lists_in_one_bitmap_for_all_of_its_orders"}) {
    const std::string variant = name;
    result.variants.push_back(
        {"heaps", variant, variant == "c_library", "one idea", std::string(90, 'O'), "somewhere", "fragments", {}});
    for (const results::WorkloadInfo& workload : result.workloads)
      if (workload.family == "heaps")
        add_processes(result, results::benchmark_name("heaps", variant, workload.name),
                      {{"replace", 20.0 + static_cast<double>(variant.size())}}, 1000, blocks, 0.05);
  }
  for (std::size_t i = made; i < result.processes.size(); ++i) {
    const double size = static_cast<double>(result.processes[i].benchmark.size());
    result.processes[i].counters = {{"internal_fragmentation", 1 + size / 500},
                                    {"minimum_heap_bytes", 1000 * size},
                                    {"peak_requested_bytes", 20000}};
  }
}

/// A PNG of one grey pixel.
inline const std::string kGreyPixel(
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00"
    "\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41\x54\x78\xda\x63\x68\x00\x00\x00\x82\x00\x81\xda"
    "\x45\x08\x3b\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82",
    67);

/// Events of a tree of four leaves: one is allocated, then freed.
inline constexpr std::string_view kTreeEvents = R"({"traceEvents": [
  {"name":"range","tid":0,"ts":0,"dur":0,"args":{"position":0,"bytes":65536,"leaf":16384}},
  {"name":"split","tid":0,"ts":1,"dur":0,"args":{"position":0,"bytes":65536}},
  {"name":"split","tid":0,"ts":2,"dur":0,"args":{"position":0,"bytes":32768}},
  {"name":"allocate","tid":0,"ts":3,"dur":0,"args":{"position":0,"requested":10000,"bytes":16384}},
  {"name":"free","tid":0,"ts":4,"dur":0,"args":{"position":0,"requested":10000,"bytes":16384}},
  {"name":"merge","tid":0,"ts":5,"dur":0,"args":{"position":0,"bytes":32768}},
  {"name":"merge","tid":0,"ts":6,"dur":0,"args":{"position":0,"bytes":65536}}]})";

/// The files of the exhibits that add_exhibits() adds.
inline ExhibitContents exhibit_contents() {
  ExhibitContents contents;
  for (const char* variant : {"c_library", "buddy"}) {
    std::string events;
    for (int i = 0; i < 40; ++i)
      events += fmt::format(R"({}{{"name":"{}","ph":"X","pid":1,"tid":{},"ts":{},"dur":{}}})", i == 0 ? "" : ",",
                            i % 3 == 0 ? "wait" : "task", i % 4, i * 2.5, 1 + i % 5);
    contents[fmt::format("x/{}.steps", variant)] = fmt::format(R"({{"traceEvents": [{}]}})", events);
    contents[fmt::format("x/{}.free", variant)] =
        R"({"x_title":"operations","y_title":"free memory, bytes","x":[0,1000,2000,3000],)"
        R"("lines":[{"name":"free","y":[65536,40000,30000,28000]}]})";
    contents[fmt::format("x/{}.picture", variant)] = kGreyPixel;
  }
  contents["x/buddy.tree"] = kTreeEvents;
  return contents;
}

/// An exhibit of each kind for two variants of the wide family, and a sweep over threads.
inline void add_exhibits(results::Result& result, int blocks) {
  using results::ExhibitKind;
  result.workloads.push_back(
      {"heaps", "churn_on_threads", "blocks that come and go on several threads", 1, {"churn"}, 1000, "pair", true});
  result.workloads.back().axis = bench::Axis{"threads", "", {{1, 0}, {2, 0}, {4, 0}, {8, 0}}};
  for (const char* name : {"c_library", "buddy"}) {
    const std::string variant = name;
    const auto made = result.processes.size();
    add_processes(result, results::benchmark_name("heaps", variant, "churn_on_threads"),
                  {{"churn", 30.0 + 4 * static_cast<double>(variant.size())}}, 1000, blocks, 0.05);
    for (std::size_t i = made; i < result.processes.size(); ++i) {
      for (const bench::AxisPoint& point : result.workloads.back().axis->points)
        result.processes[i].points.push_back(
            {point.at,
             1000,
             5,
             {{"churn", std::vector<double>(5, result.processes[i].real_time * 1000 / point.at)}},
             {},
             {}});
      result.processes[i].samples.clear();
    }
    const std::string benchmark = results::benchmark_name("heaps", variant, "random_replace");
    const double slow = static_cast<double>(variant.size());
    result.exhibits.push_back(
        {benchmark,
         {"replace", "Time to replace a block", ExhibitKind::kLatency},
         "x/" + variant + ".json",
         6,
         {{"p50", 10 * slow}, {"p99", 25 * slow}, {"p99.9", 90 * slow}, {"worst", 3000 * slow}, {"raw worst", 4.1e6}}});
    result.exhibits.push_back(
        {benchmark, {"free", "Free memory", ExhibitKind::kSeries}, "x/" + variant + ".free", 1, {}});
    result.exhibits.push_back(
        {benchmark, {"picture", "The heap", ExhibitKind::kImage}, "x/" + variant + ".picture", 1, {}});
    result.exhibits.push_back(
        {benchmark, {"steps", "What each thread did", ExhibitKind::kEvents}, "x/" + variant + ".steps", 1, {}});
  }
  result.exhibits.push_back(
      {"heaps/buddy/random_replace", {"tree", "A tree of blocks", ExhibitKind::kEvents}, "x/buddy.tree", 1, {}});
}

/// A picture in testdata.
inline std::string png(const std::string& name) {
  return *read_file(std::filesystem::path(LAB_SOURCE_DIR) / "harness/report/testdata" / (name + ".png"));
}

/// A family with pictures to compare, whose workloads trade error for time: two are swept over samples, and the error
/// is in every second process alone. Returns the files of the pictures.
inline ExhibitContents add_shadows(results::Result& result, int blocks) {
  const bench::Metric error{"error_to_converged",      "RMS error",          "grey levels",
                            bench::MetricKind::kExact, bench::Better::kLess, true};
  const bench::Axis samples{"samples", "", {{4, 0}, {6, 0}, {12, 0}, {24, 0}}};
  struct Work {
    const char* name;
    double base_ms, error;
  };
  constexpr Work kWork[] = {{"still_plain", 0.4, 0.2}, {"still_reprojected", 0.7, 0.07}, {"converged", 250, 0}};
  for (const Work& work : kWork) {
    result.workloads.push_back({"shadows", work.name, "one frame", 1, {"shade"}, 1, "frame", false});
    result.workloads.back().metrics = {error};
    if (work.error > 0) result.workloads.back().axis = samples;
  }
  for (const auto& [name, factor] : {std::pair{"scalar", 1.0}, std::pair{"lanes", 0.3}, std::pair{"table", 0.8}}) {
    const std::string variant = name;
    result.variants.push_back(
        {"shadows", variant, variant == "scalar", "one idea", "O(samples)", "somewhere", "noise", {}});
    for (const Work& work : kWork) {
      const auto made = result.processes.size();
      add_processes(result, results::benchmark_name("shadows", variant, work.name),
                    {{"shade", work.base_ms * 1e6 * factor}}, 1, blocks, 0.02);
      for (std::size_t i = made; i < result.processes.size(); ++i) {
        results::Process& process = result.processes[i];
        const bool judged = process.block % 2 == 0;
        if (work.error == 0 && judged) process.counters = {{"error_to_converged", 0.002}};
        if (work.error == 0) continue;
        for (const bench::AxisPoint& point : samples.points) {
          const double ns = process.real_time + 0.25e6 * factor * point.at;
          process.points.push_back({point.at, 1, 5, {{"shade", std::vector<double>(5, ns)}}, {}, {}});
          if (judged) process.points.back().counters = {{"error_to_converged", work.error / std::sqrt(point.at)}};
        }
        process.samples.clear();
      }
    }
  }
  ExhibitContents contents;
  const auto add = [&](const char* benchmark, const char* exhibit, const char* picture) {
    const std::string file = fmt::format("x/{}.{}.png", benchmark, exhibit);
    result.exhibits.push_back({benchmark, {exhibit, "The shadows", results::ExhibitKind::kImage}, file, 1, {}});
    contents[file] = png(picture);
  };
  add("shadows/scalar/still_plain", "before", "ghost_before");
  add("shadows/scalar/still_plain", "after", "ghost_after");
  add("shadows/scalar/still_plain", "half", "ghost_half");
  add("shadows/scalar/converged", "picture", "ghost_truth");
  add("shadows/lanes/still_plain", "after", "ghost_after");
  add("shadows/lanes/still_plain", "before", "ghost_before");
  return contents;
}

inline results::Result result(int blocks = 12) {
  results::Result made;
  made.context = {"2026-01-31T20:00:00Z",
                  "host",
                  "harness",
                  2,
                  2300,
                  false,
                  {{"Data", 1, 49152, 1}, {"Unified", 2, 2097152, 1}},
                  {0.1},
                  "release"};
  made.machine = {"m-1a2b3c4d", "", "Fixture Xeon 4 GHz", "x86_64", 1, 2, 2, 16, true, {}};
  made.facts = {"6.1.0-18", "0x2b000590", "unknown",    "unknown",   "off",
                "full",     "madvise",    "glibc 2.36", "Debian 12", {0.12, 0.2, 0.3}};
  made.build = {"pinned", "release", "x86-64-v2", "GNU 12.2.0", "-std=c++20 -O2 -DNDEBUG -march=x86-64-v2"};
  made.pins = {{"benchmark", "8a7f3c"}, {"boost", "11d0aa"}};
  made.source = {"0123456789abcdef0123456789abcdef01234567", false, "clean"};
  made.session = {"20260131T200000Z-0123456",
                  "2026-01-31T20:00:00Z",
                  "2026-01-31T20:08:00Z",
                  42,
                  "default",
                  480,
                  blocks,
                  1,
                  "complete",
                  {"This is a virtual machine: its neighbours are in the numbers."}};
  add_bucket_family(made, blocks);
  add_allocator_family(made, blocks);
  return made;
}

/// The same with a base arm, in which one benchmark was quicker, one slower, and one needed fewer bytes, and with a
/// control arm of one benchmark of each family; `wide`: with add_wide_family.
inline results::Result two_arms(int blocks = 16, bool wide = false) {
  results::Result made = result(blocks);
  if (wide) add_wide_family(made, blocks), add_many_variants(made, blocks), add_exhibits(made, blocks);
  const results::Result again = made;
  for (const std::string_view arm : {results::kHead, results::kBase, results::kControl})
    made.arms.push_back({std::string(arm), made.build, made.pins, made.source, {}, {}});
  made.arms[1].source.commit = "fedcba9876543210fedcba9876543210fedcba98";
  Random random(5);
  const auto copy = [&](results::Process process, std::string_view arm, double factor) {
    process.arm = arm;
    process.real_time *= factor * (1 + 0.002 * (static_cast<double>(random.below(2000)) / 1000 - 1));
    made.processes.push_back(std::move(process));
  };
  for (const results::Process& process : again.processes) {
    const std::string_view name = process.benchmark;
    copy(process, results::kBase,
         name == "allocator/buddy/random_replace"            ? 0.93
         : name == "command_bucket/v6_mt_thread_local/frame" ? 1.08
                                                             : 1);
    if (name == "allocator/c_library/growing_buffers" || name == "command_bucket/v1_st_new/frame")
      copy(process, results::kControl, 1);
  }
  for (results::Process& process : made.processes)
    if (process.arm == results::kBase && process.counters.contains("metadata_bytes"))
      process.counters["metadata_bytes"] = 65536;
  return made;
}

/// Forty nights of two benchmarks, of which the first got slower by a commit and quicker by a kernel.
inline std::vector<judge::SeriesHistory> followed() {
  std::vector<judge::SeriesHistory> made(2);
  for (judge::SeriesHistory& one : made) {
    one.series.machine = "m-1a2b3c4d";
    one.series.version = 1;
  }
  made[0].series.benchmark = "allocator/buddy/random_replace";
  made[1].series.benchmark = "allocator/linear/growing_buffers";
  Random random(9);
  for (judge::SeriesHistory& one : made)
    for (int night = 0; night < 40; ++night) {
      const bool slower = &one == &made[0] && night >= 20 && night < 30;
      results::SeriesPoint point;
      point.started = fmt::format("2026-0{}-{:02}T02:00:00Z", night < 30 ? 6 : 7, night % 30 + 1);
      point.session = fmt::format("s{}", night);
      point.commit = fmt::format("{:08x}{:032x}", night, 0);
      point.median = (slower ? 105 : 100) + static_cast<double>(random.below(100)) / 100;
      // One night's doubt is large.
      point.interval = stats::Interval{point.median - (night == 5 ? 60 : 1), point.median + 1};
      one.points.push_back(std::move(point));
    }
  const auto change = [&](std::size_t index, double before, double after, std::string cause) {
    judge::LevelChange made_change;
    made_change.index = index;
    made_change.detected_at = index + 3;
    made_change.started = made[0].points[index].started;
    made_change.before = before;
    made_change.after = after;
    made_change.ratio = after / before;
    made_change.interval = stats::Interval{made_change.ratio - 0.01, made_change.ratio + 0.01};
    made_change.confidence = 0.9991;
    made_change.commits = {*made[0].points[index - 1].commit, *made[0].points[index].commit};
    if (cause != "code") made_change.changed = {cause + " 6.1.0 -> 6.1.9"};
    made_change.cause = std::move(cause);
    made[0].findings.changes.push_back(std::move(made_change));
  };
  for (judge::SeriesHistory& one : made) one.findings.judged.from = 15;
  change(20, 100.5, 105.5, "code");
  change(30, 105.5, 100.5, "kernel");
  return made;
}

/// Twelve commits, of which one cannot be built and the eighth made everything 5 % slower, as eight pairs confirm.
inline results::ParsedBisectRecord bisected() {
  results::ParsedBisectRecord record;
  record.question.benchmark = "allocator/buddy/random_replace";
  for (int i = 0; i <= 12; ++i)
    record.question.commits.push_back(
        {fmt::format("{:08x}{:032x}", 0xabc0 + i, 0),
         fmt::format("Change number {}{}", i,
                     i == 8 ? "" : ": Buddy keeps its free lists in one bitmap of all its orders"),
         false});
  const std::string culprit = record.question.commits[8].sha;
  Random random(3);
  const auto measure = [&](std::size_t at, double null, double belief, int pair = 0, std::size_t against = 0) {
    results::BisectEntry entry;
    entry.pair = pair;
    if (pair > 0) entry.against = record.question.commits[against].sha;
    entry.commit = record.question.commits[at].sha;
    entry.at = "2026-08-02T23:15:00Z";
    entry.value = (at < 8 ? 100 : 105) + static_cast<double>(random.below(100)) / 200;
    entry.null = null;
    entry.most = {{culprit, belief}, {record.question.commits[7].sha, (1 - null - belief) / 2}};
    record.entries.push_back(std::move(entry));
  };
  for (const std::size_t at : {0, 12, 0, 12, 0, 12}) measure(at, 0.4, 0.05);
  results::BisectEntry skip;
  skip.commit = record.question.commits[6].sha;
  skip.skip = "it does not build";
  record.entries.push_back(skip);
  for (const std::size_t at : {7, 8, 5, 9, 7, 8, 4, 10}) measure(at, 0.001, 0.9);
  for (int pair = 1; pair <= 8; ++pair) {
    const std::size_t first = random.below(2) == 0 ? 7 : 8, second = 15 - first;
    measure(first, 0.001, 0.95, pair, second);
    measure(second, 0.001, 0.95, pair, first);
  }
  return record;
}

}  // namespace lab::report::sample
