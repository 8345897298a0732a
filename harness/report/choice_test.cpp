#include "harness/report/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "harness/report/html.h"
#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

Section choice_of(const results::Result& result, const std::string& family = "allocator") {
  return choice_section(family, results::describe(sample::background().families, family), result);
}

Table table_of(const Section& section) {
  for (const Element& element : section.elements)
    if (const Table* table = std::get_if<Table>(&element)) return *table;
  throw std::runtime_error("no table");
}

const Chart& plot_of(const Section& section) {
  for (const Element& element : section.elements)
    if (const Charts* charts = std::get_if<Charts>(&element)) return charts->charts.at(0);
  throw std::runtime_error("no plot");
}

/// The cells of a column, by its title.
std::vector<std::string> column_of(const Table& table, std::string_view title) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].title == title)
      for (const auto& row : table.rows) cells.push_back(row[i].text);
  return cells;
}

/// Gives a variant a minimum heap on random_replace.
void set_heap(results::Result& result, std::string_view variant, double heap) {
  for (results::Process& process : result.processes)
    if (process.benchmark == results::benchmark_name("allocator", std::string(variant), "random_replace"))
      process.counters = {{"minimum_heap_bytes", heap}, {"peak_requested_bytes", 100}};
}

using Points = std::vector<std::pair<double, double>>;

}  // namespace

