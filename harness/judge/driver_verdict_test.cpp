#include "harness/judge/driver_verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "harness/base/error.h"
#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

using results::Article;
using results::ClaimScope;
using results::DriverColumn;

/// An article of two platforms with one claim: the smallest storage of an image is 4096.
Article article(ClaimScope scope, const std::string& about = "") {
  Article made;
  made.sweep.least_dimension = 2;
  made.platforms = {{"Here", {"a driver", {"here-*"}}}, {"There", {"another", {"there-*", "*-there"}}}};
  results::DriverClaim claim;
  claim.about = about;
  claim.scope = scope;
  claim.check = {.kind = "smallest image storage", .bytes = {4096}};
  made.claims.push_back({"Images take at least 4096 bytes", claim});
  return made;
}

/// The same of a device that a shim simulates.
DriverColumn simulated(DriverColumn made) {
  made.driver.simulated = results::SimulatedDevice{"chip", "shim", {}};
  return made;
}

/// The same of one driver, with other columns of it.
DriverColumn of_driver(const std::string& driver, DriverColumn made) {
  made.driver.short_name = driver;
  return made;
}

/// A column whose smallest image takes so many bytes; 0: it answered for a buffer alone.
DriverColumn column(const std::string& name, std::uint64_t storage) {
  DriverColumn made;
  made.name = name;
  made.buffers = {{16, 16, 16}};
  if (storage != 0) made.images = {{2, 2, storage, 64, 1}};
  return made;
}

std::string text(const std::vector<JudgedDriverClaim>& judged) {
  std::string all;
  for (const JudgedDriverClaim& one : judged) {
    all += fmt::format("{}{}:", one.platform, one.platform.empty() ? "any" : "");
    for (const ColumnOutcome& each : one.columns) all += fmt::format(" {} {}", each.column->name, each.outcome.found);
    all += fmt::format(" -> {}\n", to_string(one.verdict));
  }
  return all;
}

std::string surveyed(const Article& made, const std::vector<DriverColumn>& atlas) {
  return text(judge_driver_claims(made, atlas).surveyed);
}

/// The verdict beyond the article's platforms; "" without one.
std::string elsewhere(const Article& made, const std::vector<DriverColumn>& atlas) {
  const JudgedDriverClaims judged = judge_driver_claims(made, atlas);
  return judged.elsewhere.empty() ? "" : std::string(to_string(judged.elsewhere.front().verdict));
}

}  // namespace

TEST(DriverVerdict, on_a_platform_is_that_of_its_columns) {
  const Article here = article(ClaimScope::kPlatform, "Here");
  EXPECT_EQ(surveyed(here, {column("here-1", 4096), column("other-1", 64)}), "Here: here-1 4,096 -> holds\n");
  EXPECT_EQ(surveyed(here, {column("here-1", 64)}), "Here: here-1 64 -> does not hold\n");
  EXPECT_EQ(surveyed(here, {column("here-1", 4096), column("here-2", 64)}),
            "Here: here-1 4,096 here-2 64 -> differs\n");
  EXPECT_EQ(surveyed(here, {column("here-1", 0)}), "Here: here-1 the driver did not answer -> open\n");
  EXPECT_EQ(surveyed(here, {column("other-1", 4096)}), "");
  EXPECT_EQ(elsewhere(here, {column("here-1", 4096), column("other-1", 64)}), "")
      << "the article claims nothing about other drivers";
}

TEST(DriverVerdict, on_other_drivers_is_whether_the_finding_generalises) {
  const Article each = article(ClaimScope::kEachPlatform);
  const std::vector<DriverColumn> both{column("here-1", 64), column("other-1", 4096), column("other-2", 64)};
  EXPECT_EQ(surveyed(each, both), "Here: here-1 64 -> does not hold\n");
  EXPECT_EQ(elsewhere(each, both), "in part");
  EXPECT_EQ(elsewhere(each, {column("here-1", 64), column("other-1", 4096), column("other-2", 4096)}), "generalises");
  EXPECT_EQ(elsewhere(each, {column("there-1", 4096), column("other-1", 64), column("other-2", 64)}),
            "does not generalise");
  EXPECT_EQ(elsewhere(each, {column("other-1", 0)}), "open");
  EXPECT_EQ(elsewhere(each, {column("here-1", 64)}), "") << "there is no other driver";
}

