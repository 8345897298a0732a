#include "harness/bench/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lab::bench {

namespace {

class Doubles : public Task {
 public:
  explicit Doubles(double point) : point_(point) {}
  std::uint64_t repeat(PhaseClock&) override { return 0; }
  std::vector<float> answer() const override { return {static_cast<float>(2 * point_)}; }

 private:
  double point_;
};

Workload doubles() {
  Workload workload;
  workload.name = "doubles";
  workload.operations = 1;
  workload.phases = {"all"};
  workload.tolerance = Tolerance{Distance::kMaximum, 1, ""};
  workload.prepare = [](const Case& inputs) { return std::make_unique<Doubles>(inputs.point); };
  return workload;
}

}  // namespace

TEST(Answers, are_one_for_each_point_of_the_axis) {
  Workload workload = doubles();
  EXPECT_EQ(*answers_of(workload, {}), (Answers{{0}}));
  workload.axis = Axis{"n", "", {{1, 0}, {4, 0}}};
  EXPECT_EQ(*answers_of(workload, {}), (Answers{{2}, {8}}));
}

TEST(Answers, are_read_as_they_were_written) {
  const ScratchFolder folder;
  const Answers answers{{1, 2.5f}, {}, {-3}};
  ASSERT_TRUE(write_answers(folder.path() / "a", answers));
  EXPECT_EQ(*read_answers(folder.path() / "a"), answers);
}

TEST(Answers, are_refused_from_a_file_that_is_cut_or_foreign) {
  const ScratchFolder folder;
  folder.write("cut", std::string("\x05\0\0\0\0\0\0\0abcd", 12));
  folder.write("huge", std::string(8, '\xff'));
  for (const char* name : {"cut", "huge"}) {
    const Expected<Answers> answers = read_answers(folder.path() / name);
    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().what, "'" + (folder.path() / name).string() + "' is not a file of answers");
  }
}

TEST(Distance, is_the_largest_or_the_root_mean_square_difference) {
  const std::vector<float> a{1, 2, 3}, b{1, 5, -1};
  EXPECT_DOUBLE_EQ(*distance_between(Distance::kMaximum, a, b), 4);
  EXPECT_DOUBLE_EQ(*distance_between(Distance::kRootMeanSquare, a, b), std::sqrt(25.0 / 3));
  EXPECT_DOUBLE_EQ(*distance_between(Distance::kRootMeanSquare, a, a), 0);
}

TEST(Distance, is_refused_between_sizes_and_for_values_that_are_not_finite) {
  const std::vector<float> one{1}, two{1, 2}, nan{1, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(distance_between(Distance::kMaximum, two, one).error().what, "expected an answer of 1 values, found 2");
  EXPECT_EQ(distance_between(Distance::kMaximum, nan, two).error().what, "value 1 of the answer is not finite");
}

}  // namespace lab::bench
