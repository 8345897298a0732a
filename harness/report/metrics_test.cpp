#include "harness/report/metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

results::Family described(const std::string& family) {
  return results::describe(sample::background().families, family);
}

Table table_of(const std::string& family, const results::Result& result) {
  return metrics_table(family, described(family), result);
}

}  // namespace

TEST(Metrics, have_a_row_for_each_benchmark_with_counters_and_a_column_for_each_counter) {
  results::Result result = sample::result();
  const Table table = table_of("allocator", result);
  ASSERT_EQ(table.rows.size(), 4u);
  std::vector<std::string> titles, first;
  for (const TableColumn& column : table.columns) titles.push_back(column.title);
  for (const TableCell& cell : table.rows[1]) first.push_back(cell.text);
  EXPECT_EQ(titles, (std::vector<std::string>{"Benchmark", "Bytes in blocks per byte requested",
                                              "Free memory outside the largest free block", "Metadata, bytes",
                                              "Minimum heap, bytes", "Peak of requested bytes", "Buffer, bytes"}));
  EXPECT_EQ(first, (std::vector<std::string>{"allocator/buddy/random_replace", "1.33", "25.0 %", "131,072", "1,228,800",
                                             "524,288", "67,108,864"}));
  EXPECT_EQ(table.rows[0][0].text, "allocator/mimalloc/random_replace") << "the least rounding first";
  EXPECT_TRUE(table_of("command_bucket", result).rows.empty());
}

TEST(Metrics, show_unknown_counters_and_ranges_if_processes_differ) {
  results::Result result = sample::result();
  double most = 1000;
  for (results::Process& process : result.processes)
    if (process.benchmark == "command_bucket/v2_st_linear/frame") {
      process.counters = {{"packet_memory_bytes", 1280000}, {"spare_page_bytes", most}, {"workers", 2}};
      most = 3000;
    }
  const Table table = table_of("command_bucket", result);
  ASSERT_EQ(table.rows.size(), 1u);
  ASSERT_EQ(table.columns.size(), 3u) << "the family hides workers";
  EXPECT_EQ(table.columns[2].title, "Spare page, bytes");
  EXPECT_EQ(table.rows[0][1].text, "1,280,000");
  EXPECT_EQ(table.rows[0][2].text, "1,000 to 3,000");
}

TEST(Metrics, have_page_faults_only_where_there_are_many) {
  results::Result result = sample::result();
  for (const double faults : {9.0, 10.0}) {
    for (results::Process& process : result.processes)
      if (process.benchmark == "allocator/buddy/random_replace")
        process.counters["page_faults"] = faults;
      else if (process.benchmark.starts_with("allocator/"))
        process.counters["page_faults"] = 0;
    EXPECT_EQ(std::ranges::count(table_of("allocator", result).columns, "Page faults in the time of a repetition",
                                 &TableColumn::title),
              faults >= 10 ? 1 : 0);
  }
}

TEST(Metrics, that_are_times_are_those_of_the_undisturbed_blocks) {
  results::Result result = sample::result();
  for (results::WorkloadInfo& workload : result.workloads)
    workload.metrics = {{"queue_ns", "Queue", "ns", results::MetricKind::kTime}};
  for (results::Process& process : result.processes)
    if (process.benchmark == "command_bucket/v2_st_linear/frame")
      process.counters = {{"queue_ns", process.block < 2 ? 9000 : 1000},
                          {"spare_page_bytes", process.block < 2 ? 9 : 8}};
  for (int block = 0; block < 16; ++block)
    result.session.disturbances.push_back({block, 10, block < 2 ? 15.0 : 0.0, 0});
  const Table table = table_of("command_bucket", result);
  ASSERT_EQ(table.rows.size(), 1u);
  std::vector<std::string> cells;
  for (const TableCell& cell : table.rows[0]) cells.push_back(cell.text);
  EXPECT_NE(std::ranges::find(cells, "1,000"), cells.end()) << "without 9,000";
  EXPECT_NE(std::ranges::find(cells, "8 to 9"), cells.end()) << "bytes are not disturbed";
}

