#include "harness/report/replay.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace lab::report {

namespace {

namespace json = boost::json;

ReplayEvent of(const char* name, std::int64_t begin, std::int64_t bytes) {
  return {name, {{"position", begin}, {"bytes", bytes}}};
}

const ReplayEvent kRange{"range", {{"position", 0}, {"bytes", 4096}, {"leaf", 1024}}};

/// The article's way: splits, a block, its free, merges.
const std::vector<ReplayEvent> kStory{kRange,
                                      of("split", 0, 4096),
                                      of("split", 0, 2048),
                                      {"allocate", {{"position", 0}, {"requested", 700}, {"bytes", 1024}}},
                                      {"free", {{"position", 0}, {"requested", 700}, {"bytes", 1024}}},
                                      of("merge", 0, 2048),
                                      of("merge", 0, 4096)};

std::optional<Chart> chart_of(const std::vector<ReplayEvent>& events) {
  return replay_chart("tree", "shelf/plain/store", events);
}

}  // namespace

TEST(Replay, has_a_sentence_and_the_changed_blocks_of_each_step) {
  const std::optional<Chart> chart = chart_of(kStory);
  ASSERT_TRUE(chart);
  EXPECT_EQ(json::serialize(chart->replay.at("levels")), R"(["4 KiB","2 KiB","1 KiB"])");
  EXPECT_EQ(json::serialize(chart->replay.at("steps")),
            R"([["All 4 KiB are free.",[[0,0,"free"]]],)"
            R"(["Split 4 KiB into two of 2 KiB.",[[0,0,"split"],[1,0,"free"],[1,2,"free"]]],)"
            R"(["Split 2 KiB into two of 1 KiB.",[[1,0,"split"],[2,0,"free"],[2,1,"free"]]],)"
            R"(["Allocate 700 B, a block of 1 KiB.",[[2,0,"allocated"]]],)"
            R"(["Free 700 B, a block of 1 KiB.",[[2,0,"free"]]],)"
            R"(["Merge two of 1 KiB into 2 KiB.",[[2,0,""],[2,1,""],[1,0,"free"]]],)"
            R"(["Merge two of 2 KiB into 4 KiB.",[[1,0,""],[1,2,""],[0,0,"free"]]]])");
}

TEST(Replay, has_still_frames_of_the_states_between_requests) {
  const std::optional<Chart> chart = chart_of(kStory);
  ASSERT_TRUE(chart);
  std::vector<std::string> frames;
  for (const json::value& row : chart->data.at("rows").as_array())
    if (const std::string frame(row.at("frame").as_string()); frames.empty() || frames.back() != frame)
      frames.push_back(frame);
  EXPECT_EQ(frames,
            (std::vector<std::string>{"Step 0: All 4 KiB are free.", "Step 3: Allocate 700 B, a block of 1 KiB.",
                                      "Step 6: Merge two of 2 KiB into 4 KiB."}));
}

TEST(Replay, of_other_events_or_of_impossible_ones_is_none) {
  EXPECT_FALSE(chart_of({}));
  EXPECT_FALSE(chart_of({{"wait", {}}}));
  EXPECT_FALSE(chart_of({{"range", {{"position", 0}, {"bytes", 4096}}}})) << "no leaf";
  EXPECT_TRUE(chart_of({kRange}));
  const ReplayEvent impossible[] = {of("split", 0, 2048),        of("merge", 0, 4096), of("free", 0, 4096),
                                    of("allocate", 0, 1024),     of("wait", 0, 4096),  {"split", {{"bytes", 4096}}},
                                    {"split", {{"position", 0}}}};
  for (const ReplayEvent& event : impossible) EXPECT_FALSE(chart_of({kRange, event})) << event.name;
  EXPECT_FALSE(chart_of({kRange, of("split", 0, 4096), of("split", 0, 2048), of("split", 0, 1024)})) << "a leaf";
}

}  // namespace lab::report
