#include "harness/measure/fixed_build.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/measure/arms.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Runner kRun = [](const ChildSpec& spec) { return run_child(spec); };

/// A build, and the folder of a fixed build.
class Machine {
 public:
  explicit Machine(const Words& variants = {"plain", "quick", "third"}) : build_(variants) {}

  /// Head's benchmarks of the workload `store`.
  std::vector<Benchmark> head() const {
    std::vector<Benchmark> found;
    const Catalog catalog = *load_catalog(build_.path(), kRun);
    for (const Benchmark& one : catalog.benchmarks)
      if (one.workload.name == "store") found.push_back(one);
    return found;
  }
  Expected<void> keep(const std::vector<Benchmark>& chosen) const {
    Expected<results::Arm> arm = describe_arm(results::kHead, build_.path(), build_.path(), chosen);
    arm->source.commit = "0123";
    arm->pins["gcc"] = "12";
    return keep_fixed(folder(), build_.path(), *arm, chosen);
  }
  FixedBuild read() const { return read_fixed(folder(), head(), kRun); }
  fs::path folder() const { return place_.path() / "machine/fixed"; }
  const FakeBuild& build() const { return build_; }

 private:
  FakeBuild build_;
  ScratchFolder place_;
};

Words names(const std::vector<ArmBenchmark>& timed) {
  Words names;
  for (const ArmBenchmark& one : timed) names.push_back(one.arm + " " + one.benchmark.name);
  return names;
}

void damage(const fs::path& file) {
  std::ofstream(file, std::ios::app) << "damage";
}

}  // namespace

TEST(FixedBuild, of_a_machine_without_one_is_empty) {
  const FixedBuild none = Machine().read();
  EXPECT_TRUE(none.is_spent());
  EXPECT_TRUE(none.timed.empty());
}

TEST(FixedBuild, stays_as_it_was_when_head_changes) {
  const Machine machine;
  ASSERT_TRUE(machine.keep(machine.head()));
  const Words all{"fixed fake/plain/store", "fixed fake/quick/store", "fixed fake/third/store"};
  const FixedBuild first = machine.read();
  EXPECT_EQ(names(first.timed), all);
  EXPECT_EQ(first.arm.name, "fixed");
  EXPECT_EQ(first.arm.source.commit, "0123");
  EXPECT_EQ(first.arm.pins.at("gcc"), "12");
  EXPECT_EQ(first.sentences, Words{});
  EXPECT_TRUE(first.timed[0].benchmark.reference);

  fs::remove(machine.build().path() / "variants/fake/quick");
  fs::copy_file(first.timed[0].benchmark.executable, machine.build().path() / "variants/fake/quick");
  damage(machine.build().path() / "variants/fake/quick");  // head has other bytes
  const FixedBuild second = machine.read();
  EXPECT_EQ(names(second.timed), all);
  EXPECT_EQ(second.arm.executables, first.arm.executables);
}

TEST(FixedBuild, keeps_all_layouts_and_draws_among_them) {
  const Machine machine;
  std::vector<Benchmark> chosen{machine.head().front()};
  for (int number = 1; number <= 2; ++number) {
    const fs::path layout = machine.build().path() / ("layout" + std::to_string(number));
    fs::copy_file(chosen[0].executable, layout);
    damage(layout);
    chosen[0].layouts.push_back({number, layout});
  }
  ASSERT_TRUE(machine.keep(chosen));
  const FixedBuild fixed = machine.read();
  ASSERT_EQ(fixed.timed.size(), 1u);
  ASSERT_EQ(fixed.timed[0].benchmark.layouts.size(), 2u);
  EXPECT_EQ(fixed.timed[0].benchmark.layouts[1], (CodeLayout{2, machine.folder() / "layouts/fake/plain.2"}));
  EXPECT_EQ(*hash_of_layouts(fixed.timed[0].benchmark), *hash_of_layouts(chosen[0]));

  damage(machine.folder() / "layouts/fake/plain.2");
  EXPECT_TRUE(machine.read().timed.empty()) << "one layout of it is another program";
}

