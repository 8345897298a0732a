#include "harness/report/exhibits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "harness/report/charts.h"
#include "harness/report/sample_test.h"
#include "harness/report/svg.h"
#include "harness/report/sweeps.h"
#include "harness/results/result_fixture.h"

namespace lab::report {

namespace {

using results::ExhibitKind;

/// Two variants that each have an exhibit of every kind, and the files.
struct Shown {
  Shown() : result(results::fixture_result(7)) {
    for (const char* variant : {"quick", "plain"}) {
      const std::string benchmark = fmt::format("shelf/{}/store", variant);
      const double fast = std::string_view(variant) == "quick" ? 1 : 2;
      result.exhibits.push_back({benchmark,
                                 {"put", "Time to put", ExhibitKind::kLatency},
                                 "x/" + benchmark + ".json",
                                 6,
                                 {{"p50", 100 * fast},
                                  {"p99", 200 * fast},
                                  {"p99.9", 300 * fast},
                                  {"worst", 4000 * fast},
                                  {"raw worst", 4e6}}});
      add(benchmark, {"free", "Free memory", ExhibitKind::kSeries},
          R"({"x_title":"operations","y_title":"free memory, bytes","x":[1,2,3],"lines":[{"name":"free","y":[9,8,7]}]})");
      add(benchmark, {"picture", "The shelf", ExhibitKind::kImage}, "\x89PNG");
      add(benchmark, {"steps", "Steps", ExhibitKind::kEvents},
          R"({"traceEvents": [{"name":"b","ph":"X","pid":1,"tid":1,"ts":5,"dur":2},)"
          R"({"name":"a","ph":"X","pid":1,"tid":0,"ts":1,"dur":3}]})");
    }
  }

  void add(const std::string& benchmark, const bench::ExhibitInfo& info, const std::string& content) {
    const std::string file = fmt::format("x/{}.{}", benchmark, info.name);
    result.exhibits.push_back({benchmark, info, file, 1, {}});
    contents[file] = content;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Chart& chart : exhibit_charts("shelf", {}, result, contents)) names.push_back(chart.name);
    return names;
  }

  results::Result result;
  ExhibitContents contents;
};

using Names = std::vector<std::string>;

}  // namespace

TEST(ExhibitCharts, are_one_for_all_variants_or_one_for_each_with_the_reference_first) {
  EXPECT_EQ(Shown().names(),
            (Names{"shelf-store-put", "shelf-store-free", "shelf-store-steps-plain", "shelf-store-steps-quick"}));
}

TEST(ExhibitCharts, have_few_lines_and_points_of_a_series_with_the_reference_and_both_extremes) {
  Shown shown;
  for (int variant = 0; variant < 40; ++variant) {
    std::string x, y;
    for (int i = 0; i < 350; ++i) {
      x += fmt::format("{}{}", i == 0 ? "" : ",", i);
      y += fmt::format("{}{}", i == 0 ? "" : ",", i == 349 ? 10 + variant : 5);
    }
    shown.add(fmt::format("shelf/v{:02}/store", variant), {"free", "Free memory", ExhibitKind::kSeries},
              fmt::format(R"({{"x_title":"x","y_title":"y","x":[{}],"lines":[{{"name":"free","y":[{}]}}]}})", x, y));
  }
  const std::vector<Chart> charts = exhibit_charts("shelf", {}, shown.result, shown.contents);
  const auto chart = std::ranges::find(charts, "shelf-store-free", &Chart::name);
  ASSERT_NE(chart, charts.end());
  std::map<std::string, std::vector<double>> lines;
  for (const boost::json::value& row : chart->data.at("rows").as_array())
    lines[row.at("benchmark").as_string().c_str()].push_back(row.at("x").to_number<double>());
  EXPECT_EQ(lines.size(), kShownSeries);
  EXPECT_TRUE(lines.contains("shelf/plain/store")) << "the reference";
  EXPECT_TRUE(lines.contains("shelf/v39/store")) << "the largest";
  EXPECT_TRUE(lines.contains("shelf/quick/store")) << "the smallest";
  for (const auto& [benchmark, x] : lines) {
    EXPECT_LE(x.size(), kShownPoints) << benchmark;
    EXPECT_TRUE(x.back() == 349 || x.size() == 3) << benchmark;
  }
  EXPECT_NE(chart->note.find("8 of 42 variants are shown"), std::string::npos) << chart->note;
}

