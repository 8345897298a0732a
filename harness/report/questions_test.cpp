#include "harness/report/questions.h"

#include <gmock/gmock.h>

#include <set>

#include "harness/base/layout.h"
#include "harness/report/choice.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

results::Family asks(results::Question question) {
  results::Family family;
  family.questions = {std::move(question)};
  return family;
}

}  // namespace

TEST(Questions, are_answered_by_the_lowest_median_against_the_reference) {
  const results::Result result = sample::result();
  const results::Family family = asks({"Which one?", {"random_replace", "nowhere"}, {}, {}, ""});
  const std::vector<AnsweredQuestion> all = answered_questions("allocator", family, result);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].answers, ElementsAre(AllOf(StartsWith("random_replace ("), HasSubstr("buddy takes "),
                                                HasSubstr(" of c_library's time"))));
  EXPECT_THAT(all[0].waiting, ElementsAre("nowhere"));
  EXPECT_EQ(all[0].command, "python3 make.py run --filter 'allocator/*/nowhere'");
}

TEST(Questions, between_two_variants_say_what_the_second_one_takes_of_the_first_ones) {
  results::Result result = sample::result();
  for (results::Process& process : result.processes)
    if (process.benchmark.ends_with("/random_replace"))
      process.counters = {{"slack", process.benchmark.starts_with("allocator/buddy/") ? 50 : 100}};
  const results::Family family =
      asks({"What does it take?", {"random_replace"}, {"c_library", "buddy"}, {"slack"}, ""});
  const std::vector<AnsweredQuestion> all = answered_questions("allocator", family, result);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].answers, ElementsAre(AllOf(HasSubstr("buddy takes 0.25"), HasSubstr(" of the time of c_library"),
                                                HasSubstr("slack: 0.500 times that of c_library"))));
  EXPECT_EQ(all[0].command, "");
}

TEST(Questions, compare_no_time_that_lacks_something) {
  results::Result result = sample::result();
  for (results::VariantCard& variant : result.variants)
    if (variant.name == "buddy") variant.traits["calls"] = "none";
  results::Family family = asks({"Which one?", {"random_replace"}, {}, {}, ""});
  family.choice.emplace();
  family.choice->groups = {{"Without calls", "calls", "none", "random_replace", "a call of the driver"},
                           {"With calls", "", "", "random_replace"}};
  const std::vector<AnsweredQuestion> all = answered_questions("allocator", family, result);
  EXPECT_THAT(all.at(0).answers,
              ElementsAre(AllOf(Not(HasSubstr("buddy takes")), HasSubstr(". Not compared: buddy, whose "),
                                HasSubstr(" contains no call of the driver"))));
}

TEST(Questions, about_threads_begin_with_the_cores_that_this_machine_has) {
  results::Result result = sample::result();
  result.machine.logical_cores = 2;
  const results::Family family = asks({"Which one?", {"random_replace"}, {}, {}, "A note."});
  const auto part = [&] {
    return questions_section("allocator", answered_questions("allocator", family, result), {}).sections.at(0);
  };
  EXPECT_TRUE(std::holds_alternative<List>(part().elements.front()));
  for (results::WorkloadInfo& workload : result.workloads)
    if (workload.name == "random_replace") workload.axis = bench::Axis{"threads per core", "", {{1, 0}, {2, 0}}};
  EXPECT_EQ(std::get<Paragraph>(part().elements.front()).text,
            "This machine has 2 logical cores: it cannot tell which variant is best on more.");
}

TEST(Questions, of_an_unfit_session_have_no_answer) {
  judge::Fitness unfit;
  unfit.fit = false;
  unfit.reason = judge::kMachineReason;
  const results::Result result = sample::result();
  const results::Family family = asks({"Which one?", {"random_replace"}, {}, {}, ""});
  const std::vector<AnsweredQuestion> all = answered_questions("allocator", family, result, unfit);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_THAT(all[0].answers, IsEmpty());
  EXPECT_THAT(all[0].waiting, IsEmpty());
  const Section section = questions_section("allocator", all, unfit);
  ASSERT_EQ(section.sections.size(), 1u);
  EXPECT_THAT(std::get<Paragraph>(section.sections[0].elements.front()).text, HasSubstr("not judged"));
}

TEST(Questions, of_every_family_have_sections_of_their_own) {
  const Expected<results::Families> families = results::load_families(LAB_SOURCE_DIR);
  ASSERT_TRUE(families) << families.error().what;
  std::set<std::string> ids;
  for (const auto& [name, family] : *families)
    for (const AnsweredQuestion& one : answered_questions(name, family, {}))
      EXPECT_TRUE(ids.insert(one.id).second) << one.id;
  EXPECT_FALSE(ids.empty());
}

}  // namespace lab::report
