#include "variants/common/plans/plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace lab {
namespace {

ReplacementPlan random_of(std::uint64_t seed) {
  return random_replacements(seed, 10'000, 100'000, {16, 4096});
}

ChurnPlan churn_of(std::uint64_t seed) {
  return same_size_churn(seed, 10'000, 30'000, 64, 64);
}

GrowingPlan growing_of(std::uint64_t seed) {
  return growing_buffers(seed, 256, 20'000, 64, 10);
}

FramePlan frames_of(std::uint64_t seed) {
  return frames_of_blocks(seed, 20, 2'000, {16, 512});
}

void expect_closed_cycle(const ReplacementPlan& plan, std::size_t slots, std::size_t low, std::size_t high) {
  ASSERT_EQ(plan.fill.size(), slots);
  std::vector<Replacement> state = plan.fill;
  std::set<std::uint32_t> ids;
  std::size_t live = 0, most = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    ASSERT_EQ(state[i].slot, i);
    live += state[i].bytes;
  }
  most = live;
  for (const Replacement& operation : plan.operations) {
    ASSERT_LT(operation.slot, slots);
    ASSERT_GE(operation.bytes, low);
    ASSERT_LE(operation.bytes, high);
    ASSERT_LT(operation.id, 1u << 24);
    ASSERT_TRUE(ids.insert(operation.id).second);
    live = live - state[operation.slot].bytes + operation.bytes;
    most = std::max(most, live);
    state[operation.slot] = operation;
  }
  EXPECT_GE(plan.demand.blocks, slots);
  EXPECT_GE(plan.demand.bytes, most);
  for (std::size_t i = 0; i < slots; ++i) {
    ASSERT_EQ(state[i].id, plan.fill[i].id);
    ASSERT_EQ(state[i].bytes, plan.fill[i].bytes);
  }
}

ReplacementPlan lifetimes_of(std::uint64_t seed) {
  return two_lifetimes(seed, 5'000, 500, 57'000, 19, {16, 1024});
}

TEST(Plans, of_two_lifetimes_replace_the_oldest_of_the_short_lived) {
  const ReplacementPlan plan = lifetimes_of(1);
  expect_closed_cycle(plan, 5'500, 16, 1024);
  EXPECT_EQ(plan.operations.size(), 60'000u);
  std::uint32_t oldest = 5'000;
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    if (i % 20 == 19) {
      EXPECT_LT(plan.operations[i].slot, 5'000u);
    } else {
      ASSERT_EQ(plan.operations[i].slot, oldest);
      oldest = oldest == 5'499 ? 5'000 : oldest + 1;
    }
  }
  EXPECT_EQ(oldest, 5'000u) << "the next repetition begins with the oldest";
}

TEST(Plans, of_parts_use_the_slots_of_one_part_after_the_other) {
  const ReplacementPlan plan = parted_replacements(1, 7, 50, 3, 100, {16, 512});
  expect_closed_cycle(plan, 350, 16, 512);
  ASSERT_EQ(plan.operations.size(), 2100u);
  for (std::size_t i = 0; i < plan.operations.size(); ++i) ASSERT_EQ(plan.operations[i].slot / 50, i / 100 % 7) << i;
}

TEST(Plans, are_divided_into_parts_with_their_own_slots_and_demand) {
  const ReplacementPlan plan = lifetimes_of(1), long_lived = slots_of(plan, 0, 5'000),
                        short_lived = slots_of(plan, 5'000, 500);
  expect_closed_cycle(long_lived, 5'000, 16, 1024);
  expect_closed_cycle(short_lived, 500, 16, 1024);
  EXPECT_EQ(long_lived.operations.size(), 3'000u);
  EXPECT_EQ(short_lived.operations.size(), 57'000u);
  for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(short_lived.operations[i].id, plan.operations[i].id);
  EXPECT_EQ(long_lived.operations[0].id, plan.operations[19].id);
  EXPECT_GE(long_lived.demand.bytes + short_lived.demand.bytes, plan.demand.bytes);
  EXPECT_LT(short_lived.demand.bytes, 500u * 1024);
}

TEST(Plans, end_in_the_state_they_start_from) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    expect_closed_cycle(random_of(seed), 10'000, 16, 4096);
    expect_closed_cycle(churn_of(seed), 10'000, 64, 64);
  }
}

TEST(Plans, use_the_whole_range_of_sizes_evenly) {
  double sum = 0;
  std::size_t low = SIZE_MAX, high = 0;
  for (const Replacement& operation : random_of(1).operations) {
    sum += operation.bytes;
    low = std::min<std::size_t>(low, operation.bytes);
    high = std::max<std::size_t>(high, operation.bytes);
  }
  EXPECT_NEAR(sum / 100'000, (16 + 4096) / 2.0, 15);
  EXPECT_EQ(low, 16u);
  EXPECT_EQ(high, 4096u);
}

TEST(Plans, make_as_many_pairs_of_each_order) {
  const ChurnPlan plan = churn_of(1);
  EXPECT_EQ(plan.operations.size(), 2 * 30'000u);
  EXPECT_EQ(std::accumulate(plan.bursts.begin(), plan.bursts.end(), std::size_t{0}), 30'000u);
  EXPECT_EQ(*std::max_element(plan.bursts.begin(), plan.bursts.end()), 64u);
}

TEST(Plans, double_every_buffer_until_it_begins_anew) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const GrowingPlan plan = growing_of(seed);
    // By buffer: its size, and the operations that stamped what it holds.
    std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> buffers(plan.buffers);
    std::size_t largest = 0, live = 0;
    const auto take = [&](const GrowingPlan::Step& step) {
      auto& [bytes, ids] = buffers.at(step.buffer);
      if (step.bytes == plan.smallest) {
        ids.clear();
      } else {
        ASSERT_EQ(step.bytes, 2 * bytes);
        ASSERT_LE(live + step.bytes, plan.demand.bytes);
      }
      live = live - bytes + step.bytes;
      bytes = step.bytes;
      ids.push_back(step.id);
      largest = std::max(largest, bytes);
    };
    for (const GrowingPlan::Step& step : plan.fill) take(step);
    const auto first = buffers;
    for (const GrowingPlan::Step& step : plan.operations) take(step);
    EXPECT_TRUE(buffers == first) << "the last state differs from the first one";
    EXPECT_EQ(largest, 64u * 1024);
    EXPECT_EQ(plan.operations.size(), 20'000u);
  }
}

/// Each request names a slot that is empty, or one that is not; no more is live at once than the demand says.
void expect_sound_trace(const Trace& trace, const Demand& demand) {
  std::vector<std::size_t> bytes(trace.slots);
  std::size_t live = 0, blocks = 0, most = 0, most_blocks = 0;
  for (const Request& request : trace.requests) {
    if (request.what == Request::What::kFreeAll) {
      bytes.assign(trace.slots, 0);
      live = blocks = 0;
      continue;
    }
    const bool allocates = request.what == Request::What::kAllocate;
    ASSERT_LT(request.slot, trace.slots);
    ASSERT_EQ(bytes[request.slot] == 0, allocates);
    live += allocates ? request.bytes : 0 - bytes[request.slot];
    blocks += allocates ? 1 : std::size_t{0} - 1;
    bytes[request.slot] = request.bytes;
    most = std::max(most, live);
    most_blocks = std::max(most_blocks, blocks);
  }
  EXPECT_LE(most, demand.bytes);
  EXPECT_GE(most, demand.bytes * 99 / 100);
  EXPECT_LE(most_blocks, demand.blocks);
}

TEST(Plans, have_sound_traces_that_reach_their_demand) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    expect_sound_trace(random_of(seed).trace(), random_of(seed).demand);
    expect_sound_trace(churn_of(seed).trace(), churn_of(seed).demand);
    expect_sound_trace(growing_of(seed).trace(), growing_of(seed).demand);
    expect_sound_trace(frames_of(seed).trace(), frames_of(seed).demand);
  }
}

}  // namespace
}  // namespace lab
