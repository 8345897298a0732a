#include "harness/measure/catalog.h"

#include <gtest/gtest.h>

#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace {

Catalog load(const FakeBuild& build) {
  const Expected<Catalog> catalog = load_catalog(build.path(), [](const ChildSpec& spec) { return run_child(spec); });
  EXPECT_TRUE(catalog);
  return *catalog;
}

using Names = std::vector<std::string>;

template <typename List>
Names names(const List& list) {
  Names result;
  for (const auto& entry : list) result.push_back(entry.name);
  return result;
}

std::string complaint(const Catalog& catalog, const Names& filters) {
  const Expected<BenchmarkSelection> selection = select(catalog, filters);
  if (selection) return "";
  EXPECT_EQ(selection.error().status, ExitStatus::kUsage);
  return selection.error().what + " | " + selection.error().hint;
}

}  // namespace

TEST(Catalog, has_the_workloads_that_every_variant_describes) {
  const FakeBuild build({"quick", "plain", "wide"});
  const Catalog catalog = load(build);
  EXPECT_EQ(names(catalog.benchmarks),
            (Names{"fake/plain/drop", "fake/plain/store", "fake/quick/drop", "fake/quick/store", "fake/wide/spread"}));
  EXPECT_TRUE(catalog.benchmarks[0].reference);
  EXPECT_FALSE(catalog.benchmarks[3].reference);
  EXPECT_EQ(catalog.benchmarks[2].unsupported, "it never forgets");
  EXPECT_TRUE(catalog.benchmarks[4].workload.parallel);
  EXPECT_TRUE(catalog.failures.empty());
  EXPECT_TRUE(catalog.not_built.empty());
}

TEST(Catalog, names_variants_whose_description_fails) {
  const FakeBuild build({"plain", "mute", "elder", "!absent"});
  const Catalog catalog = load(build);
  EXPECT_EQ(names(catalog.variants), Names{"plain"});
  ASSERT_EQ(catalog.failures.size(), 2u);
  EXPECT_EQ(catalog.failures[0].benchmark, "fake/mute");
  EXPECT_EQ(catalog.failures[0].kind, "crash");
  EXPECT_EQ(catalog.failures[0].detail, "--describe: signal 6 (Aborted)");
  EXPECT_EQ(catalog.failures[1].kind, "protocol");
  EXPECT_EQ(catalog.failures[1].detail, "--describe: protocol 0, this build supports 1 to 3");
  EXPECT_EQ(catalog.not_built, Names{"fake/absent"});
}

TEST(Catalog, rejects_the_executable_of_another_variant) {
  const FakeBuild build({"plain"});
  build.write("variants.json",
              R"([{"family": "other", "variant": "plain", "reference": true, "executable": "variants/fake/plain"}])");
  EXPECT_EQ(load(build).failures.at(0).detail, "--describe: expected other/plain, found fake/plain");
}

TEST(Catalog, knows_the_core_workloads_and_takes_all_for_core_in_an_older_build) {
  const auto core_of = [](const FakeBuild& build) {
    Names core;
    for (const Benchmark& benchmark : load(build).benchmarks)
      if (benchmark.core) core.push_back(benchmark.name);
    return core;
  };
  EXPECT_EQ(core_of(FakeBuild({"plain", "wide"})), (Names{"fake/plain/drop", "fake/plain/store", "fake/wide/spread"}));
  EXPECT_EQ(core_of(FakeBuild({"plain", "wide"}, R"(["store"])")), Names{"fake/plain/store"});
  EXPECT_EQ(core_of(FakeBuild({"plain", "wide"}, "[]")), Names{});
}

TEST(Catalog, rejects_a_core_workload_that_no_variant_offers) {
  const Runner runner = [](const ChildSpec& spec) { return run_child(spec); };
  const FakeBuild build({"plain"}, R"(["store", "dorp"])");
  const Expected<Catalog> catalog = load_catalog(build.path(), runner);
  ASSERT_FALSE(catalog);
  EXPECT_EQ(catalog.error().what,
            "variants/fake/family.json: core: expected names of workloads, found 'dorp', which no variant offers");
  EXPECT_EQ(catalog.error().hint, "did you mean 'drop'?");
  // A variant that is not built may be the one that offers it.
  EXPECT_TRUE(load_catalog(FakeBuild({"plain", "!absent"}, R"(["spread"])").path(), runner));
}

