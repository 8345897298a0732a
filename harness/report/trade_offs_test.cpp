#include "harness/report/trade_offs.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>

#include "harness/report/charts.h"
#include "harness/report/sample_test.h"
#include "harness/report/svg.h"

namespace lab::report {

namespace {

namespace json = boost::json;

results::Result shadows() {
  results::Result result;
  sample::add_shadows(result, 6);
  return result;
}

/// The trade-off of the sample family, changed.
Chart chart_of(const results::Result& result, const std::function<void(results::TradeOff&)>& change = {}) {
  results::Family described = sample::background().families.at("shadows");
  if (change) change(described.trade_offs.front());
  return trade_off_charts("shadows", described, result).at(0);
}

std::vector<std::string> on_front(const Chart& chart, std::string_view variant) {
  std::vector<std::string> found;
  for (const json::value& row : chart.data.at("rows").as_array())
    if (row.at("front").as_bool() && row.at("variant").as_string() == variant)
      found.emplace_back(row.at("what").as_string());
  return found;
}

}  // namespace

TEST(TradeOffs, have_a_point_for_each_variant_workload_and_point_of_the_sweep) {
  const Chart chart = chart_of(shadows());
  EXPECT_EQ(chart.name, "shadows-cost");
  EXPECT_EQ(chart.variants, (std::vector<std::string>{"scalar", "lanes", "table"}));
  const json::array& rows = chart.data.at("rows").as_array();
  ASSERT_EQ(rows.size(), 3u * (4 + 4 + 1));
  EXPECT_EQ(rows[1].at("what").as_string(), "still_plain with 6 samples");
  EXPECT_EQ(rows[1].at("label").as_string(), "6");
  EXPECT_NEAR(rows[1].at("x").as_double(), 0.4 + 0.25 * 6, 0.05) << "in milliseconds";
  EXPECT_NEAR(rows[1].at("y").as_double(), 0.2 / std::sqrt(6.0), 1e-9) << "of the processes that have it";
  EXPECT_EQ(rows[8].at("what").as_string(), "converged");
  EXPECT_EQ(rows[8].at("label").as_string(), "");
  EXPECT_EQ(chart.table->rows.size(), rows.size());
  EXPECT_NE(chart.text.find("; still_reprojected with 24 samples: "), std::string::npos) << chart.text;
}

TEST(TradeOffs, say_what_reaches_the_best_of_the_first_workload_for_less) {
  const Chart chart = chart_of(shadows());
  EXPECT_EQ(chart.title,
            "Error against time, scalar: still_reprojected with 4 samples reaches the RMS error of still_plain with 24 "
            "samples at 0.267 (0.266 to 0.271) of its time");
  results::Result costly = shadows();
  for (results::Process& process : costly.processes)
    if (process.benchmark.ends_with("/still_reprojected"))
      for (results::ProcessPoint& point : process.points)
        for (double& ns : point.samples.at("shade")) ns += 1e9;
  EXPECT_EQ(chart_of(costly).title, "Error against time, scalar") << "for more";
  EXPECT_EQ(chart_of(shadows(), [](auto& wanted) { wanted.workloads = {"still_plain"}; }).title,
            "Error against time, scalar");
}

TEST(TradeOffs, say_nothing_that_intervals_do_not_show) {
  results::Result few = shadows();
  std::erase_if(few.processes, [](const results::Process& process) { return process.block > 4; });
  EXPECT_EQ(chart_of(few).title, "Error against time, scalar") << "five ratios have no interval";
  results::Result noisy = shadows();
  for (results::WorkloadInfo& workload : noisy.workloads)
    for (results::Metric& metric : workload.metrics) metric.kind = results::MetricKind::kQuality;
  EXPECT_EQ(chart_of(noisy).title, "Error against time, scalar") << "three errors have no interval";
  const judge::Fitness disturbed{false, judge::kMachineReason};
  const Chart unjudged =
      trade_off_charts("shadows", sample::background().families.at("shadows"), shadows(), disturbed).at(0);
  EXPECT_EQ(unjudged.title, "Error against time, scalar: disturbed, not judged");
  EXPECT_TRUE(on_front(unjudged, "scalar").empty());
  EXPECT_EQ(unjudged.note.find("Pareto"), std::string::npos) << unjudged.note;
}

TEST(TradeOffs, mark_the_pareto_front_of_each_variant) {
  const Chart chart = chart_of(shadows());
  const std::vector<std::string> expected{"still_plain with 4 samples",        "still_reprojected with 4 samples",
                                          "still_reprojected with 6 samples",  "still_reprojected with 12 samples",
                                          "still_reprojected with 24 samples", "converged"};
  EXPECT_EQ(on_front(chart, "scalar"), expected);
  EXPECT_EQ(on_front(chart, "lanes"), expected);
  // Where more error is better, other points are on it.
  results::Result result = shadows();
  for (results::WorkloadInfo& workload : result.workloads) workload.metrics[0].better = bench::Better::kMore;
  EXPECT_EQ(on_front(chart_of(result), "scalar"), std::vector<std::string>{"still_plain with 4 samples"});
}

TEST(TradeOffs, have_logarithmic_axes_where_the_points_span_more_than_a_decade) {
  const auto scale = [](const Chart& chart, const char* axis) {
    for (const auto& [key, value] : chart.values)
      if (key == axis) return std::string(value.at("type").as_string());
    return std::string();
  };
  const Chart wide = chart_of(shadows());
  EXPECT_EQ(scale(wide, "x_scale"), "log");
  const Chart narrow = chart_of(shadows(), [](auto& wanted) { wanted.workloads = {"still_plain"}; });
  EXPECT_EQ(scale(narrow, "x_scale"), "log") << "of all variants";
  EXPECT_EQ(scale(narrow, "y_scale"), "linear");
}

TEST(TradeOffs, are_left_out_without_points) {
  results::Family described = sample::background().families.at("shadows");
  described.trade_offs.front().y = "missing";
  EXPECT_TRUE(trade_off_charts("shadows", described, shadows()).empty());
  EXPECT_TRUE(trade_off_charts("shadows", sample::background().families.at("shadows"), {}).empty());
}

TEST(TradeOffs, are_drawn_for_one_variant_with_marks_and_names) {
  const Expected<std::unique_ptr<SvgRenderer>> renderer = SvgRenderer::create();
  ASSERT_TRUE(renderer) << renderer.error().what;
  const auto drawn = [&](const Chart& chart) {
    const Expected<std::string> svg =
        (*renderer)->render(chart.name, drawing_specification(chart, DrawingTarget::kFile));
    EXPECT_TRUE(svg) << (svg ? "" : svg.error().what);
    return svg ? *svg : "";
  };
  const std::string svg = drawn(chart_of(shadows()));
  EXPECT_NE(svg.find("the article's budget, 1 to 1.5 ms on another machine"), std::string::npos);
  EXPECT_NE(svg.find(">12</text>"), std::string::npos);
  // Without marks, without a sweep, and of one point.
  drawn(chart_of(shadows(), [](auto& wanted) { wanted.marks.clear(); }));
  drawn(chart_of(shadows(), [](auto& wanted) { wanted.workloads = {"converged"}; }));
}

}  // namespace lab::report