TEST(ParetoFront, has_the_points_that_no_other_beats) {
  EXPECT_EQ(pareto_front({}), std::vector<std::size_t>{});
  EXPECT_EQ(pareto_front(Points{{3, 1}, {1, 3}, {2, 2}}), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(pareto_front(Points{{1, 1}, {1, 2}, {2, 1}, {2, 2}}), (std::vector<std::size_t>{0}));
  EXPECT_EQ(pareto_front(Points{{1, 1}, {1, 1}}), (std::vector<std::size_t>{0, 1})) << "equal points beat no other";
  EXPECT_EQ(pareto_front(Points{{1, 5}, {2, 5}, {3, 4}}), (std::vector<std::size_t>{0, 2}));
}

TEST(Choice, groups_variants_by_what_they_can_do_and_sorts_them_by_time) {
  const Section section = choice_of(sample::result());
  const Table& table = table_of(section);
  EXPECT_EQ(column_of(table, "Variant"),
            (std::vector<std::string>{"buddy", "jemalloc", "mimalloc", "c_library (reference)", "linear"}));
  ASSERT_EQ(table.groups.size(), 2u);
  EXPECT_EQ(
      table.groups[0].title,
      "Frees single blocks. Measured on random_replace: free one of 10,000 live blocks, allocate 16 to 4096 bytes");
  EXPECT_EQ(table.groups[1].first_row, 4u);
  EXPECT_EQ(column_of(table, "Threads"), std::vector<std::string>(5, "one"));
}

TEST(Choice, has_page_faults_beside_the_time_where_there_are_many) {
  results::Result result = sample::result();
  EXPECT_EQ(column_of(table_of(choice_of(result)), "Page faults"), std::vector<std::string>{});
  for (results::Process& process : result.processes) {
    if (process.benchmark == "allocator/jemalloc/random_replace") process.counters["page_faults"] = 60;
    if (process.benchmark == "allocator/buddy/random_replace") process.counters["page_faults"] = 9;
  }
  const Section section = choice_of(result);
  EXPECT_EQ(column_of(table_of(section), "Page faults"), (std::vector<std::string>{"", "60", "", "", ""}));
  EXPECT_THAT(std::get<List>(section.sections.at(0).elements.at(0)).items,
              testing::Contains(testing::EndsWith("Without a figure they are fewer than 10.")));
}

TEST(Choice, marks_the_rows_on_the_front_and_keeps_them_in_the_summary) {
  results::Result result = sample::result();
  set_heap(result, "buddy", 135);     // the fastest
  set_heap(result, "jemalloc", 140);  // beaten by buddy in both
  set_heap(result, "c_library", 110);
  const Section section = choice_of(result);
  EXPECT_EQ(column_of(table_of(section), "On the front"), (std::vector<std::string>{"of all", "", "", "of all", ""}));
  EXPECT_EQ(table_of(section).summary_rows, (std::vector<std::size_t>{0, 3}));
  EXPECT_EQ(column_of(table_of(section), "Minimum heap"), (std::vector<std::string>{"1.35", "1.40", "", "1.10", ""}));
}

TEST(Choice, marks_no_row_for_memory_that_is_printed_alike) {
  results::Result result = sample::result();
  set_heap(result, "buddy", 135.2);
  set_heap(result, "c_library", 134.9);
  const Section section = choice_of(result);
  EXPECT_EQ(column_of(table_of(section), "Minimum heap"), (std::vector<std::string>{"1.35", "", "", "1.35", ""}));
  EXPECT_EQ(column_of(table_of(section), "On the front"), (std::vector<std::string>{"of all", "", "", "", ""}));
}

TEST(Choice, compares_no_group_whose_times_lack_what_others_contain) {
  results::Result result = sample::result();
  set_heap(result, "buddy", 135);
  set_heap(result, "c_library", 110);
  results::Family described = results::describe(sample::background().families, "allocator");
  described.choice->groups[0].lacks = "a call of the driver";
  const Section section = choice_section("allocator", described, result, {});
  const Table& table = table_of(section);
  EXPECT_EQ(column_of(table, "On the front"), (std::vector<std::string>{"of its group", "", "", "of its group", ""}));
  EXPECT_THAT(table.groups[0].title, testing::EndsWith(", without a call of the driver"));
  EXPECT_EQ(choice_answers("allocator", described, result)[0].against,
            "without a call of the driver, so not compared with c_library");
}

TEST(Choice, of_a_disturbed_session_marks_nothing) {
  results::Result result = sample::result();
  set_heap(result, "buddy", 135);
  set_heap(result, "c_library", 110);
  const judge::Fitness disturbed{false, judge::kMachineReason};
  const Section section =
      choice_section("allocator", results::describe(sample::background().families, "allocator"), result, disturbed);
  EXPECT_TRUE(column_of(table_of(section), "On the front").empty());
  EXPECT_TRUE(table_of(section).summary_rows.empty());
  EXPECT_NE(table_of(section).caption.find("disturbed, not judged"), std::string::npos);
  EXPECT_EQ(column_of(table_of(section), "95 % interval").size(), 5u) << "times stay visible";
  EXPECT_EQ(plot_of(section).title, "random_replace: 2 variants, disturbed, not judged");
  EXPECT_TRUE(plot_of(section).data.at("front").as_array().empty());
  EXPECT_EQ(plot_of(section).data.at("rows").at(0).at("kind").as_string(), "disturbed, not judged");
  EXPECT_NE(std::get<Paragraph>(section.elements.front()).text.find("disturbed, not judged"), std::string::npos);
}

TEST(Choice, is_plotted_with_variants_without_a_figure_above_the_others) {
  results::Result result = sample::result();
  set_heap(result, "buddy", 135);
  set_heap(result, "c_library", 110);
  const Section section = choice_of(result);
  const Chart& plot = plot_of(section);
  EXPECT_EQ(plot.name, "allocator-choice-random_replace");
  const json::array& rows = plot.data.at("rows").as_array();
  ASSERT_EQ(rows.size(), 4u);
  int above = 0;
  for (const json::value& row : rows) above += row.at("memory").as_double() > 1.35;
  EXPECT_EQ(above, 2) << "jemalloc and mimalloc have no figure";
  EXPECT_EQ(plot.data.at("front").as_array().size(), 2u);
  for (const std::size_t last : {2, 3})
    EXPECT_EQ(rows.at(last).at("kind").as_string(), "on the front") << "above others";
  EXPECT_NE(plot.note.find(" Bars: 95 % intervals of the time. The heap is of another run. Above the dotted line: "),
            std::string::npos);
  EXPECT_EQ(plot.data.at("front").as_array().size(), 2u);
  EXPECT_EQ(plot.data.at("bounds").as_array().size(), 1u);
}

TEST(Choice, counts_the_workloads_that_a_variant_lacks_by_reason) {
  results::Result result = sample::result();
  result.unsupported = {{"allocator/buddy/frames_on_threads", "it serves one thread at a time"},
                        {"allocator/buddy/worst_case", "it moves blocks"},
                        {"allocator/buddy/larson", "it serves one thread at a time"},
                        {"allocator/linear/random_replace", "it frees no single block"},
                        {"command_bucket/mimalloc/frame", "of another family"}};
  result.variants.push_back({"allocator", "list", false, "i", "c", "s", "w", {{"frees", "by pointer"}}});
  result.unsupported.push_back({"allocator/list/random_replace", "it searches too long"});
  const Section section = choice_of(result);
  EXPECT_EQ(
      column_of(table_of(section), "What it cannot do"),
      (std::vector<std::string>{"Fragments. Does not run 2 workloads: it serves one thread at a time; 1 workload: it "
                                "moves blocks.",
                                "Fragments", "Fragments", "Fragments",
                                "Fragments. Does not run 1 workload: it frees no single block."}));
  EXPECT_EQ(std::get<Paragraph>(section.elements.back()).text,
            "Without a time, so not in the table: list (does not run 1 workload: it searches too long).");
  const auto last_meaning = [](const Section& one) {
    return std::get<List>(one.sections.at(0).elements.at(0)).items.back();
  };
  EXPECT_EQ(last_meaning(section),
            "What it cannot do: its weakness, in the words of its author. Then the workloads of this session that it "
            "does not run, and why; the section \"Unsupported pairs\" names them.");
  result.unsupported.clear();
  EXPECT_EQ(last_meaning(choice_of(result)), "What it cannot do: its weakness, in the words of its author.");
}

TEST(Choice, has_no_plot_of_one_variant_and_nothing_without_a_description) {
  const Section section = choice_of(sample::result());
  for (const Element& element : section.elements) EXPECT_FALSE(std::holds_alternative<Charts>(element));
  EXPECT_TRUE(choice_of(sample::result(), "command_bucket").elements.empty());
  EXPECT_TRUE(choice_of(results::Result{}).elements.empty());
}

TEST(Choice, has_the_latencies_of_its_exhibit) {
  results::Result result = sample::result();
  EXPECT_TRUE(column_of(table_of(choice_of(result)), "p99.9, ns").empty());
  result.exhibits.push_back({"allocator/buddy/random_replace",
                             {"pair", "Time of a pair", results::ExhibitKind::kLatency},
                             "",
                             6,
                             {{"p50", 30}, {"p99.9", 250}, {"worst", 4000}}});
  const Section section = choice_of(result);
  EXPECT_EQ(column_of(table_of(section), "p99.9, ns"), (std::vector<std::string>{"250", "", "", "", ""}));
  EXPECT_EQ(column_of(table_of(section), "Worst call, ns"), (std::vector<std::string>{"4,000", "", "", "", ""}));
  EXPECT_EQ(
      std::get<List>(section.sections.at(0).elements.at(0)).items.at(1),
      "p99.9 and worst call: \"Time of a pair\". Of 1,000 such calls, 999 end within the first time, and all "
      "within the second. 6 processes repeat one sequence of calls in a pass of their own, and a call's time is "
      "the least over them, so that interruptions by the machine do not count. These times count where a frame or "
      "a deadline must not be missed.");
  result.exhibits.back().summary["p99.9"] = 4000;  // of fewer than 1,000 calls
  const Section few = choice_of(result);
  EXPECT_TRUE(column_of(table_of(few), "p99.9, ns").empty());
  EXPECT_EQ(column_of(table_of(few), "Worst call, ns"), (std::vector<std::string>{"4,000", "", "", "", ""}));
  EXPECT_THAT(std::get<List>(few.sections.at(0).elements.at(0)).items.at(1), testing::StartsWith("Worst call: "));
}

TEST(Choice, says_what_its_worst_call_is) {
  const auto worst = [](const std::string& title) {
    results::Result result = sample::result();
    result.exhibits.push_back({"allocator/buddy/random_replace",
                               {"pair", title, results::ExhibitKind::kLatency},
                               "",
                               6,
                               {{"p50", 30}, {"p99.9", 250}, {"worst", 4000}}});
    return choice_answers("allocator", results::describe(sample::background().families, "allocator"), result)
        .at(0)
        .worst;
  };
  EXPECT_EQ(worst("Time of a free and an allocation, with a read of the clock"),
            "4.00 µs for a free and an allocation");
  EXPECT_EQ(worst("Latency"), "4.00 µs for a pair");
}

TEST(Choice, of_forty_variants_has_a_row_for_each) {
  results::Result result = sample::result();
  sample::add_many_variants(result, 12);
  const Section section = choice_of(result);
  EXPECT_EQ(table_of(section).rows.size(), 45u);
  EXPECT_EQ(plot_of(section).data.at("rows").as_array().size(), 44u);
  const auto marked = column_of(table_of(section), "On the front");
  EXPECT_EQ(std::ranges::count(marked, "of all"), 7);
}

TEST(Table, of_groups_has_a_heading_for_each_in_both_formats) {
  Table table{"t",
              "Shelves",
              {{"Name", TableColumn::Kind::kName}, {"Width", TableColumn::Kind::kNumber}},
              {{"a", "1"}, {"b", "2"}, {"c", "3"}}};
  table.groups = {{0, "Oak & ash"}, {2, "Pine"}};
  Document document;
  document.pages[0].sections = {{"s", "S", {table}, {}}};
  const std::string page = to_single_html(document, {});
  EXPECT_NE(page.find("<table role=\"table\" aria-labelledby=\"table-t-title\" class=\"pairs\">"), std::string::npos);
  EXPECT_NE(
      page.find("<tr role=\"row\" class=\"group\"><th scope=\"rowgroup\" role=\"rowheader\" colspan=\"2\"><span>Oak "
                "&amp; ash</span></th></tr>"),
      std::string::npos);
  EXPECT_NE(page.find("</tbody>\n<tbody role=\"rowgroup\">\n<tr role=\"row\" class=\"group\"><th scope=\"rowgroup\" "
                      "role=\"rowheader\" colspan=\"2\"><span>Pine"),
            std::string::npos);
  const auto summary = [&](std::vector<std::size_t> rows) {
    std::get<Table>(document.pages[0].sections[0].elements[0]).summary_rows = std::move(rows);
    const std::string text = to_markdown(document);
    return text.substr(text.find("| Name"));
  };
  EXPECT_EQ(
      summary({}),
      "| Name | Width |\n|---|---:|\n| **Oak &amp; ash** |  |\n| a | 1 |\n| b | 2 |\n| **Pine** |  |\n| c | 3 |\n");
  EXPECT_EQ(
      summary({1, 2}),
      "| Name | Width |\n|---|---:|\n| **Oak &amp; ash** |  |\n| b | 2 |\n| **Pine** |  |\n| c | 3 |\n\n2 of 3 rows; "
      "the page has all of them.\n");
  EXPECT_EQ(summary({2}),
            "| Name | Width |\n|---|---:|\n| **Pine** |  |\n| c | 3 |\n\n1 of 3 rows; the page has all of them.\n");
}

}  // namespace lab::report
