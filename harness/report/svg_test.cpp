#include "harness/report/svg.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <regex>
#include <set>

#include "harness/judge/compare.h"
#include "harness/report/charts.h"
#include "harness/report/lines.h"
#include "harness/report/report.h"
#include "harness/report/resources.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

SvgRenderer& renderer() {
  static const std::unique_ptr<SvgRenderer> one = std::move(*SvgRenderer::create());
  return *one;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

Document sample_document() {
  static const results::Result result = [] {
    results::Result made = sample::two_arms(16, true);
    sample::add_shadows(made, 16);
    return made;
  }();
  static const std::vector<results::DriverColumn> atlas = sample::atlas();
  static const judge::Comparison comparison = *judge::compare_arms(result, {});
  static const std::vector<judge::SeriesHistory> followed = sample::followed();
  static const std::vector<results::ParsedBisectRecord> bisects{sample::bisected()};
  return report_document({&result, atlas, &comparison, followed, bisects, sample::exhibit_contents()},
                         sample::background());
}

/// What Vega calls the mark that stands for one row of each chart.
std::string mark_of(const std::string& spec) {
  return spec == "posterior" ? "area mark" : spec == "blocks" ? "bar" : "point";
}

/// The marks of a chart whose marks have no description of their own: the atlas's and events, which are hundreds or
/// thousands in a chart.
std::size_t plain_marks(const std::string& svg, const std::string& spec) {
  const std::string group =
      fmt::format("<g class=\"mark-{} role-mark", spec == "image_grid" || spec == "events" ? "rect" : "symbol");
  std::size_t found = 0;
  for (std::size_t at = svg.find(group); at != std::string::npos; at = svg.find(group, at + 1))
    found += count(svg.substr(at, svg.find("</g>", at) - at), "<path");
  return found;
}

std::size_t drawn_marks(const std::string& svg, const std::string& spec) {
  return spec.starts_with("image_") || spec.starts_with("buffer_") || spec == "events"
             ? plain_marks(svg, spec)
             : count(svg, "aria-roledescription=\"" + mark_of(spec) + "\"");
}

/// The width of the plot's own ground, inside of names, axes and legends; -1 where there is none.
double plot_width(std::string_view svg) {
  const std::size_t ground = svg.find("class=\"background\"");
  const std::size_t across = svg.find('h', svg.find(" d=\"", ground));
  return ground == std::string_view::npos ? -1 : std::stod(std::string(svg.substr(across + 1, 12)));
}

/// How many of them there are: one a row, of the first variant where the page shows one at a time, one for each value
/// of the article, or one for all rows of a commit.
std::size_t marks_of(const Chart& chart) {
  const json::array& rows = chart.data.at("rows").as_array();
  const json::value* article = chart.data.if_contains("article");
  if (chart.variants.size() > 1)
    return static_cast<std::size_t>(std::ranges::count_if(
        rows, [&](const json::value& row) { return row.at("variant").as_string() == chart.variants.front().c_str(); }));
  std::size_t more = 0;
  const json::value* const published = chart.data.if_contains("published");
  for (const json::value* marks : {article, published})
    if (marks != nullptr && chart.spec != "posterior") more += marks->as_array().size();
  if (chart.spec != "posterior") return rows.size() + more;
  std::set<std::string> commits;
  for (const json::value& row : rows) commits.insert(std::string(row.at("candidate").as_string()));
  return commits.size();
}

}  // namespace

TEST(Charts, are_all_drawn_with_a_mark_for_every_row) {
  const Document document = sample_document();
  std::set<std::string> drawn;
  for (const Chart* chart : charts_of(document)) {
    const Expected<std::string> svg =
        renderer().render(chart->name, drawing_specification(*chart, DrawingTarget::kFile));
    ASSERT_TRUE(svg) << svg.error().what;
    const std::size_t rows = marks_of(*chart);
    EXPECT_GT(rows, 0u) << chart->name;
    EXPECT_EQ(drawn_marks(*svg, chart->spec), rows) << chart->name;
    EXPECT_EQ(count(*svg, "var(--"), 0u) << chart->name;
    EXPECT_EQ(count(*svg, "NaN"), 0u) << chart->name;
    EXPECT_EQ(count(*svg, " width=\"640\""), 2u) << chart->name << ": the drawing and its ground";
    EXPECT_GE(plot_width(*svg), 0.4 * 640) << chart->name << ": what stands around the plot has taken its width";
    drawn.insert(chart->spec + ".json");
  }
  drawn.insert({"theme.json", "palette.json"});
  for (const Resource& file : resources())
    EXPECT_TRUE(!file.name.ends_with(".json") || drawn.contains(std::string(file.name)))
        << "no sample of " << file.name;
}

