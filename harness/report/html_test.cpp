#include "harness/report/html.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <set>
#include <vector>

#include "harness/report/report.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

/// What is wrong with the nesting of a page's elements, "" where nothing is. Scripts and styles are opaque up to the
/// first thing that a browser takes for their end.
std::string wrong_with(std::string_view page) {
  static const std::set<std::string, std::less<>> kVoid{"meta", "link", "br", "wbr", "img", "input", "!doctype"};
  std::vector<std::string> open;
  while (true) {
    const std::size_t at = page.find('<');
    if (at == std::string_view::npos) break;
    page.remove_prefix(at + 1);
    const bool closing = page.starts_with('/');
    if (closing) page.remove_prefix(1);
    const std::string name(page.substr(0, page.find_first_of(" >\n/")));
    char quote = 0;
    std::size_t end = 0;
    for (; end < page.size() && (quote != 0 || page[end] != '>'); ++end) {
      if (quote != 0 ? page[end] == quote : page[end] == '"') quote = quote != 0 ? '\0' : page[end];
      if (quote == 0 && page[end] == '<') return fmt::format("'<' inside the tag {}", name);
    }
    if (end == page.size()) return fmt::format("the tag {} does not end", name);
    const bool alone = page[end - 1] == '/';
    page.remove_prefix(end + 1);
    if (closing) {
      if (open.empty() || open.back() != name)
        return fmt::format("</{}> closes <{}>", name, open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (!kVoid.contains(name) && !alone) {
      open.push_back(name);
      if (name == "script" || name == "style") page.remove_prefix(std::min(page.find("</" + name), page.size()));
    }
  }
  return open.empty() ? "" : fmt::format("<{}> is not closed", open.back());
}

std::string page_of(const results::Result& result, const std::vector<results::DriverColumn>& atlas) {
  return to_single_html(report_document({&result, atlas}, sample::background()), {});
}

}  // namespace

TEST(HtmlChecker, finds_errors_in_html) {
  EXPECT_EQ(wrong_with("<p>fine <br><b class=\"a>b\">x</b></p><script>a < b</script>"), "");
  EXPECT_EQ(wrong_with("<p><b></p></b>"), "</p> closes <b>");
  EXPECT_EQ(wrong_with("<script>x"), "<script> is not closed");
  EXPECT_EQ(wrong_with("<p title=\"x"), "the tag p does not end");
}

TEST(Html, is_well_formed) {
  EXPECT_EQ(wrong_with(page_of(sample::result(), sample::atlas())), "");
  EXPECT_EQ(wrong_with(to_single_html(report_document({nullptr, {}}, sample::background()), {})), "");
}

TEST(Html, loads_no_other_file) {
  const std::string page = page_of(sample::result(), sample::atlas());
  for (const char* load : {" src=", "@import", "url(", "href=\"//", "<link rel=\"stylesheet", "<iframe", "<object"})
    // Vega holds code that could load images for marks that no chart here has.
    EXPECT_EQ(page.substr(0, page.find("<script nonce")).find(load), std::string::npos) << load;
  EXPECT_LT(page.size(), 10u << 20);
}

TEST(Html, escapes_text_that_looks_like_html) {
  results::Result result = sample::result();
  const std::string hostile = "</script><b>\"'&<!--<script>{{main}}";
  result.variants[0].idea = hostile;
  result.workloads[0].title = hostile;
  result.machine.cpu_model = hostile;
  result.failures.push_back({"command_bucket/v2_st_linear/frame", 3, 3, "crash", hostile, hostile});
  result.session.unusual = {hostile};
  std::vector<results::DriverColumn> atlas = sample::atlas();
  atlas[0].name = hostile;
  atlas[0].driver.device_name = hostile;
  const std::string page = page_of(result, atlas);
  EXPECT_EQ(wrong_with(page), "");
  EXPECT_EQ(page.find("<b>\""), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;b&gt;&quot;&#39;&amp;&lt;!--&lt;script&gt;{{main}}"), std::string::npos);
}

TEST(Html, contains_the_specification_of_every_chart_as_json) {
  const results::Result result = sample::result();
  const std::vector<results::DriverColumn> atlas = sample::atlas();
  const Document document = report_document({&result, atlas}, sample::background());
  const std::string page = to_single_html(document, {});
  const std::string_view open = "<script type=\"application/json\" id=\"charts\">";
  const std::size_t from = page.find(open) + open.size();
  const boost::json::object charts =
      boost::json::parse(page.substr(from, page.find("</script>", from) - from)).as_object();
  EXPECT_EQ(charts.size(), charts_of(document).size());
  for (const Chart* chart : charts_of(document)) {
    EXPECT_TRUE(charts.contains(chart->name));
    EXPECT_NE(page.find(fmt::format("<figure id=\"figure-{0}\" data-chart=\"{0}\">", chart->name)), std::string::npos);
  }
}

TEST(Html, has_the_verdicts_before_any_table) {
  const std::string page = page_of(sample::result(), sample::atlas());
  const std::size_t verdict =
      page.find("8 published claims about command buckets: 3 reproduced, 3 weaker, 1 refuted and 1 undecided.");
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_LT(verdict, page.find("<table>"));
}

TEST(Html, gives_sections_figures_and_tables_unique_ids_and_every_link_a_target) {
  const std::string page = page_of(sample::result(), sample::atlas());
  const std::string_view body = std::string_view(page).substr(0, page.find("<script"));
  std::set<std::string, std::less<>> ids;
  std::size_t tables = 0;
  for (const std::string_view mark : {" id=\"", "<div class=\"table\" id=\""})
    for (std::size_t at = body.find(mark); at != std::string_view::npos; at = body.find(mark, at + 1)) {
      const std::size_t from = at + mark.size();
      const std::string id(body.substr(from, body.find('"', from) - from));
      if (mark == " id=\"")
        EXPECT_TRUE(ids.insert(id).second) << id;
      else
        tables += ids.contains(id);
    }
  EXPECT_GT(tables, 0u);
  EXPECT_EQ(body.find("<table>"), std::string_view::npos);
  EXPECT_EQ(body.find("<figure>"), std::string_view::npos);
  for (std::size_t at = body.find("href=\"#"); at != std::string_view::npos; at = body.find("href=\"#", at + 1)) {
    const std::size_t from = at + 7;
    EXPECT_TRUE(ids.contains(body.substr(from, body.find('"', from) - from))) << body.substr(from, 60);
  }
  for (const char* id :
       {"table-claims-command_buckets", "table-allocator-metrics", "figure-allocator-rounding", "table-pins"})
    EXPECT_TRUE(ids.contains(id)) << id;
}

TEST(Html, rows_have_filter_keys_and_cells_have_labels) {
  Document document;
  Table table{"t",
              "t",
              {{"Verdict", TableColumn::Kind::kVerdict},
               {"Benchmark", TableColumn::Kind::kBenchmark},
               {"p of vkFunction", TableColumn::Kind::kNumber}},
              {{TableCell("regressed", Emphasis::kBad), "a/b/c", "0.5"}, {"", "a/b/d", ""}}};
  Table about{"about", "t", {{"Claim", TableColumn::Kind::kText}}, {{"faster"}, {"slower"}}, {{"a/b/c", "a/b/d"}}};
  document.pages[0].sections.push_back({"s", "S", {table, about}, {}});
  const std::string page = to_single_html(document, {});
  for (const char* part :
       {"<tr role=\"row\" id=\"row-t-a-b-c\" data-benchmark=\"a/b/c\" data-verdict=\"regressed\">",
        "<tr role=\"row\" id=\"row-t-a-b-d\" data-benchmark=\"a/b/d\">",
        "<th scope=\"row\" role=\"rowheader\" class=\"name\" data-label=\"Benchmark\">a/<wbr>b/<wbr>c</th>",
        "class=\"number\">p of vk<wbr>Function</th>", "data-label=\"p of vkFunction\">0.5</td>",
        "class=\"number\"></td>", "<tr role=\"row\" id=\"row-about-faster\" data-benchmark=\"a/b/c a/b/d\"><th",
        "<tr role=\"row\" id=\"row-about-slower\"><th"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

TEST(Html, a_row_has_an_address_that_a_table_of_other_rows_does_not_change) {
  const auto ids = [](std::vector<TableColumn> columns, std::vector<std::vector<TableCell>> rows,
                      std::vector<Table::Group> groups = {}) {
    Table table{"my table", "t", std::move(columns), std::move(rows)};
    table.groups = std::move(groups);
    Document document;
    document.pages[0].sections.push_back({"s", "S", {table}, {}});
    const std::string page = to_single_html(document, {});
    std::vector<std::string> found;
    constexpr std::string_view kMark = "id=\"row-my-table-";
    for (std::size_t at = page.find(kMark); at != std::string::npos; at = page.find(kMark, at + 1))
      found.push_back(page.substr(at + kMark.size(), page.find('"', at + kMark.size()) - at - kMark.size()));
    return found;
  };
  using Names = std::vector<std::string>;
  const TableColumn verdict{"Verdict", kVerdict}, claim{"Claim", kText}, name{"Name", kName}, size{"Size", kNumber};
  EXPECT_EQ(ids({name, size}, {{"f/a/w", "1"}, {"b & <c>", "2"}}), (Names{"f-a-w", "b-c"}));
  EXPECT_EQ(ids({verdict, claim}, {{"reproduced", "It is 2.0 times as fast."}}), (Names{"It-is-2.0-times-as-fast"}))
      << "a verdict may change";
  EXPECT_EQ(ids({name, size}, {{"a", "1"}, {"b", "2"}, {"a", "3"}}, {{0, "One"}, {1, "Two"}}),
            (Names{"a-One", "b", "a-Two"}));
  EXPECT_EQ(ids({name, claim}, {{"a", "x"}, {"a", "y"}, {"a", "y"}}), (Names{"a-x", "a-y", "a-y-2"}));
  EXPECT_EQ(ids({claim}, {{std::string(70, 'x') + " and more"}, {""}}), (Names{std::string(70, 'x'), ""}));
}

TEST(Html, a_table_says_which_columns_are_details_and_which_heads_a_row) {
  Document document;
  document.pages[0].sections.push_back(
      {"s",
       "S",
       {Table{"t", "t", {{"Verdict", kVerdict}, {"Claim", kText}, {"Erratum", kShort, true}}, {{"a", "b", "c"}}}},
       {}});
  const std::string page = to_single_html(document, {});
  EXPECT_NE(page.find("class=\"short\" data-detail>Erratum</th>"), std::string::npos);
  EXPECT_NE(page.find("<th scope=\"row\" role=\"rowheader\" class=\"text\" data-label=\"Claim\">b</th>"),
            std::string::npos);
}

TEST(Html, a_table_may_have_its_last_column_below_the_others) {
  Document document;
  Table table{"t", "t", {{"Name", kName}, {"Width", kNumber}, {"Why", kText, false, true}}, {{"a", "1", "Words"}}};
  document.pages[0].sections.push_back({"s", "S", {table}, {}});
  EXPECT_NE(to_single_html(document, {}).find(" class=\"two-lines columns-2\">"), std::string::npos);
}

TEST(Html, folds_the_table_of_a_chart_below_it) {
  Document document;
  Chart chart("lines", "c");
  chart.values = {{"x_scale", nullptr}, {"y_scale", nullptr}, {"point_size", 1}, {"x_values", nullptr}};
  chart.data = {{"rows", boost::json::array()}};
  chart.table = Table{"c", "C", {{"Name", TableColumn::Kind::kName}}, {{"a"}}, {{"f/a/w"}}};
  document.pages[0].sections.push_back({"s", "S", {Charts{{chart}}}, {}});
  const std::string page = to_single_html(document, {{"c", "<svg></svg>"}});
  const std::size_t from = page.find("<svg></svg>");
  const std::string_view open = "<svg></svg></div>\n<details>\n<summary>All values as a table</summary>\n";
  EXPECT_EQ(page.substr(from, open.size()), open);
  EXPECT_NE(page.find("<div class=\"table\" id=\"table-c\"", from), std::string::npos);
  EXPECT_NE(page.find("<tr role=\"row\" id=\"row-c-a\" data-benchmark=\"f/a/w\">", from), std::string::npos);
  EXPECT_NE(page.find("</tbody>\n</table>\n</div>\n</div>\n</details>\n</figure>\n", from), std::string::npos);
}

TEST(Html, has_the_first_sentences_of_a_long_note_in_sight) {
  const auto noted = [](std::string note) {
    Document document;
    Chart chart("lines", "c");
    chart.values = {{"x_scale", nullptr}, {"y_scale", nullptr}, {"point_size", 1}, {"x_values", nullptr}};
    chart.data = {{"rows", boost::json::array()}};
    chart.note = std::move(note);
    document.pages[0].sections.push_back({"s", "S", {Charts{{chart}}}, {}});
    return to_single_html(document, {{"c", "<svg></svg>"}});
  };
  const std::string sentence = "These are ten words of about sixty characters in one sentence.";
  const auto times = [&](int count) {
    std::string all = sentence;
    for (int i = 1; i < count; ++i) all += " " + sentence;
    return all;
  };
  EXPECT_NE(noted(times(4)).find("<span>" + times(4) + "</span></figcaption>"), std::string::npos);
  EXPECT_NE(noted(times(6)).find("<span>" + times(3) +
                                 "</span><details class=\"basis\"><summary>How to read it</summary><p>" + times(3) +
                                 "</p></details></figcaption>"),
            std::string::npos);
}

TEST(Html, lets_a_range_of_commits_wrap) {
  Document document;
  Table table{"t", "t", {{"Commits", TableColumn::Kind::kName}}, {{"000000130000..000000140000"}}};
  document.pages[0].sections.push_back({"s", "S", {table}, {}});
  EXPECT_NE(to_single_html(document, {}).find(">000000130000..<wbr>000000140000<"), std::string::npos);
}

TEST(Html, aligns_numbers_on_their_decimal_points) {
  Document document;
  Table table{"t", "t", {{"n", TableColumn::Kind::kNumber}}, {{"112"}, {"13.9"}, {"4.27"}, {"none"}}};
  document.pages[0].sections.push_back({"s", "S", {table}, {}});
  const std::string page = to_single_html(document, {});
  EXPECT_NE(page.find(">112\u2008\u2007\u2007<"), std::string::npos);
  EXPECT_NE(page.find(">13.9\u2007<"), std::string::npos);
  EXPECT_NE(page.find(">4.27<"), std::string::npos);
  EXPECT_NE(page.find(">none<"), std::string::npos);
}

TEST(Html, has_the_bytes_of_each_compared_picture_once) {
  results::Result result = sample::result(2);
  const ExhibitContents contents = sample::add_shadows(result, 2);
  const std::string page =
      to_single_html(report_document({.result = &result, .exhibits = contents}, sample::background()), {});
  EXPECT_EQ(wrong_with(page), "");
  EXPECT_NE(page.find("<figure id=\"pictures-shadows-noise\""), std::string::npos)
      << "a chart has its family's name, too";
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = page.find(part); at != std::string::npos; at = page.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("data:image/png;base64,"), 6u);
  EXPECT_EQ(count("<use href=\"#picture-shadows-still_plain-after-scalar\"/>"), 1u);
  EXPECT_EQ(count("<use href=\"#picture-shadows-converged-picture-scalar\"/>"), 1u);
  EXPECT_EQ(count("<div class=\"compare\" hidden></div>"), 2u) << "not of one picture";
  EXPECT_EQ(count("<label class=\"variant\" hidden>Variant <select><option>scalar</option><option>lanes</option>"), 1u);
}

namespace {

/// A document as the views of `serve` make them, with text that looks like code wherever a name may be.
Document live_document() {
  const std::string hostile = "</script><img src=x onerror=alert(1)>\"'{{main}}\x1b[31m";
  Document document;
  document.title = hostile;
  document.lead = "51 machines";
  document.alerts = {{"farm-11 is silent.", "./machine?id=farm-11"}};
  document.facts = {{"Machines", hostile}};
  Table table{"alarms", "Alarms", {{"Benchmark", kBenchmark}, {"Machine", kName}, {"Why", kText, false, true}}};
  TableCell cell(hostile);
  cell.link = "./series?m=a%22b&b=c";
  table.rows = {{cell, TableCell("farm-11"), TableCell("words")}};
  boost::json::object grid{{"version", 7}, {"machines", {{{"id", hostile}}}}, {"benchmarks", {hostile, "b"}}};
  document.pages[0].sections.push_back(
      {"alarms", "Alarms", {table, Paragraph{"See", Emphasis::kPlain, {{"all", "./compare?a=1&b=2"}}}}, {}});
  document.pages[0].sections.push_back({"farm", "Farm", {FarmGrid{"grid", grid}}, {}});
  return document;
}

}  // namespace

TEST(LiveHtml, is_well_formed_and_leaves_links_to_views_as_they_are) {
  const std::string page = to_live_html(live_document(), 7);
  EXPECT_EQ(wrong_with(page), "");
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("<a href=\"./series?m=a%22b&amp;b=c\">"), std::string::npos);
  EXPECT_NE(page.find("See <a href=\"./compare?a=1&amp;b=2\">all</a>"), std::string::npos);
  EXPECT_NE(page.find("<a href=\"./machine?id=farm-11\">More</a>"), std::string::npos);
  EXPECT_NE(page.find(" data-version=\"7\""), std::string::npos);
}

TEST(LiveHtml, needs_nothing_that_a_policy_of_own_files_alone_forbids) {
  Document document = live_document();
  document.pages[0].sections.push_back(
      {"more",
       "More",
       report_document({nullptr, sample::atlas()}, sample::background()).pages.back().sections.front().elements,
       {}});
  const std::string page = to_live_html(document);
  for (const char* bad : {" style=", "<style", " on", "nonce", "http-equiv"})
    for (std::size_t at = page.find(bad); at != std::string::npos; at = page.find(bad, at + 1)) {
      const std::size_t open = page.rfind('<', at), close = page.rfind('>', at);
      const bool in_tag = open != std::string::npos && (close == std::string::npos || close < open);
      EXPECT_FALSE(in_tag && page.find('"', open) > at) << page.substr(open, 80);
    }
  std::size_t scripts = 0;
  for (std::size_t at = page.find("<script "); at != std::string::npos; at = page.find("<script ", at + 1), ++scripts) {
    const std::string_view tag = std::string_view(page).substr(at, page.find('>', at) - at);
    EXPECT_TRUE(tag.starts_with("<script defer src=\"") || tag.starts_with("<script type=\"application/json\" "))
        << tag;
  }
  EXPECT_EQ(scripts, 9u)
      << "live.js, report.js, zoom.js, grid.js, acknowledge.js; charts, matrices, replays and the grid's data";
}

TEST(LiveHtml, a_part_has_what_the_page_shows) {
  const Document document = live_document();
  const boost::json::object part = live_part(document);
  const std::string page = to_live_html(document);
  EXPECT_EQ(part.at("title").as_string(), document.title);
  for (const char* text : {"header", "contents", "main", "footer"})
    EXPECT_NE(page.find(part.at(text).as_string()), std::string::npos) << text;
  EXPECT_EQ(part.at("data").at("grid").at("version").as_int64(), 7);
  for (const char* data : {"charts", "matrices", "replays"}) EXPECT_TRUE(part.at(data).is_object()) << data;
  EXPECT_EQ(std::string_view(part.at("main").as_string()).find("<script"), std::string::npos);
}

TEST(LiveHtml, every_script_that_the_page_names_is_a_file) {
  const std::map<std::string, std::string> files = live_files();
  const std::string page = to_live_html(live_document());
  for (std::size_t at = page.find(" src=\""); at != std::string::npos; at = page.find(" src=\"", at + 1))
    EXPECT_TRUE(files.contains(page.substr(at + 6, page.find('"', at + 6) - at - 6))) << page.substr(at, 40);
  for (const auto& [name, content] : shared_files()) EXPECT_EQ(files.at(name), content);
}

}  // namespace lab::report
