#include "harness/report/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/judge/compare.h"
#include "harness/report/charts.h"
#include "harness/report/comparison_sentences.h"
#include "harness/report/markdown.h"
#include "harness/report/report.h"
#include "harness/report/sample_test.h"
#include "harness/report/svg.h"

namespace lab::report {

namespace {

const judge::Comparison& comparison() {
  static const judge::Comparison made = *judge::compare_arms(sample::two_arms(), {});
  return made;
}

Document document() {
  static const results::Result result = sample::two_arms();
  return report_document({&result, {}, &comparison()}, sample::background());
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace

TEST(Comparison, is_the_first_page_after_the_findings_and_begins_with_the_verdict) {
  const Document made = document();
  EXPECT_EQ(made.lead, sentence(comparison()));
  ASSERT_GE(made.pages.size(), 2u);
  EXPECT_EQ(made.pages[1].name, "comparison");
  const Paragraph* first = std::get_if<Paragraph>(&made.pages[1].sections[0].elements[0]);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->text, sentence(comparison()));
  EXPECT_EQ(first->emphasis, Emphasis::kBad);
}

TEST(Comparison, names_regressions_improvements_and_exact_metrics_that_grew) {
  const std::string text = to_markdown(document());
  EXPECT_NE(text.find("| **regressed** | allocator/buddy/random\\_replace | 1.07"), std::string::npos) << text;
  EXPECT_NE(text.find("| **improved** | command\\_bucket/v6\\_mt\\_thread\\_local/frame | 0.92"), std::string::npos);
  EXPECT_NE(text.find("| **worse** | allocator/buddy/random\\_replace | metadata\\_bytes | 65536 | 131072 |"),
            std::string::npos);
}

TEST(Comparison, explains_that_its_ratio_is_not_the_ratio_of_the_two_medians) {
  const std::string text = to_markdown(document());
  EXPECT_NE(
      text.find("The ratio is the median of head's times divided by base's times, each pair within a block, not the "
                "ratio of the two medians"),
      std::string::npos);
  EXPECT_NE(
      text.find("a variant's time divided by the reference's time in the same block, not the ratio of the two medians"),
      std::string::npos);
}

TEST(Comparison, of_an_unfit_session_shows_ratios_that_are_not_judged) {
  results::Result session = sample::two_arms();
  for (results::Process& process : session.processes)
    if (process.arm == results::kControl) process.real_time *= 1.2;
  const judge::Comparison made = *judge::compare_arms(session, {});
  const Section section = comparison_section(made);
  std::size_t charts = 0;
  for (const Element& element : section.elements)
    if (const Charts* group = std::get_if<Charts>(&element)) {
      ++charts;
      EXPECT_TRUE(group->charts[0].title.starts_with("Disturbed, not judged: ")) << group->charts[0].title;
    }
  EXPECT_EQ(charts, 1u);
  Document page;
  page.pages[0].sections.push_back(section);
  const std::string text = to_markdown(page);
  EXPECT_EQ(count(text, "**regressed**") + count(text, "**improved**") + count(text, "**same**"), 0u) << text;
  EXPECT_EQ(count(text, "| disturbed, not judged |"), made.tested) << text;
  EXPECT_NE(text.find("**worse**"), std::string::npos) << "what is exact is judged";
}

TEST(Comparison, names_its_interval_in_the_title) {
  for (const Element& element : comparison_section(comparison()).elements)
    if (const Charts* group = std::get_if<Charts>(&element)) {
      EXPECT_NE(group->charts[0].title.find(" % (+"), std::string::npos) << group->charts[0].title;
      EXPECT_NE(group->charts[0].title.find(" % to +"), std::string::npos) << group->charts[0].title;
    }
}

TEST(Comparison, has_no_empty_column) {
  const auto titles = [](const judge::Comparison& made) {
    std::vector<std::string> found;
    for (const Element& element : comparison_section(made).elements)
      if (const Table* table = std::get_if<Table>(&element); table != nullptr && table->name == "comparison")
        for (const TableColumn& column : table->columns) found.push_back(column.title);
    return found;
  };
  judge::Comparison made = comparison();
  ASSERT_EQ(titles(made).front(), "Verdict");
  for (judge::ComparisonRow& row : made.rows) {
    row.reason = judge::Reason::kNone;
    row.hidden_by_layout = false;
  }
  made.rows[0].reason = judge::Reason::kSeeds;
  ASSERT_EQ(titles(made).back(), "Note");
  made.rows[0].reason = judge::Reason::kNone;
  EXPECT_NE(titles(made).back(), "Note");
}

TEST(Comparison, gives_the_reason_and_no_p_for_a_row_that_is_not_judged) {
  results::Result session = sample::two_arms();
  for (results::Arm& arm : session.arms) arm.executables["allocator/buddy"] = "abc";
  const judge::Comparison made = *judge::compare_arms(session, {});
  Document page;
  page.pages[0].sections.push_back(comparison_section(made));
  const std::string text = to_markdown(page);
  std::size_t rows = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("identical code, not judged") == std::string::npos) continue;
    ++rows;
    EXPECT_NE(line.find("allocator/buddy/"), std::string::npos) << line;
    EXPECT_NE(line.find("**unknown**"), std::string::npos) << line;
    EXPECT_EQ(line.find(" to "), std::string::npos) << line;  // no interval
  }
  EXPECT_EQ(rows, 2u) << text;
  EXPECT_NE(text.find("identical code and w"), std::string::npos);
}

TEST(Comparison, draws_a_point_for_every_benchmark_and_control) {
  const std::unique_ptr<SvgRenderer> renderer = std::move(*SvgRenderer::create());
  const Document made = document();
  for (const auto& [name, rows] :
       {std::pair{"comparison", comparison().rows.size()}, std::pair{"control", std::size_t{2}}}) {
    const std::vector<const Chart*> charts = charts_of(made);
    const auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart* one) { return one->name == name; });
    ASSERT_NE(chart, charts.end()) << name;
    const Expected<std::string> drawn = renderer->render(name, drawing_specification(**chart, DrawingTarget::kFile));
    ASSERT_TRUE(drawn) << drawn.error().what;
    EXPECT_EQ(count(*drawn, "aria-roledescription=\"point\""), rows) << name;
  }
}

TEST(Comparison, mentions_no_control_if_there_is_none) {
  EXPECT_TRUE(control_section(judge::judge_control(sample::result())).elements.empty());
}

}  // namespace lab::report
