#include "harness/judge/atlas_differences.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

using Answers = std::vector<AtlasAnswer>;

std::vector<SameAnswers> groups_of(std::vector<Answers> tables) {
  std::vector<SameAnswers> groups;
  for (Answers& table : tables) groups.push_back({"", std::move(table), {}});
  return groups;
}

}  // namespace

TEST(AtlasDifferences, columns_with_equal_sizes_and_alignments_are_one_group_whatever_their_memory_types) {
  std::vector<results::DriverColumn> atlas = sample::atlas();
  atlas.push_back(atlas[0]);
  atlas.back().name = "twin";
  for (results::ImageRow& row : atlas.back().images) row.memory_type_bits = 6;
  const std::vector<SameAnswers> groups = same_answers(atlas, article_images);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].columns, (std::vector<const results::DriverColumn*>{&atlas[0], &atlas[2]}));
  EXPECT_NE(groups[0].hash, groups[1].hash);
  EXPECT_EQ(groups[0].hash.size(), 32u);
  EXPECT_EQ(groups[0].answers.size(), 169u);

  atlas.back().images.back().alignment *= 2;
  EXPECT_EQ(same_answers(atlas, article_images).size(), 3u);
  atlas.back().images.clear();
  EXPECT_EQ(same_answers(atlas, article_images).size(), 2u) << "without answers there is nothing to compare";
}

TEST(AtlasDifferences, begin_with_the_first_query_and_name_the_largest) {
  const Answers from{{"1x1", 64, 64}, {"2x2", 128, 64}, {"4x4", 512, 64}};
  const AnswersDifference found = difference(from, Answers{{"1x1", 64, 64}, {"2x2", 128, 256}, {"4x4", 4096, 64}});
  EXPECT_EQ(found.compared, 3u);
  EXPECT_EQ(found.different, 2u);
  EXPECT_EQ(found.first->to, (AtlasAnswer{"2x2", 128, 256}));
  EXPECT_EQ(found.largest->to, (AtlasAnswer{"4x4", 4096, 64}));
  EXPECT_EQ(found.always, std::nullopt);
  EXPECT_EQ(difference(from, from), (AnswersDifference{.compared = 3}));
}

TEST(AtlasDifferences, are_constant_only_if_every_size_grows_alike_and_no_alignment_changes) {
  const Answers from{{"1x1", 8216, 4096}, {"2x2", 8216, 4096}};
  EXPECT_EQ(difference(from, Answers{{"1x1", 8232, 4096}, {"2x2", 8232, 4096}}).always, 16);
  EXPECT_EQ(difference(from, Answers{{"1x1", 8200, 4096}, {"2x2", 8200, 4096}}).always, -16);
  EXPECT_EQ(difference(from, Answers{{"1x1", 8232, 4096}, {"2x2", 8216, 4096}}).always, std::nullopt);
  EXPECT_EQ(difference(from, Answers{{"1x1", 8216, 4096}, {"2x2", 8232, 4096}}).always, std::nullopt);
  EXPECT_EQ(difference(from, Answers{{"1x1", 8232, 64}, {"2x2", 8232, 64}}).always, std::nullopt);
  EXPECT_EQ(difference(from, Answers{{"1x1", 8232, 4096}, {"2x2", 0, 0}}).always, std::nullopt);
}

TEST(AtlasDifferences, count_a_refusal_and_compare_only_common_queries) {
  const AnswersDifference found =
      difference(Answers{{"a", 1, 1}, {"b", 2, 1}, {"c", 0, 0}}, Answers{{"c", 0, 0}, {"b", 0, 0}, {"d", 9, 1}});
  EXPECT_EQ(found.compared, 2u);
  EXPECT_EQ(found.different, 1u);
  EXPECT_EQ(found.first->from.query, "b");
  EXPECT_FALSE(found.largest);
}

TEST(AtlasDifferences, order_groups_from_the_fixed_ones_to_the_most_different) {
  const std::vector<SameAnswers> groups = groups_of({{{"1", 1, 1}, {"2", 1, 1}, {"3", 1, 1}},
                                                     {{"1", 2, 1}, {"2", 1, 1}, {"3", 1, 1}},
                                                     {{"1", 2, 1}, {"2", 2, 1}, {"3", 2, 1}}});
  EXPECT_EQ(most_different_first(groups, 1), (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_EQ(most_different_first(groups, 2), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(nearest(groups), (std::vector<std::optional<std::size_t>>{1, 0, 1}));
  EXPECT_EQ(nearest(groups_of({{{"1", 1, 1}}})), std::vector<std::optional<std::size_t>>{std::nullopt});
}

}  // namespace lab::judge
