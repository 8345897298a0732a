#include "harness/report/history.h"

#include <gtest/gtest.h>

#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

TEST(HistorySection, begins_with_the_latest_change_its_cause_and_commits) {
  const std::vector<judge::SeriesHistory> followed = sample::followed();
  Document document;
  document.pages[0].sections.push_back(history_section(followed));
  const std::string text = to_markdown(document);
  const std::size_t kernel =
      text.find("**better, new kernel** | allocator/buddy/random\\_replace | -4.74 % (-5.74 % to -3.74 %)");
  const std::size_t code = text.find(
      "**regressed** | allocator/buddy/random\\_replace | +4.98 % (+3.98 % to +5.98 %) | 000000130000..000000140000 | "
      "2026-06-21 | 4 |");
  ASSERT_NE(kernel, std::string::npos) << text;
  ASSERT_NE(code, std::string::npos) << text;
  EXPECT_LT(kernel, code);
  EXPECT_NE(text.find("1 of 2 benchmarks over 40 sessions changed; the code caused 1 regression; "
                      "1 benchmark without a change between its first 15 nights and its last 4."),
            std::string::npos);
}

TEST(HistorySection, plots_changed_benchmarks_first) {
  const Section section = history_section(sample::followed());
  const Charts* charts = std::get_if<Charts>(&section.elements.back());
  ASSERT_NE(charts, nullptr);
  ASSERT_EQ(charts->charts.size(), 2u);
  EXPECT_EQ(charts->charts[0].name, "history-allocator-buddy-random_replace-1");
  EXPECT_EQ(charts->charts[0].data.at("levels").as_array().size(), 3u);
  EXPECT_EQ(charts->charts[1].title, "allocator/linear/growing_buffers: no change from night 16 to 36");
}

TEST(HistorySection, names_benchmarks_that_are_too_young_and_is_not_green_then) {
  std::vector<judge::SeriesHistory> followed = sample::followed();
  for (judge::SeriesHistory& one : followed) one.findings.changes.clear();
  const auto verdict = [&] { return std::get<Paragraph>(history_section(followed).elements.front()); };
  EXPECT_EQ(verdict().text,
            "Over 40 sessions: 2 benchmarks without a change between their first 15 nights and their last 4.");
  EXPECT_EQ(verdict().emphasis, Emphasis::kGood);
  followed[1].findings.judged = {4, 0, judge::kTooYoungReason};
  EXPECT_EQ(verdict().text,
            "Over 40 sessions: 1 benchmark without a change between its first 15 nights and its last 4, "
            "1 too young to tell (4 more nights).");
  EXPECT_EQ(verdict().emphasis, Emphasis::kWeak);
  const Section section = history_section(followed);
  EXPECT_EQ(std::get<Charts>(section.elements.back()).charts[1].title,
            "allocator/linear/growing_buffers: too young to tell: 16 of 20 nights");
  followed[0].findings.judged = {9, 0, judge::kSeedsReason};
  EXPECT_EQ(verdict().text, "Over 40 sessions: 2 benchmarks too young to tell (4 to 9 more nights).");
}

TEST(HistorySection, tells_hindsight_from_alarms_and_counts_series_that_switch) {
  std::vector<judge::SeriesHistory> followed = sample::followed();
  followed[0].findings.changes.front().in_hindsight = true;
  followed[1].findings.pattern.switching = true;
  Document document;
  document.pages[0].sections.push_back(history_section(followed));
  const std::string text = to_markdown(document);
  EXPECT_NE(text.find("| hindsight |"), std::string::npos) << text;
  EXPECT_NE(text.find("the code caused 1 regression; 1 benchmark switches between two levels."), std::string::npos)
      << text;
  followed[1].findings.pattern.switching = false;
  followed[1].findings.pattern.drifting = true;
  const Section drifting = history_section(followed);
  EXPECT_EQ(std::get<Charts>(drifting.elements.back()).charts[1].title, "allocator/linear/growing_buffers: drifts");
}

TEST(HistorySection, axis_ignores_one_wide_interval) {
  const Section section = history_section(sample::followed());
  const auto& row = std::get<Charts>(section.elements.back()).charts[0].data.at("rows").as_array()[5].as_object();
  EXPECT_GT(row.at("low").as_double(), 90) << "its interval begins at 40";
}

TEST(HistorySection, a_page_without_drawings_has_a_sketch_of_each_plot) {
  const std::vector<judge::SeriesHistory> followed = sample::followed();
  const std::string sketch = history_chart(followed[0]).sketch;
  EXPECT_EQ(std::count(sketch.begin(), sketch.end(), 'L') + 1, static_cast<long>(followed[0].points.size())) << sketch;
  EXPECT_NE(sketch.find("class=\"changes\""), std::string::npos);
  EXPECT_NE(sketch.find("M0.0 "), std::string::npos) << "the first session is at the left edge";
  EXPECT_NE(sketch.find("L1000.0 "), std::string::npos) << "the last one at the right edge";
  judge::SeriesHistory one = followed[0];
  one.points.resize(1);
  one.findings.changes.clear();
  EXPECT_NE(history_chart(one).sketch.find("d=\"M0.0 50.0\""), std::string::npos) << history_chart(one).sketch;
}

TEST(HistorySection, explains_bars_that_are_cut_off_at_the_edge) {
  const Section section = history_section(sample::followed());
  const std::vector<Chart>& charts = std::get<Charts>(section.elements.back()).charts;
  EXPECT_NE(charts[0].note.find("Bars that are longer than the plot are cut off at its edge."), std::string::npos);
  std::vector<judge::SeriesHistory> sure = sample::followed();
  for (results::SeriesPoint& point : sure[0].points) point.interval.reset();
  const Section without = history_section(sure);
  EXPECT_EQ(std::get<Charts>(without.elements.back()).charts[0].note.find("edge"), std::string::npos);
}

TEST(HistorySection, plots_benchmarks_that_are_too_young_last) {
  std::vector<judge::SeriesHistory> followed = sample::followed();
  for (judge::SeriesHistory& one : followed) one.findings.changes.clear();
  followed[0].findings.judged = {4, 0, judge::kTooYoungReason};
  const Section section = history_section(followed);
  EXPECT_EQ(std::get<Charts>(section.elements.back()).charts[1].title,
            "allocator/buddy/random_replace: too young to tell: 16 of 20 nights");
}

TEST(HistorySection, counts_the_changed_benchmarks_that_are_plotted) {
  std::vector<judge::SeriesHistory> followed(26, sample::followed()[0]);
  for (std::size_t i = 0; i < followed.size(); ++i) followed[i].series.benchmark += std::to_string(i);
  const Section section = history_section(followed);
  EXPECT_EQ(std::get<Charts>(section.elements.back()).charts.size(), 12u);
  EXPECT_EQ(std::get<Paragraph>(section.elements.at(section.elements.size() - 2)).text,
            "The plots show the 12 of 26 benchmarks that changed last. The table has all changes.");
}

TEST(HistorySection, is_empty_with_one_session) {
  std::vector<judge::SeriesHistory> followed = sample::followed();
  for (judge::SeriesHistory& one : followed) one.points.resize(1);
  EXPECT_TRUE(history_section(followed).elements.empty());
  EXPECT_TRUE(history_section({}).elements.empty());
}

}  // namespace lab::report