TEST(Charts, rows_have_every_field_of_the_tooltips) {
  const Document document = sample_document();
  for (const Chart* chart : charts_of(document)) {
    const json::object spec = specification(*chart);
    std::vector<const json::object*> views{&spec};
    if (const json::value* layers = spec.if_contains("layer"))
      for (const json::value& layer : layers->as_array()) views.push_back(&layer.as_object());
    for (const json::object* view : views) {
      const json::value* encoding = view->if_contains("encoding");
      const json::value* tooltip = encoding == nullptr ? nullptr : encoding->as_object().if_contains("tooltip");
      if (tooltip == nullptr) continue;
      const json::value* own = view->if_contains("data");
      const std::string data(own == nullptr ? "rows" : own->at("name").as_string());
      if (data == "processes") continue;  // the page makes its rows: page_scripts_test.cpp
      std::set<std::string, std::less<>> computed;
      if (const json::value* transforms = view->if_contains("transform"))
        for (const json::value& one : transforms->as_array())
          if (const json::value* name = one.as_object().if_contains("as")) computed.emplace(name->as_string());
      for (const json::value& row : chart->data.at(data).as_array())
        for (const json::value& shown : tooltip->as_array())
          EXPECT_TRUE(row.as_object().contains(shown.at("field").as_string()) ||
                      computed.contains(std::string(shown.at("field").as_string())))
              << chart->name << ": " << shown.at("field");
    }
  }
}

TEST(Charts, have_a_legend_of_every_series_within_the_drawing) {
  const Document document = sample_document();
  for (const Chart* chart : charts_of(document)) {
    if (chart->spec != "metric") continue;
    const std::string svg = *renderer().render(chart->name, drawing_specification(*chart, DrawingTarget::kPage));
    std::set<std::string> workloads;
    for (const json::value& row : chart->data.at("rows").as_array())
      workloads.insert(std::string(row.at("workload").as_string()));
    for (const std::string& workload : workloads) EXPECT_EQ(count(svg, ">" + workload + "<"), 1u) << chart->name;
    EXPECT_GE(count(svg, " width=\"640\""), 1u) << chart->name;
  }
}

TEST(Charts, use_the_pages_colours_on_the_page_and_fixed_colours_in_a_file) {
  const results::Result result = sample::result();
  const Document document = report_document({&result, {}}, sample::background());
  const Chart& chart = *charts_of(document)[0];
  const Expected<std::string> in_page =
      renderer().render(chart.name, drawing_specification(chart, DrawingTarget::kPage));
  ASSERT_TRUE(in_page);
  EXPECT_GT(count(*in_page, "var(--muted)"), 0u);
  EXPECT_EQ(count(*in_page, "role-title"), 0u);
  EXPECT_EQ(count(*in_page, "id=\"clip"), 0u) << "ids of several drawings in one page would meet";
}

TEST(Charts, do_not_depend_on_earlier_drawings) {
  const Document document = sample_document();
  const Chart& chart = *charts_of(document)[0];
  const json::object specification = drawing_specification(chart, DrawingTarget::kFile);
  const std::string first = *renderer().render(chart.name, specification);
  ASSERT_TRUE(renderer().render("other", drawing_specification(*charts_of(document)[1], DrawingTarget::kFile)));
  EXPECT_EQ(*renderer().render(chart.name, specification), first);
}

TEST(Charts, with_few_processes_have_points_without_bars) {
  const results::Result result = sample::result(1);
  const Document document = report_document({&result, {}}, sample::background());
  ASSERT_FALSE(charts_of(document).empty());
  for (const Chart* chart : charts_of(document)) {
    const Expected<std::string> svg =
        renderer().render(chart->name, drawing_specification(*chart, DrawingTarget::kFile));
    EXPECT_TRUE(svg) << svg.error().what;
  }
}

