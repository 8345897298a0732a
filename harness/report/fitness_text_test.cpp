#include "harness/report/fitness_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/results/result_fixture.h"

namespace lab::report {

namespace {

using results::disturbed_result;

std::string sentence_of(const results::Result& result) {
  return fmt::format("{}", fmt::join(unfit_sentences(judge::level_fitness(result)), "; "));
}

std::string disturbance_of(const results::Result& result) {
  return disturbed_sentence(judge::judge_fitness(result));
}

/// A session of the benchmark f/plain/store in this many blocks, whose control arm is `bias` times head.
results::Result controlled(int blocks, double bias, double noise = 0.01) {
  results::Result result = results::fixture_result();
  for (int block = 0; block < blocks; ++block)
    for (const std::string_view arm : {results::kHead, results::kControl}) {
      const double ns = 100 * (1 + noise * ((block * 7 + (arm == results::kHead)) % 5));
      result.processes.push_back(
          results::fixture_process("f/plain/store", block, arm == results::kHead ? ns : ns * bias));
      result.processes.back().arm = arm;
    }
  return result;
}

std::string control_of(const results::Result& result) {
  return control_sentence(judge::judge_control(result));
}

}  // namespace

TEST(FitnessText, says_what_other_work_disturbed_and_which_blocks_are_judged) {
  std::vector<std::array<double, 3>> blocks(10, {20, 36, 0});
  blocks[4] = {20, 2, 0};
  EXPECT_EQ(disturbance_of(disturbed_result(blocks)),
            "other processes used 1.80 CPUs in 9 of 10 blocks, 90 % of the time; 10 % of a CPU is the limit; too few "
            "others are left, so the times of all blocks are judged; such times are compared with no other session's");
  blocks.resize(15, {20, 2, 0});
  EXPECT_EQ(disturbance_of(disturbed_result(blocks)),
            "other processes used 1.80 CPUs in 9 of 15 blocks, 60 % of the time; 10 % of a CPU is the limit; these "
            "blocks are set aside");
  EXPECT_EQ(disturbance_of(disturbed_result({{10, 0, 4}, {10, 0, 0}, {10, 0, 0}, {10, 0, 0}, {10, 0, 0}, {10, 0, 0}})),
            "the host withheld 40 % of a CPU in 1 of 6 blocks, 17 % of the time; 10 % of a CPU is the limit; too few "
            "others are left, so the times of all blocks are judged");
  std::vector<std::array<double, 3>> one(8, {10, 0, 0});
  one[3] = {10, 0.8, 0.8};
  EXPECT_EQ(disturbance_of(disturbed_result(one)),
            "other processes used 8 % of a CPU and the host withheld 8 % of a CPU in 1 of 8 blocks, 12 % of the time; "
            "10 % of a CPU together is the limit; this block is set aside");
  EXPECT_EQ(disturbance_of(disturbed_result({{10, 0, 0}})), "");
  EXPECT_EQ(disturbance_of(results::fixture_result(4)), "");
}

TEST(FitnessText, says_of_how_many_benchmarks_all_blocks_are_judged) {
  std::vector<std::array<double, 3>> blocks(10, {10, 0, 0});
  blocks[0] = blocks[1] = {10, 15, 0};
  results::Result result = disturbed_result(blocks);
  for (int block = 0; block < 2; ++block)
    result.processes.push_back(results::fixture_process("shelf/plain/drop", block, 100));
  EXPECT_EQ(disturbance_of(result),
            "other processes used 1.50 CPUs in 2 of 10 blocks, 20 % of the time; 10 % of a CPU is the limit; these "
            "blocks are set aside, but for 1 of 3 benchmarks with too few others; such times are compared with no "
            "other session's");
}

TEST(FitnessText, says_that_the_load_is_unknown_where_the_kernel_counts_more_cpus_than_there_are) {
  // A container of 8 CPUs on a host of which 463 are busy.
  EXPECT_EQ(
      sentence_of(disturbed_result({{10, 4634.5, 0}, {10, 4634.5, 0}})),
      "unfit: the load on this machine is not known, because the kernel counted more CPU time than its 8 CPUs can "
      "give in 2 of 2 blocks, 100 % of the time");
  EXPECT_EQ(sentence_of(disturbed_result({{10, 79, 0}})),
            "unfit: other processes used 7.90 CPUs in 1 of 1 block, 100 % of the time; 10 % of a CPU is the limit");
}

TEST(FitnessText, counts_blocks_by_their_time) {
  EXPECT_EQ(sentence_of(disturbed_result({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {1, 0, 0}, {1, 0, 0}})),
            "unfit: other processes used 40 % of a CPU in 2 of 4 blocks, 33 % of the time; 10 % of a CPU is the limit");
  EXPECT_EQ(sentence_of(disturbed_result({{0.5, 0.2, 0}, {0.5, 0.2, 0}, {10, 0, 0}})), "");
  EXPECT_EQ(sentence_of(disturbed_result({{0.5, 0, 0}, {0.5, 0, 0}, {10, 4, 0}})),
            "unfit: other processes used 40 % of a CPU in 1 of 3 blocks, 91 % of the time; 10 % of a CPU is the limit");
}

TEST(FitnessText, of_a_control_reports_its_finding) {
  EXPECT_EQ(control_of(results::fixture_result(4)),
            "no A/A control: no benchmark ran as head and as control in one block");
  for (const auto& [result, start] : {
           std::pair{controlled(12, 1),
                     "A/A control: 0 of 1 pairs of one build differ at p < 0.05; smallest detectable change: "},
           {controlled(15, 1.05), "unfit: the A/A control differs by +"},
           {controlled(8, 1, 0.5), "unfit: the A/A control's smallest detectable change is "},
       })
    EXPECT_TRUE(control_of(result).starts_with(start)) << control_of(result);
  EXPECT_EQ(control_of(controlled(3, 1)),
            "unfit: the A/A control has too few processes of f/plain/store (6) to detect a change of any size: measure "
            "longer");
}

TEST(FitnessText, names_the_families_in_which_a_fit_session_gives_no_verdict) {
  judge::Fitness fitness;
  EXPECT_EQ(blind_sentence(fitness), "");
  fitness.control.blind = {"f", "h"};
  fitness.control.rows = {
      {"f/a/w", 20, 1, {}, 0.5, 0.5, 0.251}, {"g/a/w", 20, 1, {}, 0.5, 0.5, 0.02}, {"h/a/w", 4, 1, {}, 1, 1, {}}};
  EXPECT_EQ(unfit_sentences(fitness),
            std::vector<std::string>{
                "unfit in f (26 %) and h: the A/A control there could not have detected a change of 15 % "
                "(in brackets: the smallest that it could): measure longer, or on a quieter machine"});
  EXPECT_EQ(unfit_causes(fitness), std::vector<std::string>{});
}

TEST(FitnessText, puts_the_disturbance_before_the_control) {
  results::Result result = controlled(15, 1.05);
  const std::string control = control_of(result);
  EXPECT_EQ(sentence_of(result), control);
  for (int block = 0; block < 15; ++block) result.session.disturbances.push_back({block, 20, 20, 0});
  EXPECT_EQ(
      sentence_of(result),
      "unfit: other processes used 100 % of a CPU in 15 of 15 blocks, 100 % of the time; 10 % of a CPU is the limit; " +
          control);
  EXPECT_EQ(unfit_causes(judge::level_fitness(result)).size(), 2u);
  const std::vector<std::string> causes = unfit_causes(judge::judge_fitness(result));
  ASSERT_EQ(causes.size(), 1u) << "verdicts within the session need no level";
  EXPECT_EQ("unfit: " + causes[0], control);
}

TEST(DetectableText, rounds_up_to_two_digits) {
  EXPECT_EQ(detectable_text(0.25), "25 %");
  EXPECT_EQ(detectable_text(0.2501), "26 %");
  EXPECT_EQ(detectable_text(0.1), "10 %");
  EXPECT_EQ(detectable_text(0.0123), "1.3 %");
  EXPECT_EQ(detectable_text(0.00999), "1 %");
  EXPECT_EQ(detectable_text(4.5556), "460 %");
  EXPECT_EQ(detectable_text(0.000012), "0.0012 %");
  EXPECT_EQ(detectable_text(1e6), "1e+08 %");
  EXPECT_EQ(detectable_text(0), "0 %");
}

}  // namespace lab::report
