#include "harness/report/bisects.h"

#include <gtest/gtest.h>

#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

const Section& only(const std::vector<results::ParsedBisectRecord>& records) {
  static Section section;
  section = bisects_section(records);
  return section.sections.at(0);
}

}  // namespace

TEST(BisectsSection, names_the_culprit_before_any_number) {
  const Section& section = only({sample::bisected()});
  EXPECT_EQ(section.title, "allocator/buddy/random_replace");
  const Paragraph& first = std::get<Paragraph>(section.elements.at(0));
  EXPECT_EQ(first.text.substr(0, 47), "0000abc80000 \"Change number 8\" is the culprit (");
  EXPECT_EQ(first.emphasis, Emphasis::kBad);
}

TEST(BisectsSection, draws_probabilities_with_sum_one_after_every_measurement) {
  const Section& section = only({sample::bisected()});
  const Chart& belief = std::get<Charts>(section.elements.at(2)).charts.at(0);
  std::map<double, double> sums;
  for (const auto& row : belief.data.at("rows").as_array())
    sums[row.at("at").to_number<double>()] += row.at("probability").to_number<double>();
  EXPECT_EQ(sums.size(), 31u) << "the skipped commit is no measurement, and the last one has a width";
  EXPECT_EQ(sums.begin()->first, 0.5);
  EXPECT_EQ(sums.rbegin()->first, 30.5);
  for (const auto& [measurement, sum] : sums) EXPECT_NEAR(sum, 1, 1e-9) << measurement;
}

TEST(BisectsSection, shades_the_candidates_and_marks_commits_that_cannot_be_measured) {
  const Section& section = only({sample::bisected()});
  const Chart& measured = std::get<Charts>(section.elements.at(2)).charts.at(1);
  const auto& candidates = measured.data.at("candidates").as_array();
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].at("from").to_number<double>(), 7.5);
  EXPECT_EQ(candidates[0].at("to").to_number<double>(), 8.5);
  EXPECT_EQ(measured.data.at("skipped").as_array().size(), 1u);
  EXPECT_EQ(measured.data.at("levels").as_array().size(), 2u);
}

TEST(BisectsSection, draws_no_level_through_the_candidates_of_an_undecided_bisect) {
  results::ParsedBisectRecord record = sample::bisected();
  record.entries.resize(8);  // the ends and one commit between them, and then three before it that say the same
  for (const std::size_t at : {6, 5, 4}) {
    record.entries.push_back(record.entries[7]);
    record.entries.back().commit = record.question.commits[at].sha;
  }
  for (results::BisectEntry& entry : record.entries) {
    entry.null = 0.3;
    entry.most.clear();
    for (std::size_t at = 3; at < 10; ++at)
      entry.most.push_back({record.question.commits[at].sha, at == 3 ? 0.003 : 0.1});
  }
  const Section& section = only({record});
  EXPECT_EQ(std::get<Paragraph>(section.elements.at(0)).emphasis, Emphasis::kOpen);
  const Chart& measured = std::get<Charts>(section.elements.at(2)).charts.at(1);
  const auto& candidate = measured.data.at("candidates").as_array().at(0);
  for (const auto& level : measured.data.at("levels").as_array())
    EXPECT_TRUE(level.at("to").to_number<double>() < candidate.at("from").to_number<double>() ||
                level.at("from").to_number<double>() > candidate.at("to").to_number<double>());
  bool rounded = false;
  for (const auto& row : std::get<Table>(section.elements.at(3)).rows) {
    EXPECT_NE(row.at(1).text, "0 %");
    rounded = rounded || row.at(1).text == "below 1 %";
  }
  EXPECT_TRUE(rounded);
}

TEST(BisectsSection, names_every_commit_of_the_plot_in_full) {
  const Section& section = only({sample::bisected()});
  const Table& table = std::get<Table>(section.elements.at(3));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1][0].text,
            "0000abc70000 \"Change number 7: Buddy keeps its free lists in one bitmap of all its orders\"");
}

TEST(BisectsSection, has_no_plot_without_a_measurement) {
  results::ParsedBisectRecord record = sample::bisected();
  record.entries.resize(0);
  const Section& section = only({record});
  for (const Element& element : section.elements) EXPECT_FALSE(std::holds_alternative<Charts>(element));
}

}  // namespace lab::report