TEST(Metrics, have_the_declared_title_and_unit_where_the_familys_file_has_none) {
  results::Result result = sample::result();
  for (results::WorkloadInfo& workload : result.workloads)
    workload.metrics = {{"spare_page_bytes", "Pages that no packet uses", "bytes"}, {"workers", "Threads", ""}};
  for (results::Process& process : result.processes)
    if (process.benchmark == "command_bucket/v2_st_linear/frame")
      process.counters = {{"packet_memory_bytes", 1280000}, {"spare_page_bytes", 4096}, {"workers", 2}};
  const Table table = table_of("command_bucket", result);
  std::vector<std::string> titles;
  for (const TableColumn& column : table.columns) titles.push_back(column.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"Benchmark", "Packet memory, bytes", "Pages that no packet uses, bytes"}));
}

TEST(Metrics, of_a_sweep_are_said_to_be_a_geometric_mean) {
  results::Result result = sample::result();
  EXPECT_EQ(table_of("allocator", result).caption, "Memory: the cost of rounding, free lists and metadata");
  for (results::WorkloadInfo& workload : result.workloads)
    if (workload.name == "random_replace") workload.axis = bench::Axis{"live blocks", "", {{100, 0}}};
  EXPECT_EQ(table_of("allocator", result).caption,
            "Memory: the cost of rounding, free lists and metadata; of a sweep, the geometric mean over its points");
}

TEST(Metrics, of_few_benchmarks_share_a_column) {
  results::Result result = sample::result();
  for (results::Process& process : result.processes)
    if (process.benchmark == "allocator/buddy/random_replace") {
      process.counters["odd_bytes"] = 5;
      process.counters["rare_bytes"] = 7;
    }
  const Table table = table_of("allocator", result);
  EXPECT_EQ(table.columns.back().title, "Of few variants");
  EXPECT_EQ(table.rows[1].back().text, "Odd, bytes: 5; Rare, bytes: 7");
  EXPECT_EQ(table.rows[0].back().text, "");
}

TEST(Metrics, are_plotted_if_variants_differ) {
  const std::vector<Chart> charts = metric_charts("allocator", described("allocator"), sample::result());
  ASSERT_EQ(charts.size(), 1u) << "one variant alone has a minimum heap";
  EXPECT_EQ(charts[0].title, "buddy has the most: 1.33 bytes in blocks per byte requested, in random_replace");
  EXPECT_EQ(charts[0].data.at("rows").as_array().size(), 4u);
  results::Result result = sample::result();
  for (results::Process& process : result.processes)
    if (process.benchmark.starts_with("allocator/mimalloc/")) process.counters["minimum_heap_bytes"] = 2 * 524288;
  const std::vector<Chart> both = metric_charts("allocator", described("allocator"), result);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1].title, "buddy has the most: 2.34 times the peak of requested bytes as a heap, in random_replace");
}

TEST(Metrics, are_drawn_of_every_variant_that_a_title_names) {
  results::Result result = sample::result();
  const results::VariantCard card = *results::find_variant(result, "allocator/buddy/random_replace");
  results::Process process;
  for (const results::Process& one : result.processes)
    if (one.benchmark == "allocator/buddy/random_replace") process = one;
  // The most, 9, is of two variants; one of them has less in the workload that comes last.
  for (int i = 0; i < 30; ++i) {
    result.variants.push_back(card);
    result.variants.back().name = fmt::format("more_{:02}", i);
    for (const char* workload : {"growing_buffers", "random_replace"}) {
      process.benchmark = fmt::format("allocator/more_{:02}/{}", i, workload);
      const bool most = i % 29 == 0 && process.benchmark.ends_with("growing_buffers");
      process.counters["internal_fragmentation"] = most ? 9 : 2;
      result.processes.push_back(process);
    }
  }
  const Chart chart = metric_charts("allocator", described("allocator"), result).at(0);
  EXPECT_EQ(chart.title.find("more_00 and more_29 have the most: 9.00"), 0u) << chart.title;
  ASSERT_FALSE(chart.first.empty());
  for (const char* named : {"more_00", "more_29"})
    EXPECT_NE(std::ranges::find(chart.first, named), chart.first.end()) << named;
}

}  // namespace lab::report
