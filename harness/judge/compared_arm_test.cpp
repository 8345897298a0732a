#include "harness/judge/compared_arm.h"

#include <gtest/gtest.h>

#include "harness/judge/compare_fixture.h"

namespace lab::judge {

using results::kBase;
using results::kHead;
using results::Process;
using results::Result;

using Names = std::set<std::string>;

TEST(ComparedArm, has_the_values_of_its_own_processes) {
  Result session = SessionMaker().session(2, 3, {kBase, kHead});
  for (Process& process : session.processes) process.seed = process.arm == kHead ? 8 : 7;
  const ComparedArm head(session, kHead, {});
  EXPECT_EQ(head.benchmarks(), (Names{"shelf/v0/store", "shelf/v1/store"}));
  EXPECT_EQ(head.values("shelf/v0/store").size(), 3u);
  EXPECT_EQ(head.seeds("shelf/v0/store"), (std::set<std::uint64_t>{8}));
  EXPECT_TRUE(head.values("shelf/v9/store").empty());
  EXPECT_FALSE(head.has("shelf/v9/store"));
  EXPECT_EQ(ComparedArm(session, kHead, {"put"}).benchmarks().size(), 4u);
}

TEST(ComparedArm, leaves_out_a_benchmark) {
  const Result session = SessionMaker().session(2, 3, {kHead});
  ComparedArm head(session, kHead, {});
  head.leave_out("shelf/v0/store");
  EXPECT_EQ(head.benchmarks(), (Names{"shelf/v1/store"}));
}

TEST(ComparedArm, is_warming_up_if_more_than_half_of_the_processes_are) {
  Result session = SessionMaker().session(1, 4, {kHead});
  const auto warm = [&](int from) {
    for (Process& process : session.processes) process.warmup = results::Warmup{5, 0.1, process.block >= from};
    return !ComparedArm(session, kHead, {}).is_warming_up("shelf/v0/store");
  };
  EXPECT_TRUE(warm(2));
  EXPECT_FALSE(warm(3));
}

TEST(ComparedArm, prefers_what_the_arm_knows_of_itself) {
  Result session = SessionMaker().session(1, 1, {kHead});
  EXPECT_EQ(ComparedArm(session, kHead, {}).versions(), (std::map<std::string, int>{{"shelf/store", 2}}));
  EXPECT_EQ(ComparedArm(session, kHead, {}).executable("shelf/v0/store"), "");
  results::Arm& arm = session.arms[0];
  arm.versions = {{"shelf/store", 5}};
  arm.executables = {{"shelf/v0", "abc"}};
  arm.source.commit = "1234";
  const ComparedArm head(session, kHead, {});
  EXPECT_EQ(head.versions(), arm.versions);
  EXPECT_EQ(head.executable("shelf/v0/store"), "abc");
  EXPECT_EQ(head.side().commit, "1234");
  EXPECT_EQ(ComparedArm(session, kBase, {}).side().commit, session.source.commit);
}

}  // namespace lab::judge
