#include "harness/measure/arms.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/base/child.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace {

Benchmark benchmark(const std::string& family, const std::string& variant, const std::string& workload, bool reference,
                    bool parallel) {
  return {results::benchmark_name(family, variant, workload),
          "/x/" + variant,
          reference,
          {family, workload, "", 1, {"all"}, 10, "op", parallel},
          ""};
}

std::vector<std::string> names(const std::vector<ArmBenchmark>& list) {
  std::vector<std::string> names;
  for (const ArmBenchmark& one : list) names.push_back(one.arm + " " + one.benchmark.name);
  return names;
}

Catalog catalog_of(const FakeBuild& build) {
  return *load_catalog(build.path(), [](const ChildSpec& spec) { return run_child(spec); });
}

}  // namespace

TEST(Control, is_one_benchmark_per_family_preferably_serial_and_of_the_reference) {
  EXPECT_EQ(
      names(choose_control({benchmark("a", "fast", "one", false, false), benchmark("a", "plain", "both", true, true),
                            benchmark("a", "plain", "two", true, false), benchmark("a", "plain", "three", true, false),
                            benchmark("b", "wide", "all", true, true), benchmark("b", "other", "all", false, true)})),
      (std::vector<std::string>{"control a/plain/three", "control b/wide/all"}));
  EXPECT_TRUE(choose_control({}).empty());
}

TEST(ContentHash, depends_only_on_the_content) {
  const ScratchFolder folder;
  folder.write("a", "same");
  folder.write("b", "same");
  folder.write("c", "other");
  EXPECT_EQ(*content_hash(folder.path() / "a"), *content_hash(folder.path() / "b"));
  EXPECT_NE(*content_hash(folder.path() / "a"), *content_hash(folder.path() / "c"));
  EXPECT_FALSE(content_hash(folder.path() / "missing"));
}

TEST(LayoutTurns, give_every_layout_its_turn_in_an_order_that_the_arm_and_the_seed_choose) {
  Benchmark one = benchmark("a", "fast", "one", false, false);
  EXPECT_EQ(LayoutTurns(one, "head", 1).next(), (CodeLayout{0, one.executable}));
  for (int number = 1; number <= kLayouts; ++number) one.layouts.push_back({number, std::to_string(number)});
  const auto order = [&](std::string_view arm, std::uint64_t seed) {
    LayoutTurns turns(one, arm, seed);
    std::vector<int> numbers;
    for (int process = 0; process < 10 * kLayouts; ++process) numbers.push_back(turns.next().number);
    return numbers;
  };
  const std::vector<int> numbers = order("head", 1);
  for (int round = 0; round < 10; ++round) {
    const auto first = numbers.begin() + round * kLayouts;
    EXPECT_EQ(std::set<int>(first, first + kLayouts).size(), static_cast<std::size_t>(kLayouts)) << round;
  }
  EXPECT_EQ(order("head", 1), numbers);
  EXPECT_NE(order("head", 2), numbers);
  EXPECT_NE(order("base", 1), numbers);

  // Three processes need the first layout; the others make up for it.
  LayoutTurns turns(one, "head", 1);
  std::vector<int> counts(kLayouts + 1);
  for (int process = 0; process < 12; ++process)
    ++counts[static_cast<std::size_t>((process < 3 ? turns.first() : turns.next()).number)];
  EXPECT_EQ(counts, (std::vector<int>{0, 3, 3, 3, 3}));
}

TEST(DescribeArm, hashes_all_layouts_of_a_build_together) {
  const FakeBuild build({"plain"});
  Benchmark one = catalog_of(build).benchmarks.front();
  const auto hash = [&] {
    return describe_arm("head", build.path(), build.path(), {one})->executables.at("fake/plain");
  };
  const std::string alone = hash();
  EXPECT_EQ(alone, *content_hash(one.executable));
  for (const char* name : {"1", "2"}) {
    build.write(name, name);
    one.layouts.push_back({static_cast<int>(one.layouts.size()) + 1, build.path() / name});
  }
  const std::string both = hash();
  EXPECT_NE(both, alone);
  build.write("2", "changed");
  EXPECT_NE(hash(), both);
  build.write("2", "2");
  EXPECT_EQ(hash(), both);
}

TEST(LinkBenchmarks, says_which_have_only_one_layout_and_why) {
  const FakeBuild build({"plain", "quick"});
  Catalog catalog = catalog_of(build);
  std::vector<Benchmark*> all;
  for (Benchmark& one : catalog.benchmarks) all.push_back(&one);
  const auto runner = [](const ChildSpec& spec) { return run_child(spec); };
  const Expected<std::string> said = link_benchmarks(build.path(), all, 1, runner);
  ASSERT_TRUE(said);
  EXPECT_EQ(
      *said,
      "only one layout of code and data was measured, so what looks like a change may be its layout: the build of "
      "fake/plain, fake/quick kept no link command; the pinned toolchain's does");
  EXPECT_TRUE(all.front()->layouts.empty());
  build.write("variants/fake/plain.link", "false\n");
  const Expected<std::string> failed = link_benchmarks(build.path(), all, 1, runner);
  ASSERT_TRUE(failed);
  EXPECT_NE(failed->find("plain: linking a layout: exit status 1"), std::string::npos) << *failed;
}

TEST(Pairing, times_changed_executables_and_names_benchmarks_without_a_base) {
  const FakeBuild head_build({"plain", "quick", "other", "wrong", "unstable"});
  const FakeBuild base_build({"plain", "+quick", "+other", "!wrong", "mute"});
  const Catalog head = catalog_of(head_build);
  Catalog base = catalog_of(base_build);
  std::vector<Benchmark> selected;
  for (const Benchmark& one : head.benchmarks)
    if (one.workload.name == "store") selected.push_back(one);
  for (Benchmark& one : base.benchmarks)
    if (one.name == "fake/other/store") one.workload.version = 2;
  const Expected<results::Arm> head_arm = describe_arm("head", head_build.path(), head_build.path(), selected);
  const Expected<results::Arm> base_arm = describe_arm("base", base_build.path(), base_build.path(), base.benchmarks);
  ASSERT_TRUE(head_arm && base_arm);
  const Pairing pairing = pair_with_base(selected, *head_arm, base, *base_arm);
  EXPECT_EQ(names(pairing.timed), std::vector<std::string>{"base fake/quick/store"});
  EXPECT_EQ(pairing.timed[0].benchmark.executable, base_build.path() / "variants/fake/quick");
  EXPECT_EQ(pairing.identical, 1u);
  EXPECT_EQ(pairing.sentences,
            (std::vector<std::string>{
                "not compared with base: fake/unstable/store: base does not have it",
                "not compared with base: fake/wrong/store: fake/wrong is not built in base",
                "not compared with base: fake/other/store: workload fake/store has version 1 in head and 2 in base"}));
}

}  // namespace lab::measure
