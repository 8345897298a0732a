#include "harness/judge/summary.h"

#include <gtest/gtest.h>

#include "harness/results/result_fixture.h"

namespace lab::judge {

TEST(Summary, has_a_row_with_an_interval_for_every_benchmark) {
  const std::vector<SummaryRow> rows = summarize(results::fixture_result(7));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].benchmark, "shelf/plain/store");
  EXPECT_TRUE(rows[0].reference);
  EXPECT_DOUBLE_EQ(rows[0].value.median, 103);
  EXPECT_EQ(rows[0].value.count, 7u);
  EXPECT_TRUE(rows[0].value.interval);
  EXPECT_FALSE(rows[1].reference);
  EXPECT_FALSE(summarize(results::fixture_result(5))[0].value.interval);
}

TEST(Summary, divides_a_phase_by_the_operations) {
  const results::Result result = results::fixture_result(2);
  const std::vector<stats::Datum> put = process_times(result, "shelf/plain/store", "put");
  ASSERT_EQ(put.size(), 2u);
  EXPECT_EQ(put[1].block, 1);
  EXPECT_DOUBLE_EQ(put[0].value, 60);
  EXPECT_DOUBLE_EQ(process_times(result, "shelf/plain/store")[0].value, 100);
  EXPECT_TRUE(process_times(result, "shelf/plain/store", "no such phase").empty());
  EXPECT_TRUE(process_times(result, "no/such/benchmark").empty());
}

TEST(Summary, omits_other_arms) {
  results::Result result = results::fixture_result(1);
  result.processes[0].arm = "base";
  EXPECT_EQ(summarize(result).size(), 1u);
  EXPECT_EQ(process_times(result, "shelf/plain/store", "", "base").size(), 1u);
}

TEST(Summary, finds_a_metric_among_times_and_counters) {
  const results::Result result = results::fixture_result(2);
  const auto first = [&](const char* metric) {
    const std::vector<stats::Datum> values = metric_values(result, "shelf/plain/store", metric);
    return values.size() == 2 ? values[0].value : -1;
  };
  EXPECT_DOUBLE_EQ(first("time"), 100);
  EXPECT_DOUBLE_EQ(first("put"), 60);
  EXPECT_DOUBLE_EQ(first("metadata_bytes"), 128);
  EXPECT_DOUBLE_EQ(first("no such metric"), -1);
  EXPECT_TRUE(metric_values(result, "shelf/plain/store", "time", "base").empty());
  EXPECT_TRUE(is_time(result, "shelf/plain/store", "put"));
  EXPECT_FALSE(is_time(result, "shelf/plain/store", "metadata_bytes"));
}

}  // namespace lab::judge