TEST(Catalog, needs_a_build) {
  const ScratchFolder folder;
  const Runner nobody = [](const ChildSpec&) { return ChildOutcome{}; };
  EXPECT_EQ(load_catalog(folder.path(), nobody).error().hint, "python3 make.py build");
  folder.write("variants.json", "[{");
  EXPECT_EQ(
      load_catalog(folder.path(), nobody).error().what,
      fmt::format("'{}': truncated: the JSON does not end within 2 bytes", (folder.path() / "variants.json").string()));
  folder.write("variants.json", R"([{"family": 1}])");
  EXPECT_EQ(load_catalog(folder.path(), nobody).error().what,
            fmt::format("'{}': [0].family: expected a string, found 1", (folder.path() / "variants.json").string()));
}

TEST(Select, selects_everything_without_a_filter) {
  const FakeBuild build({"plain", "quick", "mute"});
  const BenchmarkSelection selection = *select(load(build), {});
  EXPECT_EQ(names(selection.benchmarks), (Names{"fake/plain/drop", "fake/plain/store", "fake/quick/store"}));
  EXPECT_EQ(names(selection.workloads), (Names{"drop", "store"}));
  EXPECT_EQ(names(selection.variants), (Names{"plain", "quick"}));
  ASSERT_EQ(selection.unsupported.size(), 1u);
  EXPECT_EQ(selection.unsupported[0].benchmark, "fake/quick/drop");
  EXPECT_EQ(selection.failures.size(), 1u);
  EXPECT_TRUE(selection.checks.empty());
}

TEST(Select, accepts_patterns_for_the_name_or_its_beginning) {
  const FakeBuild build({"plain", "quick", "wide"});
  const Catalog catalog = load(build);
  EXPECT_EQ(names(select(catalog, {"*/store"})->benchmarks), (Names{"fake/plain/store", "fake/quick/store"}));
  EXPECT_EQ(names(select(catalog, {"fake/quick"})->benchmarks), Names{"fake/quick/store"});
  EXPECT_EQ(names(select(catalog, {"fake/wide/spread", "*/drop"})->benchmarks),
            (Names{"fake/plain/drop", "fake/wide/spread"}));
  EXPECT_EQ(select(catalog, {"fake"})->benchmarks.size(), 4u);
  EXPECT_EQ(select(catalog, {"fa[jk]e/p*"})->benchmarks.size(), 2u);
}

TEST(Select, adds_the_reference_of_a_selected_workload_as_a_check) {
  const FakeBuild build({"plain", "quick"});
  const BenchmarkSelection selection = *select(load(build), {"fake/quick"});
  EXPECT_EQ(names(selection.checks), Names{"fake/plain/store"});
  EXPECT_EQ(names(selection.variants), (Names{"plain", "quick"}));
}

TEST(Select, has_the_environment_rules_of_the_families_it_runs) {
  const FakeBuild build({"plain"});
  build.write("variants.json",
              R"([{"family": "fake", "variant": "plain", "reference": true, "executable": "variants/fake/plain",
                   "environment": [{"variables": "FAKE_*", "why": "may change a fake"}]},
                  {"family": "other", "variant": "absent", "reference": true, "executable": "variants/other/absent",
                   "environment": [{"variables": "OTHER_*", "why": "may change another"}]}])");
  EXPECT_EQ(select(load(build), {"fake"})->environment,
            (std::vector<EnvironmentRule>{{"FAKE_*", "may change a fake"}}));
  const FakeBuild old({"plain"});
  EXPECT_EQ(select(load(old), {})->environment, std::vector<EnvironmentRule>{});
}

TEST(PartOf, keeps_what_belongs_to_the_named_benchmarks) {
  const FakeBuild build({"plain", "quick", "wide", "mute"});
  const BenchmarkSelection all = *select(load(build), {});
  const BenchmarkSelection part = part_of(all, {"fake/plain/drop"});
  EXPECT_EQ(names(part.benchmarks), Names{"fake/plain/drop"});
  EXPECT_EQ(names(part.workloads), Names{"drop"});
  EXPECT_EQ(names(part.variants), Names{"plain"});
  ASSERT_EQ(part.unsupported.size(), 1u);
  EXPECT_EQ(part.unsupported[0].benchmark, "fake/quick/drop");
  EXPECT_EQ(part.failures.size(), 1u);
  EXPECT_TRUE(part_of(all, {"fake/wide/spread"}).unsupported.empty());
}

