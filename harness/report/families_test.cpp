#include "harness/report/families.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>

#include "harness/base/error.h"
#include "harness/judge/summary.h"
#include "harness/report/charts.h"
#include "harness/report/choice.h"
#include "harness/report/format.h"
#include "harness/report/sample_test.h"
#include "harness/results/article.h"

namespace lab::report {

namespace {

namespace json = boost::json;

Section section_of(const std::string& family, const results::Result& result, const results::Family& described) {
  Section section = std::move(family_sections(family, described, result).front());
  // Its tables are in a section of their own.
  for (Element& element : figures_section(family, described, result).elements) section.add(std::move(element));
  return section;
}

Section section_of(const std::string& family, const results::Result& result) {
  return section_of(family, result, results::describe(sample::background().families, family));
}

template <typename T>
std::vector<const T*> all(const Section& section) {
  std::vector<const T*> found;
  for (const auto& element : section.elements)
    if (const T* one = std::get_if<T>(&element)) found.push_back(one);
  return found;
}

const Chart& chart(const Section& section, const std::string& name) {
  for (const Charts* group : all<Charts>(section))
    for (const Chart& one : group->charts)
      if (one.name == name) return one;
  throw std::runtime_error("no chart " + name);
}

const Table& table(const Section& section, const std::string& name) {
  for (const Table* one : all<Table>(section))
    if (one->name == name) return *one;
  throw std::runtime_error("no table " + name);
}

/// By "variant phase": that row's field.
std::map<std::string, std::string> by_phase(const Chart& chart, const char* field) {
  std::map<std::string, std::string> values;
  for (const json::value& row : chart.data.at("rows").as_array())
    values[std::string(row.at("variant").as_string()) + " " + std::string(row.at("phase").as_string())] =
        std::string(row.at(field).as_string());
  return values;
}

std::string measured_ratio(const results::Result& result, const std::string& variant, const std::string& phase) {
  const auto times = [&](const std::string& name) {
    return judge::process_times(result, results::benchmark_name("command_bucket", name, "frame"), phase);
  };
  return number(stats::estimate_ratio(times(variant), times("v1_st_new"))->median);
}

std::string first_word(const std::string& text) {
  return text.substr(0, text.find(' '));
}

}  // namespace

TEST(Families, a_phase_is_compared_with_the_same_phase_of_the_reference) {
  const results::Result result = sample::result();
  const std::map<std::string, std::string> against =
      by_phase(chart(section_of("command_bucket", result), "command_bucket-frame"), "against");
  const std::string variant = "v7_mt_thread_local_blocks";
  for (const std::string phase : {"add", "sort", "submit"})
    EXPECT_EQ(first_word(against.at(variant + " " + phase)), measured_ratio(result, variant, phase)) << phase;
  EXPECT_EQ(first_word(against.at(variant + " all phases")), measured_ratio(result, variant, ""));
  EXPECT_NE(measured_ratio(result, variant, "add"), measured_ratio(result, variant, ""));
  EXPECT_EQ(against.at("v1_st_new add"), "the reference");
}

TEST(Families, a_plot_of_phases_shows_the_total_in_its_title) {
  const Section section = section_of("command_bucket", sample::result());
  const Chart& frame = chart(section, "command_bucket-frame");
  const std::string shown = by_phase(frame, "shown").at("v7_mt_thread_local_blocks all phases");
  EXPECT_NE(frame.title.find(first_word(shown) + " ns per command in all phases"), std::string::npos)
      << frame.title << "; " << shown;
}

TEST(Families, a_variant_whose_times_lack_what_others_contain_is_plotted_and_not_compared) {
  results::Family described = results::describe(sample::background().families, "allocator");
  results::Result result = sample::result();
  const auto fastest = std::ranges::find(result.variants, "buddy", &results::VariantCard::name);
  fastest->traits["frees"] = "everything at once";  // another group than the others'
  described.choice->groups.back().lacks = "a call of the driver";
  ASSERT_EQ(lacked_by(described, *fastest), "a call of the driver");
  const Section section = section_of("allocator", result, described);
  const Chart& time = chart(section, "allocator-random_replace");
  EXPECT_FALSE(time.title.starts_with("random_replace: buddy has")) << time.title;
  EXPECT_NE(time.note.find(" buddy is not compared: its time is without a call of the driver."), std::string::npos)
      << time.note;
  const auto& rows = time.data.at("rows").as_array();
  const auto buddy = std::ranges::find_if(rows, [](const json::value& row) { return row.at("variant") == "buddy"; });
  ASSERT_NE(buddy, rows.end());
  EXPECT_EQ(buddy->at("against").as_string(), "no ratio");
}

TEST(Families, times_in_a_plot_have_the_unit_that_people_read) {
  results::Result result = sample::result();
  for (results::Process& process : result.processes)
    if (process.benchmark.starts_with("allocator/")) {
      process.real_time *= 1e5;
      for (auto& [phase, samples] : process.samples)
        for (double& one : samples) one *= 1e5;
    }
  const Chart time = chart(section_of("allocator", result), "allocator-growing_buffers");
  EXPECT_NE(time.title.find(" µs per step"), std::string::npos) << time.title;
  const std::string spec = json::serialize(specification(time));
  EXPECT_NE(spec.find("ms per step (log scale)"), std::string::npos) << spec;
  EXPECT_NE(spec.find("format(datum.value / 1000000, "), std::string::npos) << spec;
}

TEST(Families, a_plot_of_times_has_each_process_for_a_reader_who_asks) {
  const results::Result result = sample::result();
  const Chart time = chart(section_of("allocator", result), "allocator-random_replace");
  const std::vector<stats::Datum> times = judge::process_times(result, "allocator/buddy/random_replace");
  const json::array& drawn = time.processes.at("replace").at("buddy").as_array();
  ASSERT_EQ(drawn.size(), times.size());
  EXPECT_EQ(drawn.front().at(0).as_int64(), times.front().block);
  EXPECT_NEAR(drawn.front().at(1).as_double(), times.front().value, 0.001 * times.front().value);
  const Chart frame = chart(section_of("command_bucket", result), "command_bucket-frame");
  EXPECT_EQ(frame.processes.size(), 4u) << "three phases and all of them";
  const auto has_layer = [](const json::object& spec) {
    return json::serialize(spec).find(R"("name":"processes")") != std::string::npos;
  };
  EXPECT_TRUE(has_layer(specification(time)));
  EXPECT_FALSE(has_layer(drawing_specification(time, DrawingTarget::kFile)));
  Chart none = time;
  none.processes = {};
  EXPECT_FALSE(has_layer(specification(none)));
}

TEST(Families, a_plot_of_times_marks_what_an_article_states) {
  const results::Result result = sample::result();
  const Section section =
      family_sections("command_bucket", results::describe(sample::background().families, "command_bucket"), result, {},
                      {}, sample::background().articles)
          .front();
  const Chart& frame = chart(section, "command_bucket-frame_work");
  const auto rows = frame.data.at("published").as_array();
  const auto found = std::ranges::find_if(
      rows, [](const json::value& row) { return row.at("variant") == "v2_st_linear" && row.at("phase") == "add"; });
  ASSERT_NE(found, rows.end());
  const double from = judge::median_of(judge::process_times(result, "command_bucket/v1_st_new/frame_work", "add"));
  EXPECT_DOUBLE_EQ(found->at("value").as_double(), from / 1.46);
  EXPECT_EQ(found->at("what"), "1.46 times as fast as v1_st_new");
  EXPECT_NE(frame.note.find("Hollow diamonds: where the ratios that "), std::string::npos) << frame.note;
  EXPECT_TRUE(
      chart(section_of("command_bucket", result), "command_bucket-frame_work").data.at("published").as_array().empty());
}

std::vector<std::string> chart_names(const Section& section) {
  std::vector<std::string> names;
  for (const Charts* group : all<Charts>(section))
    for (const Chart& one : group->charts) names.push_back(one.name);
  return names;
}

TEST(Families, with_many_plots_close_those_of_workloads_that_are_neither_core_nor_in_an_article) {
  results::Result result;
  for (const char* variant : {"a", "b"})
    result.variants.push_back({"pool", variant, variant[0] == 'a', "", "", "", "", {}});
  const auto add = [&](const std::string& workload) {
    result.workloads.push_back({"pool", workload, "t", 1, {"p"}, 1, "op", false});
    for (const char* variant : {"a", "b"})
      sample::add_processes(result, fmt::format("pool/{}/{}", variant, workload), {{"p", 5}}, 1, 8, 0.1);
  };
  for (int i = 0; i < 10; ++i) add(fmt::format("w{}", i));
  results::Family described;
  described.core = {"w1"};
  EXPECT_EQ(chart_names(family_sections("pool", described, result)[0]).size(), 10u) << "ten are shown";
  add("w1_more");
  results::Article article;
  article.family = "pool";
  article.claims.push_back({});
  results::RatioClaim ratio;
  ratio.stated = 2;
  ratio.ratio.workload = "w3";
  ratio.ratio.metric = "time";
  ratio.ratio.cases = {{"", "a", "b"}};
  article.claims.back().kind = ratio;
  const std::vector<Section> sections = family_sections("pool", described, result, {}, {}, std::vector{article});
  EXPECT_EQ(chart_names(sections[0]), (std::vector<std::string>{"pool-w1", "pool-w3"}));
  EXPECT_FALSE(sections[0].folded);
  EXPECT_EQ(sections[1].id, "plots-pool");
  EXPECT_TRUE(sections[1].folded);
  EXPECT_EQ(chart_names(sections[1]).size(), 9u);
  described.core = {};
  EXPECT_EQ(chart_names(family_sections("pool", described, result)[0]).size(), 11u) << "all are core";
}

TEST(Families, name_the_number_by_which_the_time_of_a_phase_is_divided) {
  results::Result result = sample::result();
  EXPECT_NE(chart(section_of("command_bucket", result), "command_bucket-frame")
                .note.find("The time of each phase, and of all phases, is divided by 40,000 commands."),
            std::string::npos);
  result.workloads[0].phase_operations = {{"add", 10000}};
  const Section section = section_of("command_bucket", result);
  EXPECT_NE(
      chart(section, "command_bucket-frame")
          .note.find(
              "its own number of commands (add 10,000, sort 40,000, submit 40,000), and that of all phases by 40,000"),
      std::string::npos);
  // Four times the time of an operation where there are a quarter of them.
  const auto add_of = [](const Section& one) { return table(one, "command_bucket-frame").rows[0][5].text; };
  result.workloads[0].phase_operations = {};
  const double before = std::stod(add_of(section_of("command_bucket", result)));
  EXPECT_NEAR(std::stod(add_of(section)), 4 * before, 0.05 * before);
}

TEST(Families, sort_rows_and_marks_by_speed) {
  const Section section = section_of("allocator", sample::result());
  std::vector<std::string> rows, marks;
  for (const std::vector<TableCell>& row : table(section, "allocator-growing_buffers").rows)
    rows.push_back(row[0].text);
  for (const json::value& row : chart(section, "allocator-growing_buffers").data.at("rows").as_array())
    marks.emplace_back(row.at("benchmark").as_string());
  EXPECT_EQ(rows, (std::vector<std::string>{"allocator/linear/growing_buffers", "allocator/buddy/growing_buffers",
                                            "allocator/mimalloc/growing_buffers", "allocator/jemalloc/growing_buffers",
                                            "allocator/c_library/growing_buffers"}));
  EXPECT_EQ(marks, rows);
}

TEST(Families, say_that_the_tables_of_a_sweep_show_a_geometric_mean) {
  const results::Result result = sample::two_arms(12, true);
  const Section section = section_of("heaps", result);
  EXPECT_EQ(
      table(section, "heaps-churn_on_threads").caption,
      "churn_on_threads: blocks that come and go on several threads. Times are ns per pair, the geometric mean over "
      "the points of the sweep (threads: 1 to 8); the lowest median is first. The ratio is the median "
      "over blocks of a variant's time divided by the reference's time in the same block, not the ratio of the "
      "two medians; below 1 is faster");
  EXPECT_EQ(table(section, "heaps-random_replace").caption.find("geometric"), std::string::npos);
}

}  // namespace lab::report