TEST(SvgRenderer, writes_places_in_hundredths_of_a_pixel_and_texts_as_they_are) {
  const json::object spec =
      json::parse(R"({"width": 320, "data": {"values": [{"x": 1, "y": 0.123456}, {"x": 3, "y": 7}]},
      "mark": "line", "encoding": {"x": {"field": "x", "type": "quantitative", "title": "is 0.333333"},
      "y": {"field": "y", "type": "quantitative"}}})")
          .as_object();
  const Expected<std::string> svg = renderer().render("third", spec);
  ASSERT_TRUE(svg) << svg.error().what;
  const std::regex fine(R"( (?:d|transform|x|y|x2|y2)="[^"]*\d\.\d{3})"), place(R"( d="[^"]*\d\.\d\d?[^\d])");
  EXPECT_FALSE(std::regex_search(*svg, fine));
  EXPECT_TRUE(std::regex_search(*svg, place)) << "a line with a place between pixels";
  EXPECT_NE(svg->find("is 0.333333"), std::string::npos);
}

TEST(SvgRenderer, marks_a_drawing_that_is_too_high_for_a_sheet) {
  const auto has = [](int height, const std::string& classes) {
    const std::string spec = fmt::format(
        R"({{"width": 320, "height": {}, "data": {{"values": [{{"x": 1}}]}}, "mark": "point",
        "encoding": {{"x": {{"field": "x", "type": "quantitative"}}}}}})",
        height);
    return renderer().render("high", json::parse(spec).as_object())->find(" class=\"" + classes + "\"") !=
           std::string::npos;
  };
  EXPECT_TRUE(has(320, "marks"));
  EXPECT_TRUE(has(640, "marks long"));
  EXPECT_TRUE(has(2000, "marks longest"));
}

TEST(Charts, have_an_interval_only_where_its_ends_differ) {
  const std::vector<Line> lines{
      {"one", "a/one/c", {{1, 5, stats::Interval{4, 6}}, {2, 5, stats::Interval{5, 5}}, {3, 5, {}}}},
      {"two", "a/two/c", {{1, 7, {}}, {2, 8, {}}}}};
  const Chart chart = line_chart("lines", lines, {});
  const std::string svg = *renderer().render(chart.name, drawing_specification(chart, DrawingTarget::kFile));
  const std::size_t layer = svg.find("class=\"mark-rule role-mark layer_0_marks");
  ASSERT_NE(layer, std::string::npos);
  EXPECT_EQ(count(svg.substr(layer, svg.find("</g>", layer) - layer), "<line"), 1u);

  const Chart none = line_chart("lines", {lines.back()}, {});
  const Expected<std::string> drawn = renderer().render(none.name, drawing_specification(none, DrawingTarget::kFile));
  ASSERT_TRUE(drawn) << drawn.error().what;
  EXPECT_EQ(count(*drawn, "mark-rule role-mark"), 0u);
}

TEST(SvgRenderer, names_a_chart_that_vega_cannot_draw) {
  const Expected<std::string> svg = renderer().render("broken", json::parse(R"({"mark": "nonsense"})").as_object());
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.error().what.substr(0, 24), "drawing chart 'broken': ");
  // What failed before leaves nothing behind.
  const Document document = sample_document();
  EXPECT_TRUE(renderer().render("fine", drawing_specification(*charts_of(document)[0], DrawingTarget::kFile)));
}

TEST(SvgRenderer, fails_on_a_vega_warning) {
  const json::object spec = json::parse(R"({"width": 100, "data": {"values": []}, "mark": "point",
      "encoding": {"x": {"field": "x", "type": "quantitative"}}})")
                                .as_object();
  const Expected<std::string> svg = renderer().render("empty", spec);
  ASSERT_FALSE(svg);
  EXPECT_NE(svg.error().what.find("Infinite extent"), std::string::npos) << svg.error().what;
}

TEST(SvgRenderer, stops_a_drawing_that_takes_too_long) {
  const Expected<std::unique_ptr<SvgRenderer>> hasty = SvgRenderer::create({.time = std::chrono::milliseconds(1)});
  ASSERT_FALSE(hasty);
  EXPECT_NE(hasty.error().what.find("still at work after 1 ms"), std::string::npos) << hasty.error().what;
}

TEST(SvgRenderer, stops_a_drawing_that_needs_too_much_memory) {
  // Enough to load Vega. (QuickJS reads a byte too far where memory ends while it parses.)
  const Expected<std::unique_ptr<SvgRenderer>> small = SvgRenderer::create({.memory_bytes = std::size_t{48} << 20});
  ASSERT_TRUE(small) << small.error().what;
  const json::object spec = json::parse(R"({"width": 100, "data": {"sequence": {"start": 0, "stop": 1e8, "as": "x"}},
      "mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}}})")
                                .as_object();
  const Expected<std::string> svg = (*small)->render("huge", spec);
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.error().what, "drawing chart 'huge': needed more than 48 MiB of memory");
}

}  // namespace lab::report