TEST(FixedBuild, with_changed_bytes_is_not_timed_and_that_is_said) {
  const Machine machine;
  ASSERT_TRUE(machine.keep(machine.head()));
  damage(machine.folder() / "variants/fake/quick");
  fs::remove(machine.folder() / "variants/fake/third");
  const FixedBuild fixed = machine.read();
  EXPECT_EQ(names(fixed.timed), Words{"fixed fake/plain/store"});
  ASSERT_EQ(fixed.sentences.size(), 2u);
  EXPECT_TRUE(fixed.sentences[0].starts_with("not timed in the fixed build: fake/quick/store: expected an executable "))
      << fixed.sentences[0];
  EXPECT_EQ(fixed.sentences[1],
            "not timed in the fixed build: fake/third/store: fake/third is not built in the fixed build");
}

TEST(FixedBuild, of_another_version_of_the_workload_is_not_timed) {
  const Machine machine;
  ASSERT_TRUE(machine.keep(machine.head()));
  std::vector<Benchmark> head = machine.head();
  head[0].workload.version = 2;
  const FixedBuild fixed = read_fixed(machine.folder(), head, kRun);
  EXPECT_EQ(names(fixed.timed), (Words{"fixed fake/quick/store", "fixed fake/third/store"}));
  EXPECT_EQ(fixed.sentences,
            Words{"not timed in the fixed build: fake/plain/store: workload fake/store has version 2 in "
                  "head and 1 in the fixed build"});
  EXPECT_EQ(names(read_fixed(machine.folder(), {head[1]}, kRun).timed), Words{"fixed fake/quick/store"})
      << "the others are not measured tonight";
  EXPECT_FALSE(fixed.is_spent());
  EXPECT_FALSE(read_fixed(machine.folder(), {}, kRun).is_spent()) << "a filter selects nothing of it";
  for (Benchmark& one : head) one.workload.version = 2;
  EXPECT_TRUE(read_fixed(machine.folder(), head, kRun).is_spent());
}

TEST(FixedBuild, that_cannot_be_read_is_a_sentence_and_can_be_replaced) {
  const Machine machine;
  ASSERT_TRUE(machine.keep(machine.head()));
  ASSERT_TRUE(write_file(machine.folder() / "fixed.json", "{}\n"));
  const FixedBuild fixed = machine.read();
  EXPECT_TRUE(fixed.is_spent());
  ASSERT_EQ(fixed.sentences.size(), 1u);
  EXPECT_TRUE(fixed.sentences[0].starts_with("the fixed build is not timed: ")) << fixed.sentences[0];
  ASSERT_TRUE(machine.keep({machine.head().back()}));
  EXPECT_EQ(names(machine.read().timed), Words{"fixed fake/third/store"});
  EXPECT_FALSE(fs::exists(machine.folder() / "variants/fake/plain"));
}

TEST(FixedBuild, that_cannot_be_written_leaves_nothing) {
  const Machine machine;
  ASSERT_TRUE(write_file(machine.build().path() / "blocked", ""));
  std::vector<Benchmark> chosen = machine.head();
  const results::Arm arm = *describe_arm(results::kHead, machine.build().path(), machine.build().path(), chosen);
  chosen[1].executable = "/nonexistent";
  EXPECT_FALSE(keep_fixed(machine.folder(), machine.build().path(), arm, chosen));
  EXPECT_FALSE(keep_fixed(machine.build().path() / "blocked/fixed", machine.build().path(), arm, machine.head()));
  EXPECT_FALSE(fs::exists(machine.folder()));
  EXPECT_TRUE(fs::is_empty(machine.folder().parent_path()));
}

TEST(FixedBuild, has_a_benchmark_of_each_family_and_at_least_four) {
  const auto benchmark = [](const std::string& family, const std::string& variant, bool reference) {
    return Benchmark{results::benchmark_name(family, variant, "one"),
                     "/x",
                     reference,
                     {family, "one", "", 1, {"all"}, 10, "op", false},
                     ""};
  };
  std::vector<Benchmark> head;
  for (const char* family : {"a", "b"})
    for (const char* variant : {"c", "d", "e"}) head.push_back(benchmark(family, variant, variant == std::string("d")));
  Words chosen;
  for (const Benchmark& one : choose_fixed(head)) chosen.push_back(one.name);
  EXPECT_EQ(chosen, (Words{"a/d/one", "b/d/one", "a/c/one", "a/e/one"}));
}

}  // namespace lab::measure
