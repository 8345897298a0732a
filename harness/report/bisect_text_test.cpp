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

}  // namespace lab::report