TEST(DriverVerdict, on_other_drivers_is_open_while_one_cannot_decide) {
  Article each = article(ClaimScope::kEachPlatform);
  std::get<results::DriverClaim>(each.claims.front().kind).check = {.kind = "buffer extra", .most = 0, .above = 1000};
  DriverColumn exact = column("other-1", 0), rounding = column("other-2", 0), silent = column("other-3", 64);
  exact.buffers = {{1, 1, 4}, {2000, 2000, 4}};
  rounding.buffers = {{100, 112, 4}, {2000, 2000, 4}};
  silent.buffers.clear();
  DriverColumn second = exact;
  second.name = "another-1";
  EXPECT_EQ(elsewhere(each, {exact, second}), "generalises");
  EXPECT_EQ(elsewhere(each, {exact, second, silent}), "generalises");
  EXPECT_EQ(elsewhere(each, {exact, second, silent, silent}), "open") << "most must answer";
  EXPECT_EQ(elsewhere(each, {exact, rounding}), "open");
  EXPECT_EQ(elsewhere(each, {rounding}), "open");
}

TEST(DriverVerdict, leaves_out_a_driver_that_answered_nothing) {
  DriverColumn failed = column("here-1", 0);
  failed.buffers.clear();
  const std::vector<DriverColumn> atlas{failed, column("there-1", 4096)};
  const Article each = article(ClaimScope::kEachPlatform);
  EXPECT_EQ(surveyed(each, atlas), "There: there-1 4,096 -> holds\n");
  EXPECT_EQ(judge_driver_claims(each, atlas).missing, std::vector<std::string>{"Here"});
}

TEST(DriverVerdict, leaves_out_a_driver_with_other_settings) {
  DriverColumn changed = column("there-2-noccs", 64);
  changed.environment = {{"INTEL_DEBUG", "noccs"}};
  const Article each = article(ClaimScope::kEachPlatform);
  EXPECT_EQ(surveyed(each, std::vector<DriverColumn>{column("there-1", 4096), changed}),
            "There: there-1 4,096 -> holds\n");
}

TEST(DriverVerdict, on_some_platform_is_open_until_one_agrees_or_all_have_answered) {
  const Article some = article(ClaimScope::kSomePlatform);
  EXPECT_EQ(surveyed(some, {column("here-1", 4096)}), "any: here-1 4,096 -> holds\n");
  EXPECT_EQ(surveyed(some, {column("here-1", 64)}), "any: here-1 64 -> open\n");
  EXPECT_EQ(surveyed(some, {column("here-1", 64), column("there-1", 0)}),
            "any: here-1 64 there-1 the driver did not answer -> open\n");
  EXPECT_EQ(surveyed(some, {column("here-1", 64), column("there-1", 64)}),
            "any: here-1 64 there-1 64 -> does not hold\n");
  EXPECT_EQ(surveyed(some, {column("here-1", 64), column("Linux-There", 4096)}),
            "any: here-1 64 Linux-There 4,096 -> holds\n");
}

TEST(DriverVerdict, on_a_platform_does_not_come_from_one_column_of_a_simulated_device) {
  const Article here = article(ClaimScope::kPlatform, "Here");
  const auto first = simulated(column("here-1", 4096)), second = simulated(column("here-2", 4096));
  EXPECT_EQ(surveyed(here, {first}), "Here: here-1 4,096 -> open\n");
  EXPECT_EQ(judge_driver_claims(here, std::vector{first}).surveyed.front().too_few,
            "one version of its driver answered, on a simulated device");
  EXPECT_EQ(surveyed(here, {simulated(column("here-1", 64))}), "Here: here-1 64 -> open\n");
  EXPECT_EQ(surveyed(here, {first, second}), "Here: here-1 4,096 here-2 4,096 -> holds\n");
  EXPECT_EQ(surveyed(here, {first, simulated(column("here-2", 0))}),
            "Here: here-1 4,096 here-2 the driver did not answer -> open\n");
  DriverColumn imported = column("here-imported", 4096);
  imported.imported = true;
  EXPECT_EQ(surveyed(here, {imported}), "Here: here-imported 4,096 -> holds\n") << "the article's own tables";
  const Article some = article(ClaimScope::kSomePlatform);
  EXPECT_EQ(surveyed(some, {simulated(column("here-1", 64)), column("there-1", 64)}),
            "any: here-1 64 there-1 64 -> open\n");
}