TEST(Select, suggests_the_nearest_name_for_an_unknown_one) {
  const FakeBuild build({"plain", "quick"});
  const Catalog catalog = load(build);
  EXPECT_EQ(complaint(catalog, {"fake/qiuck/store"}),
            "no benchmark matches 'fake/qiuck/store' | did you mean 'fake/quick/store'?");
  EXPECT_EQ(complaint(catalog, {"fake/plian"}), "no benchmark matches 'fake/plian' | did you mean 'fake/plain'?");
  EXPECT_EQ(complaint(catalog, {"fake", "something else"}),
            "no benchmark matches 'something else' | python3 make.py list");
  EXPECT_EQ(complaint(catalog, {"fake/quick/drop"}),
            "fake/quick/drop is unsupported: it never forgets | python3 make.py list");
}

TEST(Select, needs_only_variants_that_could_match_to_be_built) {
  const FakeBuild build({"plain", "quick", "!absent"});
  const Catalog catalog = load(build);
  EXPECT_EQ(select(catalog, {}).error().what, "fake/absent is not built");
  EXPECT_EQ(select(catalog, {"*/store"}).error().what, "fake/absent is not built");
  EXPECT_EQ(select(catalog, {"*"}).error().hint, "python3 make.py build");
  EXPECT_TRUE(select(catalog, {"fake/plain"}));
}

TEST(Select, accepts_a_filter_that_matches_only_a_failed_variant) {
  const FakeBuild build({"plain", "mute"});
  const BenchmarkSelection selection = *select(load(build), {"fake/mute"});
  EXPECT_TRUE(selection.benchmarks.empty());
  EXPECT_EQ(selection.failures.size(), 1u);
  EXPECT_TRUE(select(load(build), {"fake/plain"})->failures.empty());
}

TEST(Select, fails_for_a_build_without_variants) {
  const FakeBuild build({});
  EXPECT_EQ(select(load(build), {}).error().what, "nothing to run: this build has no variants");
}

TEST(ListedVariants, are_needed_if_a_filter_may_select_one_of_their_benchmarks) {
  const std::vector<ListedVariant> listed{{"fake", "plain", true, ""},
                                          {"fake", "quick", false, ""},
                                          {"other", "first", true, ""},
                                          {"other", "quick", false, ""}};
  const std::vector<std::pair<Names, Names>> table{
      {{}, {"fake/plain", "fake/quick", "other/first", "other/quick"}},
      {{"*"}, {"fake/plain", "fake/quick", "other/first", "other/quick"}},
      {{"fake"}, {"fake/plain", "fake/quick"}},
      {{"fake/*"}, {"fake/plain", "fake/quick"}},
      {{"fake/quick/drop"}, {"fake/quick"}},
      {{"fake/q*"}, {"fake/quick"}},
      {{"*/quick/*"}, {"fake/quick", "other/quick"}},
      {{"fake/quick", "other/first"}, {"fake/quick", "other/first"}},
      {{"*/store"}, {"fake/plain", "fake/quick", "other/first", "other/quick"}},
      {{"f*/drop"}, {"fake/plain", "fake/quick"}},
      {{"fake/[pq]*/drop"}, {"fake/plain", "fake/quick"}},
      {{"fake/qui"}, {}},
      {{"quick"}, {}}};
  for (const auto& [filters, wanted] : table)
    EXPECT_EQ(variants_for(listed, filters, false), wanted) << (filters.empty() ? "" : filters.front());
  EXPECT_EQ(variants_for(listed, {"other/quick/*"}, true), (Names{"other/first", "other/quick"}));
}

TEST(Select, suggests_a_variant_that_is_not_built) {
  const FakeBuild build({"!plain", "!quick"});
  EXPECT_EQ(complaint(load(build), {"fake/qiuck"}), "no benchmark matches 'fake/qiuck' | did you mean 'fake/quick'?");
}

}  // namespace lab::measure