TEST(ExhibitCharts, of_events_name_their_rows_and_the_unit_of_their_time) {
  Shown shown;
  const std::string events = R"({"traceEvents": [{"name":"live","ph":"X","pid":1,"tid":1,"ts":0,"dur":3000}])";
  shown.add("shelf/plain/store", {"pages", "Pages over the frames", ExhibitKind::kEvents},
            events + R"(, "axes": {"row": "page", "time": "frames", "microseconds": 1000}})");
  shown.add("shelf/plain/store", {"threads", "Threads", ExhibitKind::kEvents}, events + "}");
  std::map<std::string, std::string> specs;
  for (const Chart& chart : exhibit_charts("shelf", {}, shown.result, shown.contents))
    specs[chart.name] = boost::json::serialize(specification(chart));
  const std::string &pages = specs.at("shelf-store-pages-plain"), &threads = specs.at("shelf-store-threads-plain");
  EXPECT_NE(pages.find(R"("title":"page")"), std::string::npos) << pages;
  EXPECT_NE(pages.find(R"("title":"frames since the start")"), std::string::npos) << pages;
  EXPECT_EQ(pages.find("thread\"}"), std::string::npos) << pages;
  EXPECT_NE(threads.find(R"("title":"thread")"), std::string::npos) << threads;
  EXPECT_NE(threads.find(R"("title":"ms since the start")"), std::string::npos) << threads;
}

TEST(ExhibitPictures, of_two_workloads_name_them) {
  Shown shown;
  shown.add("shelf/plain/fill", {"picture", "The shelf", ExhibitKind::kImage}, "\x89PNG");
  std::vector<std::string> titles;
  for (const Picture& picture : exhibit_pictures("shelf", {}, shown.result, shown.contents))
    titles.push_back(picture.title);
  EXPECT_EQ(titles, (Names{"plain: The shelf, on store", "quick: The shelf", "plain: The shelf, on fill"}));
}

TEST(ExhibitPictures, are_one_for_each_variant_with_the_reference_first) {
  const Shown shown;
  const std::vector<Picture> pictures = exhibit_pictures("shelf", {}, shown.result, shown.contents);
  ASSERT_EQ(pictures.size(), 2u);
  EXPECT_EQ(pictures[0].name, "shelf-store-picture-plain");
  EXPECT_EQ(pictures[0].title, "plain: The shelf");
  EXPECT_EQ(pictures[0].png, "\x89PNG");
}

TEST(PictureComparisons, have_what_was_measured_in_the_order_of_the_family) {
  results::Result result;
  const ExhibitContents contents = sample::add_shadows(result, 2);
  const results::Family& described = sample::background().families.at("shadows");
  std::vector<std::string> found;
  for (const PictureComparison& comparison : picture_comparisons("shadows", described, result, contents)) {
    found.push_back(fmt::format("{}: {} ({})", comparison.name, comparison.title, comparison.note));
    for (const Picture& picture : comparison.pictures)
      found.push_back(
          fmt::format("{}: {}, {} x {}, {}", picture.name, picture.title, picture.width, picture.height, picture.text));
  }
  EXPECT_EQ(
      found,
      (Names{"shadows-ghosts: Ghosts behind the moving box, without and with the dangerous-samples term (The ghost "
             "is the dark rectangle to the right of the box.)",
             "shadows-still_plain-before-scalar: no term, 96 x 64, The shadows, made by shadows/scalar/still_plain",
             "shadows-still_plain-after-scalar: dangerous samples, 96 x 64, The shadows, made by "
             "shadows/scalar/still_plain",
             "shadows-converged-picture-scalar: 1,024 samples, 96 x 64, The shadows, made by shadows/scalar/converged",
             "shadows-still_plain-half-scalar: dangerous samples, half the resolution, 48 x 32, The shadows, made by "
             "shadows/scalar/still_plain",
             "shadows-noise: Noise of two variants ()",
             "shadows-still_plain-after-scalar: scalar, 96 x 64, The shadows, made by shadows/scalar/still_plain",
             "shadows-still_plain-after-lanes: lanes, 96 x 64, The shadows, made by shadows/lanes/still_plain",
             "shadows-Alone: Alone ()",
             "shadows-converged-picture-scalar: 1,024 samples, 96 x 64, The shadows, made by "
             "shadows/scalar/converged"}));
  const std::vector<Picture> others = exhibit_pictures("shadows", described, result, contents);
  ASSERT_EQ(others.size(), 1u) << "what no comparison has";
  EXPECT_EQ(others[0].name, "shadows-still_plain-before-lanes");
}