TEST(DriverVerdict, on_drivers_does_not_come_from_one_driver_however_many_columns_it_has) {
  const DriverColumn good = of_driver("nvk", column("nvk-1", 4096)), bad = of_driver("nvk", column("nvk-2", 64)),
                     other = of_driver("nvidia", column("nvidia-1", 64));
  const struct {
    ClaimScope scope;
    std::vector<DriverColumn> atlas;
    std::string_view verdict;
  } rows[]{
      {ClaimScope::kSomeDriver, {bad, bad, bad}, "open"},      {ClaimScope::kSomeDriver, {bad, other}, "not seen"},
      {ClaimScope::kSomeDriver, {bad, good}, "holds"},         {ClaimScope::kEachDriver, {good, good}, "open"},
      {ClaimScope::kEachDriver, {good, bad}, "does not hold"}, {ClaimScope::kMostDrivers, {good, good, bad}, "open"},
      {ClaimScope::kEachPlatform, {good, good}, "open"},       {ClaimScope::kEachPlatform, {bad, bad}, "open"}};
  for (const auto& [scope, atlas, verdict] : rows)
    EXPECT_EQ(elsewhere(article(scope), atlas), verdict) << static_cast<int>(scope) << " " << atlas.size();
  EXPECT_EQ(judge_driver_claims(article(ClaimScope::kSomeDriver), std::vector{bad, bad}).elsewhere.front().too_few,
            "one driver answered, nvk");
}

TEST(DriverVerdict, on_most_drivers_counts_a_driver_once) {
  const DriverColumn nvk = of_driver("nvk", column("nvk-1", 4096)), anv = of_driver("anv", column("anv-1", 64)),
                     radv = of_driver("radv", column("radv-1", 64));
  const std::vector<DriverColumn> atlas{nvk, nvk, nvk, nvk, anv, radv};
  EXPECT_EQ(elsewhere(article(ClaimScope::kMostDrivers), atlas), "does not hold")
      << "four of six columns, one of three";
  const JudgedDriverClaims judged = judge_driver_claims(article(ClaimScope::kMostDrivers), atlas);
  EXPECT_EQ(judged.elsewhere.front().drivers().holds, 1u);
  EXPECT_EQ(judged.elsewhere.front().drivers().answered, 3u);
}

TEST(DriverVerdict, on_drivers_counts_every_column) {
  const DriverColumn good = of_driver("a", column("here-1", 4096)), more = of_driver("b", column("here-2", 4096)),
                     bad = of_driver("c", column("other-1", 64)), worse = of_driver("d", column("other-3", 64)),
                     silent = of_driver("e", column("other-2", 0));
  const struct {
    ClaimScope scope;
    std::vector<DriverColumn> atlas;
    std::string_view verdict;
  } rows[]{{ClaimScope::kEachDriver, {good, more, silent}, "holds"},
           {ClaimScope::kEachDriver, {good, more, bad}, "does not hold"},
           {ClaimScope::kMostDrivers, {good, more, bad}, "holds"},
           {ClaimScope::kMostDrivers, {good, bad, silent}, "does not hold"},
           {ClaimScope::kSomeDriver, {good, bad, bad}, "holds"},
           {ClaimScope::kSomeDriver, {bad, worse, silent}, "not seen"},
           {ClaimScope::kSomeDriver, {silent}, "open"}};
  for (const auto& [scope, atlas, verdict] : rows) EXPECT_EQ(elsewhere(article(scope), atlas), verdict);

  Article only = article(ClaimScope::kSomeDriver);
  std::get<results::DriverClaim>(only.claims.front().kind).columns = {"other-*"};
  EXPECT_EQ(elsewhere(only, {good, bad, worse}), "not seen") << "the claim names other drivers";
  EXPECT_EQ(elsewhere(only, {good}), "");
}

TEST(DriverVerdict, takes_the_real_allocations_of_the_same_column) {
  Article every = article(ClaimScope::kEachDriver);
  std::get<results::DriverClaim>(every.claims.front().kind).check = {.kind = "allocations at once", .low = 80};
  const std::vector<DriverColumn> atlas{column("here-1", 64), column("other-1", 64)};
  results::MemoryFindings memory;
  memory.column = "other-1";
  memory.limit = results::AllocationCount{.succeeded = 80};
  const std::vector<results::MemoryFindings> all{memory};
  EXPECT_EQ(text(judge_driver_claims(every, atlas, all).elsewhere),
            "any: here-1 no allocations were made other-1 80 succeeded -> open\n")
      << "one driver alone";
  std::vector<results::MemoryFindings> both{memory, memory};
  both.front().column = "here-1";
  EXPECT_EQ(text(judge_driver_claims(every, atlas, both).elsewhere),
            "any: here-1 80 succeeded other-1 80 succeeded -> holds\n");
  EXPECT_EQ(elsewhere(every, atlas), "open");
}

