#include "harness/report/bisect_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

namespace lab::report {

TEST(AnswerSentence, prints_a_change_of_any_size_without_an_exponent) {
  results::BisectQuestion question;
  question.commits = {{std::string(40, 'a'), "good", false}, {std::string(40, 'b'), "bad", false}};
  judge::BisectVerdict verdict;
  verdict.outcome = judge::BisectVerdict::Outcome::kCulprit;
  verdict.probability = 1;
  verdict.suspects = {{std::string(40, 'b'), 1}};
  const std::array<std::pair<double, const char*>, 6> rows{{{1.0123, "1.2 % slower"},
                                                            {0.957, "4.3 % faster"},
                                                            {1.996, "99.60 % slower"},
                                                            {3.5, "250 % slower"},
                                                            {0.0004, "99.96 % faster"},
                                                            {2.5e200, "a factor of 2.5e+200 slower"}}};
  for (const auto& [ratio, change] : rows) {
    verdict.ratio = ratio;
    EXPECT_EQ(answer_sentence(verdict, question),
              fmt::format("bbbbbbbbbbbb \"bad\" is the culprit (100 %): about {}", change));
  }
  verdict.outcome = judge::BisectVerdict::Outcome::kNone;
  verdict.most = 2.25;
  EXPECT_EQ(answer_sentence(verdict, question),
            "no culprit: aaaaaaaaaaaa \"good\" and bbbbbbbbbbbb \"bad\" do not differ by more than 125 % (100 %)");
}

TEST(AnswerSentence, says_what_layout_hides) {
  results::BisectQuestion question;
  question.commits = {{std::string(40, 'a'), "good", false}, {std::string(40, 'b'), "bad", false}};
  judge::BisectVerdict verdict;
  verdict.outcome = judge::BisectVerdict::Outcome::kSuspects;
  verdict.hidden_by_layout = true;
  verdict.layout = 0.01;
  verdict.ratio = 1.03;
  verdict.null = 0.05;
  verdict.probability = 0.94;
  verdict.suspects = {{std::string(40, 'b'), 0.94}};
  const std::string why = "layout alone makes builds differ by 1 % (standard deviation)";
  EXPECT_EQ(answer_sentence(verdict, question),
            "bbbbbbbbbbbb \"bad\" is likely the culprit (94 %): about 3 % slower; " + why + ", which hides more");
  verdict.suspects.push_back({std::string(40, 'c'), 0.01});
  EXPECT_EQ(answer_sentence(verdict, question),
            "one of 2 commits is the culprit (94 %): about 3 % slower; " + why + ", which hides more");
  verdict.null = 0.9;
  EXPECT_EQ(answer_sentence(verdict, question),
            "no culprit can be named: " + why + ", which explains the ends with 90 %; otherwise one of 2 commits");
}

TEST(AnswerSentence, says_what_no_check_has_confirmed) {
  results::BisectQuestion question;
  question.commits = {{std::string(40, 'a'), "good", false}, {std::string(40, 'b'), "bad", false}};
  judge::BisectVerdict verdict;
  verdict.unconfirmed = {{{std::string(40, 'b')}, 1.2, 100}};
  const std::string b = "bbbbbbbbbbbb \"bad\"";
  EXPECT_EQ(answer_sentence(verdict, question),
            "undecided: " + b + " stands out, which measurements in turns have not confirmed");
  EXPECT_NE(to_text(verdict, question, CommitNames(question))
                .find("not named: " + b +
                      ", about 20 % slower: 200 measurements of it and of the commit before it, in "
                      "turns, do not confirm that\n"),
            std::string::npos);
  EXPECT_NE(to_json(verdict, question, "").find(R"("unconfirmed":[{"commits":["bbbb)"), std::string::npos);
}

TEST(LevelsText, says_that_one_commit_has_two_levels) {
  judge::BisectVerdict verdict;
  EXPECT_EQ(levels_text(verdict), "");
  verdict.levels = 1.9;
  verdict.upper_share = 0.46;
  EXPECT_EQ(levels_text(verdict),
            "measurements of one and the same commit lie on two levels, 90 % apart, 46 % of all on the upper one");
}

}  // namespace lab::report