TEST(PictureComparisons, leave_out_what_is_no_png) {
  results::Result result;
  ExhibitContents contents = sample::add_shadows(result, 2);
  for (auto& [file, content] : contents)
    if (file != "x/shadows/scalar/converged.picture.png") content = "\x89PNG";
  std::size_t pictures = 0;
  for (const PictureComparison& comparison :
       picture_comparisons("shadows", sample::background().families.at("shadows"), result, contents))
    pictures += comparison.pictures.size();
  EXPECT_EQ(pictures, 2u) << "that of 1,024 samples, in two comparisons";
}

TEST(ExhibitCharts, name_the_variant_with_the_shortest_tail) {
  const Shown shown;
  const Chart chart = exhibit_charts("shelf", {}, shown.result, shown.contents).front();
  EXPECT_EQ(chart.title, "Time to put: with quick, 99.9 % take at most 300 ns");
  EXPECT_NE(chart.note.find("The longest time in any process was 4.00 ms"), std::string::npos) << chart.note;
}

TEST(ExhibitCharts, of_a_disturbed_session_give_latencies_no_finding) {
  const Shown shown;
  results::Family described;
  described.choice = results::Choice{"Which shelf?", "put", results::LatencyLimit{16e6, "a frame, 16 ms"}, {}, {}, {}};
  const judge::Fitness disturbed{false, judge::kMachineReason};
  const Chart chart = exhibit_charts("shelf", described, shown.result, shown.contents, disturbed).front();
  EXPECT_EQ(chart.title, "Time to put: disturbed, not judged");
  EXPECT_EQ(chart.note.find("stays below"), std::string::npos) << chart.note;
  EXPECT_NE(chart.note.find("The longest time in any process was 4.00 ms"), std::string::npos) << chart.note;
}

TEST(ExhibitCharts, mark_the_limit_of_the_family_and_say_who_stays_below) {
  const Shown shown;
  results::Family described;
  described.choice = results::Choice{"Which shelf?", "put", results::LatencyLimit{16e6, "a frame, 16 ms"}, {}, {}, {}};
  const auto chart = [&](double ns) {
    described.choice->latency_limit->ns = ns;
    return exhibit_charts("shelf", described, shown.result, shown.contents).front();
  };
  const auto said = [&](double ns) {
    const std::string note = chart(ns).note;
    return note.substr(note.find("The worst call"));
  };
  EXPECT_EQ(said(16e6),
            "The worst call of 2 of 2 variants stays below a frame, 16 ms: the longest, 8.00 µs of plain, is 2,000 "
            "times shorter.");
  EXPECT_EQ(said(5000),
            "The worst call of 1 of 2 variants stays below a frame, 16 ms, that of plain does not: the longest, 8.00 "
            "µs of plain, is 1.60 times as long.");
  EXPECT_EQ(said(4000),
            "The worst call of 0 of 2 variants stays below a frame, 16 ms, that of plain and quick does not: the "
            "longest, 8.00 µs of plain, is 2.00 times as long.");
  EXPECT_EQ(boost::json::serialize(chart(16e6).data.at("limit")), R"([{"value":1.6E7,"title":"a frame, 16 ms"}])");
  const Expected<std::unique_ptr<SvgRenderer>> renderer = SvgRenderer::create();
  const Expected<std::string> drawn =
      (*renderer)->render("limit", drawing_specification(chart(16e6), DrawingTarget::kFile));
  ASSERT_TRUE(drawn) << drawn.error().what;
  EXPECT_NE(drawn->find(">a frame, 16 ms</text>"), std::string::npos);
  described.choice->latency = "get";
  EXPECT_EQ(chart(16e6).note.find("The worst call"), std::string::npos) << "the limit of another exhibit";
}