TEST(DriverVerdict, is_not_decided_by_the_times_of_a_disturbed_machine) {
  Article every = article(ClaimScope::kEachDriver);
  std::get<results::DriverClaim>(every.claims.front().kind).check = {
      .kind = "operation within", .most = 100, .operation = "sub-allocate"};
  std::vector<DriverColumn> atlas{column("here-1", 64), column("other-1", 64)};
  atlas[1].kept = true;  // of another machine
  std::vector<results::MemoryFindings> memory(2);
  for (std::size_t i = 0; i < 2; ++i) {
    memory[i].column = atlas[i].name;
    memory[i].timings.push_back({.what = "sub-allocate", .samples_ns = {30, 40, 50}});
  }
  const auto outcomes = [&](bool disturbed) {
    const JudgedDriverClaims judged = judge_driver_claims(every, atlas, memory, disturbed);
    std::string text;
    for (const ColumnOutcome& one : judged.elsewhere.front().columns)
      text += fmt::format("{}: {}{}; ", one.column->name, one.outcome.found, one.outcome.holds ? "" : " (open)");
    return text;
  };
  EXPECT_EQ(outcomes(false), "here-1: 40 ns; other-1: 40 ns; ");
  EXPECT_EQ(outcomes(true), "here-1: 40 ns, disturbed, not judged (open); other-1: 40 ns; ");
  // What is no time is not disturbed.
  EXPECT_EQ(judge_driver_claims(article(ClaimScope::kEachDriver), atlas, {}, true).elsewhere.front().verdict,
            judge_driver_claims(article(ClaimScope::kEachDriver), atlas, {}, false).elsewhere.front().verdict);
}

TEST(DriverVerdict, counts_the_claims_that_no_column_answers) {
  Article made = article(ClaimScope::kPlatform, "There");
  for (const ClaimScope scope : {ClaimScope::kEachPlatform, ClaimScope::kSomePlatform, ClaimScope::kEachDriver})
    made.claims.push_back(article(scope).claims.front());
  const std::vector<DriverColumn> atlas{column("here-1", 4096)};
  JudgedDriverClaims judged = judge_driver_claims(made, atlas);
  EXPECT_EQ(judged.missing, std::vector<std::string>{"There"});
  EXPECT_EQ(judged.unanswered, 1u);
  EXPECT_EQ(judged.partly, 2u);

  const std::vector<DriverColumn> all{column("here-1", 4096), column("there-1", 4096)};
  judged = judge_driver_claims(made, all);
  EXPECT_EQ(judged.missing, std::vector<std::string>{});
  EXPECT_EQ(judged.unanswered + judged.partly, 0u);
}

TEST(DriverVerdict, of_the_articles_own_platforms_is_careful) {
  std::vector<DriverColumn> atlas{sample::hd620("anv-22.3.6-hd620-simulated", true), sample::atlas()[1]};
  for (const std::size_t column : {0u, 1u}) {
    atlas.push_back(atlas[column]);
    atlas.back().name.replace(atlas.back().name.find("22.3.6"), 6, "25.0.7");
  }
  const results::Article& vulkan = sample::article("vulkan_memory");
  const JudgedDriverClaims judged = judge_driver_claims(vulkan, atlas);
  const auto verdict = [&](std::string_view claim, std::string_view platform) -> std::string {
    for (const JudgedDriverClaim& one : judged.surveyed)
      if (one.claim->text == claim && one.platform == platform) return std::string(to_string(one.verdict));
    return "none";
  };
  // Two of the four platforms answer: the storage doubles between 32x4096 and 64x4096 there.
  EXPECT_EQ(verdict("For some platforms, all images from 2x4096 up to 64x4096 take the same storage", ""), "open");
  const std::string typical =
      "A buffer of more than about 32 bytes is typically stored within about 8 bytes of its size";
  EXPECT_EQ(verdict(typical, "LinuxIntelMesa"), "holds");
  EXPECT_EQ(verdict(typical, "LinuxAMDRADV"), "holds") << "29 of 30 lengths";
  const std::string exact = "A buffer of more than about 1000 bytes is stored in exactly its size";
  EXPECT_EQ(verdict(exact, "LinuxIntelMesa"), "holds");
  EXPECT_EQ(verdict(exact, "LinuxAMDRADV"), "open") << "every length asked is a multiple of 16";
  EXPECT_EQ(verdict("A 4096x4096 image takes just over 64 MB", "LinuxIntelMesa"), "holds");
  EXPECT_EQ(verdict("A 4096x4096 image takes just over 64 MB", "LinuxAMDRADV"), "holds");
  EXPECT_EQ(verdict("The storage of images is always a power of two", "LinuxAMDRADV"), "holds");
  EXPECT_EQ(verdict("The storage of images is always a power of two", "LinuxIntelMesa"), "none") << "not claimed";
  EXPECT_EQ(verdict("There is one heap, of 12 GB, for both the device and the host", "LinuxIntelMesa"), "open");
  EXPECT_EQ(judged.missing, (std::vector<std::string>{"WindowsAMDProp", "WindowsNVIDIAProp"}));
}

}  // namespace lab::judge
