#include "harness/results/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/error.h"
#include "harness/results/result_fixture.h"

namespace lab::results {

namespace {

WorkloadInfo rich_workload() {
  WorkloadInfo workload = fixture_result().workloads.front();
  workload.tolerance = bench::Tolerance{bench::Distance::kMaximum, 1, "grey levels"};
  workload.metrics = {{"rss", "Resident memory", "bytes", MetricKind::kMemory},
                      {"metadata_bytes", "Metadata", "bytes", MetricKind::kExact},
                      {"put", "Time to put", "ns per put", MetricKind::kTime}};
  return workload;
}

std::vector<std::string> names(const std::vector<Metric>& metrics) {
  std::vector<std::string> names;
  for (const Metric& metric : metrics) names.push_back(metric.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(Metrics, of_a_workload_are_its_time_its_phases_its_error_and_those_it_declares) {
  EXPECT_EQ(names(metrics_of(fixture_result().workloads.front())),
            (Names{"time", "put", "get", "instructions", "page_faults"}));
  EXPECT_EQ(names(metrics_of(rich_workload())),
            (Names{"time", "get", "error", "instructions", "page_faults", "rss", "metadata_bytes", "put"}));
}

TEST(Metrics, begin_with_the_primary_one) {
  WorkloadInfo workload = rich_workload();
  workload.primary = "error";
  EXPECT_EQ(names(metrics_of(workload)),
            (Names{"error", "time", "get", "instructions", "page_faults", "rss", "metadata_bytes", "put"}));
  EXPECT_EQ(find_metric(workload, "")->name, "error");
  EXPECT_EQ(metric_name("a/b/c", workload, "error"), "a/b/c");
  EXPECT_EQ(metric_name("a/b/c", workload, "time"), "a/b/c:time");
}

TEST(Metrics, that_are_judged_are_the_primary_one_and_declared_ones_with_noise) {
  EXPECT_EQ(names(judged_metrics(fixture_result().workloads.front())), Names{"time"});
  EXPECT_EQ(names(judged_metrics(rich_workload())), (Names{"time", "error", "rss", "put"}));
}

TEST(Metrics, that_the_user_names_are_judged_as_well_if_the_workload_has_them) {
  EXPECT_EQ(names(judged_metrics(fixture_result().workloads.front(), {"get", "absent"})), (Names{"time", "get"}));
}

TEST(Metrics, become_worse_by_their_direction) {
  const auto worse = [](bench::Better better) {
    const Metric metric{"m", "", "", MetricKind::kExact, better};
    return std::pair(is_worse(metric, 1, 2), is_worse(metric, 2, 1));
  };
  EXPECT_EQ(worse(bench::Better::kLess), std::pair(true, false));
  EXPECT_EQ(worse(bench::Better::kMore), std::pair(false, true));
  EXPECT_EQ(worse(bench::Better::kNeither), std::pair(false, false));
}

TEST(Metrics, have_values_in_a_process) {
  const WorkloadInfo workload = rich_workload();
  Process process = fixture_process("shelf/plain/store", 0, 100);
  process.counters["rss"] = 4096;
  EXPECT_EQ(metric_value(workload, process, ""), 100);
  EXPECT_EQ(metric_value(workload, process, "time"), 100);
  EXPECT_EQ(metric_value(workload, process, "put"), 60);
  EXPECT_EQ(metric_value(workload, process, "rss"), 4096);
  EXPECT_EQ(metric_value(workload, process, "error"), std::nullopt);
  EXPECT_EQ(metric_value(workload, process, "nothing"), std::nullopt);
}

TEST(Metrics, of_a_sweep_are_the_geometric_means_over_its_points) {
  WorkloadInfo workload = rich_workload();
  workload.axis = bench::Axis{"threads", "", {{1, 0}, {4, 40}}};
  Process process = fixture_process("shelf/plain/store", 0, 20);
  process.samples.clear();
  process.points = {{1, 10, 3, {{"put", {100, 120, 110}}, {"get", {10, 10, 10}}}, {{"rss", 1}}, {}},
                    {4, 40, 1, {{"put", {176}}, {"get", {4}}}, {{"rss", 4}}, {}}};
  EXPECT_DOUBLE_EQ(*metric_value(workload, process, "put"), std::sqrt(11 * 4.4));
  EXPECT_EQ(metric_value(workload, process, "time"), 20);
  EXPECT_DOUBLE_EQ(*metric_value(workload, process.points[0], "time"), 12);
  EXPECT_DOUBLE_EQ(*metric_value(workload, process.points[1], "time"), 4.5);
  EXPECT_EQ(metric_value(workload, process.points[1], "rss"), 4);
}

TEST(Metrics, are_the_same_without_samples_also_of_a_sweep_with_several_phases) {
  Result result = fixture_result(2);
  result.workloads.front() = rich_workload();
  Process swept = fixture_process("shelf/plain/store", 3, 7);
  swept.samples.clear();
  swept.points = {{1, 10, 3, {{"put", {100, 120, 111}}, {"get", {30, 10, 12}}}, {{"rss", 1}}, {}},
                  {2, 20, 4, {{"put", {80, 90, 85, 81}}, {"get", {10, 12, 11, 15}}}, {{"rss", 4}}, {}}};
  result.processes.push_back(swept);
  const Expected<Result> parsed = parse_result(serialize(without_samples(result)), "x");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().what;
  const Result& read = *parsed;
  EXPECT_TRUE(read.session.medians_only);
  for (std::size_t i = 0; i < result.processes.size(); ++i)
    for (const Metric& metric : metrics_of(rich_workload())) {
      EXPECT_EQ(metric_value(rich_workload(), read.processes[i], metric.name),
                metric_value(rich_workload(), result.processes[i], metric.name))
          << metric.name;
      for (std::size_t k = 0; k < result.processes[i].points.size(); ++k)
        EXPECT_EQ(metric_value(rich_workload(), read.processes[i].points[k], metric.name),
                  metric_value(rich_workload(), result.processes[i].points[k], metric.name))
            << metric.name;
    }
  EXPECT_EQ(read.processes[0].samples, (decltype(swept.samples){{"get", {400}}, {"put", {600}}}));
  EXPECT_EQ(read.processes.back().points[1].samples.at("put"), std::vector<double>{83});
  EXPECT_EQ(serialize(without_samples(read)), serialize(read));
}

}  // namespace lab::results