TEST(ExhibitCharts, leave_out_what_is_missing_or_malformed) {
  Shown shown;
  shown.contents["x/shelf/plain/store.steps"] = "{\"traceEvents\": [{\"name\": 1}]}";
  shown.contents["x/shelf/quick/store.free"] = "no JSON";
  shown.contents.erase("x/shelf/quick/store.picture");
  EXPECT_EQ(shown.names(), (Names{"shelf-store-put", "shelf-store-free", "shelf-store-steps-quick"}));
  EXPECT_EQ(exhibit_pictures("shelf", {}, shown.result, shown.contents).size(), 1u);
}

TEST(ExhibitCharts, are_drawn) {
  const Shown shown;
  const Expected<std::unique_ptr<SvgRenderer>> renderer = SvgRenderer::create();
  ASSERT_TRUE(renderer) << renderer.error().what;
  for (const Chart& chart : exhibit_charts("shelf", {}, shown.result, shown.contents)) {
    const Expected<std::string> drawn =
        (*renderer)->render(chart.name, drawing_specification(chart, DrawingTarget::kPage));
    EXPECT_TRUE(drawn) << chart.name << ": " << (drawn ? "" : drawn.error().what);
  }
}

namespace {

/// A result whose workload is swept over two points of this axis.
results::Result swept(const std::string& axis) {
  results::Result result = results::fixture_result(7);
  result.workloads.front().axis = bench::Axis{axis, "", {{1, 0}, {16, 0}}};
  for (results::Process& process : result.processes) {
    for (const double at : {1.0, 16.0})
      process.points.push_back(
          {at, 10, 3, {{"put", {process.real_time * 9 / at}}, {"get", {process.real_time / at}}}, {}, {}});
    process.samples.clear();
    process.threads = 2;
  }
  return result;
}

std::vector<std::string> titles_of(const Table& table) {
  std::vector<std::string> titles;
  for (const TableColumn& column : table.columns) titles.push_back(column.title);
  return titles;
}

}  // namespace

TEST(SweepCharts, are_a_line_for_each_variant) {
  const results::Result result = swept("threads");
  const std::vector<Chart> charts = sweep_charts("shelf", {}, result);
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts.front().name, "shelf-store-sweep");
  EXPECT_EQ(charts.front().title, "store: at 16 threads, quick has the lowest median, 3.31 ns (3.17 to 3.45) per pair");
  EXPECT_EQ(charts.front().data.at("rows").as_array().size(), 4u);
  const Expected<std::unique_ptr<SvgRenderer>> renderer = SvgRenderer::create();
  const Expected<std::string> drawn =
      (*renderer)->render("sweep", drawing_specification(charts.front(), DrawingTarget::kFile));
  EXPECT_TRUE(drawn) << (drawn ? "" : drawn.error().what);
}

TEST(SweepCharts, name_the_points_at_which_the_order_turns) {
  results::Result result = swept("threads per core");
  const results::WorkloadInfo& workload = result.workloads.front();
  EXPECT_EQ(turning_points(workload, {}, result, "quick"), "");
  EXPECT_EQ(turning_points(workload, {}, result, "nobody"), "");
  EXPECT_EQ(turning_points(workload, {}, result, "plain"),
            "at 2 threads quick has the lowest median, 53.0 ns (50.7 to 55.3) against 103 ns (101 to 105); "
            "at 32 threads quick has the lowest median, 3.31 ns (3.17 to 3.45) against 6.44 ns (6.30 to 6.58)");
  // Overlapping intervals count at the last point alone.
  for (results::Process& process : result.processes)
    if (process.benchmark == "shelf/plain/store")
      for (results::ProcessPoint& point : process.points)
        for (auto& [phase, samples] : point.samples) samples = {samples.front() * 0.52};
  const std::string text = turning_points(workload, {}, result, "plain");
  EXPECT_EQ(text.find("at 2 threads"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("; these two intervals overlap")) << text;
}

TEST(SweepCharts, compare_only_lines_that_reach_the_last_point) {
  results::Result result = swept("threads");
  for (results::Process& process : result.processes)
    if (process.benchmark == "shelf/quick/store") process.points.pop_back();
  const Chart chart = sweep_charts("shelf", {}, result).front();
  EXPECT_EQ(chart.title, "store: at 16 threads, plain has 6.44 ns (6.30 to 6.58) per pair");
  EXPECT_EQ(chart.table->benchmarks, (std::vector<Names>{{"shelf/plain/store"}, {"shelf/quick/store"}}));
}

TEST(SweepCharts, of_a_disturbed_session_name_no_best_one) {
  const judge::Fitness disturbed{false, judge::kMachineReason};
  EXPECT_EQ(sweep_charts("shelf", {}, swept("threads"), disturbed).front().title,
            "store: time of 2 variants over threads, disturbed, not judged");
}

TEST(SweepCharts, have_a_table_of_every_variant_at_every_point) {
  const Chart chart = sweep_charts("shelf", {}, swept("threads")).front();
  EXPECT_EQ(chart.table->name, "shelf-store-sweep");
  EXPECT_EQ(chart.table->caption, "store, ns per pair, by threads; the best median at the last point is first");
  EXPECT_EQ(titles_of(*chart.table), (Names{"Variant", "1 thread", "16 threads"}));
  EXPECT_EQ(chart.table->benchmarks, (std::vector<Names>{{"shelf/quick/store"}, {"shelf/plain/store"}}));
  std::vector<Names> rows;
  for (const std::vector<TableCell>& row : chart.table->rows) {
    rows.emplace_back();
    for (const TableCell& cell : row) rows.back().push_back(cell.text);
  }
  EXPECT_EQ(rows, (std::vector<Names>{{"quick", "53.0", "3.31"}, {"plain", "103", "6.44"}}));
}

TEST(SweepCharts, over_an_axis_per_core_say_how_many_that_is_here) {
  results::Result result = swept("threads per core");
  EXPECT_EQ(points_phrase(result.workloads.front(), result),
            "threads per core: 1 and 16; here 2 threads and 32 threads");
  const Chart chart = sweep_charts("shelf", {}, result).front();
  EXPECT_EQ(chart.title,
            "store: at 16 threads per core (32 threads), quick has the lowest median, 3.31 ns (3.17 to 3.45) per pair");
  EXPECT_EQ(titles_of(*chart.table), (Names{"Variant", "1 per core: 2 threads", "16 per core: 32 threads"}));
  const Expected<std::unique_ptr<SvgRenderer>> renderer = SvgRenderer::create();
  const Expected<std::string> drawn = (*renderer)->render("sweep", drawing_specification(chart, DrawingTarget::kFile));
  ASSERT_TRUE(drawn) << drawn.error().what;
  EXPECT_NE(drawn->find(">32 threads</tspan>"), std::string::npos);

  result.processes.front().threads = 4;  // two machines: no number is true of all
  EXPECT_EQ(points_phrase(result.workloads.front(), result), "threads per core: 1 to 16");
  EXPECT_EQ(titles_of(*sweep_charts("shelf", {}, result).front().table),
            (Names{"Variant", "1 threads per core", "16 threads per core"}));
}

}  // namespace lab::report
