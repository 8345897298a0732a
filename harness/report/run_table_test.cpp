#include "harness/report/run_table.h"

#include <gtest/gtest.h>

#include "harness/results/result_fixture.h"

namespace lab::report {

namespace {

/// Variants of the workload `store` with these times, in six blocks unless `blocks` says less.
results::Result fixture(const std::vector<std::pair<std::string, double>>& variants, int blocks = 6) {
  results::Result result = results::fixture_result();
  result.variants.push_back({"shelf", "a_name_of_some_length_indeed", false, "i", "c", "s", "w", {}});
  for (int block = 0; block < blocks; ++block)
    for (const auto& [variant, time] : variants)
      result.processes.push_back(results::fixture_process("shelf/" + variant + "/store", block, time + block));
  return result;
}

}  // namespace

TEST(RunTable, has_the_ratio_to_the_reference_the_fastest_first) {
  EXPECT_EQ(run_table(fixture({{"plain", 100}, {"quick", 50}, {"a_name_of_some_length_indeed", 1200}}), 0),
            "variant                         median   95 % interval  ratio  95 % interval\n"
            "shelf/store: ns per pair, 6 processes\n"
            "  quick                           52.5  [50.36, 54.64]  0.51x   [0.50, 0.52]\n"
            "  plain                          102.5  [100.4, 104.6]  1.00x      reference\n"
            "  a_name_of_some_length_indeed    1202    [1200, 1205]  11.7x     [11.5, 12]\n");
}

TEST(RunTable, has_no_ratio_without_the_reference_and_no_interval_of_few_processes) {
  EXPECT_EQ(run_table(fixture({{"quick", 50}}, 2), 0),
            "variant  median  95 % interval  ratio  95 % interval\n"
            "shelf/store: ns per pair, 2 processes, too few for an interval\n"
            "  quick    50.5\n"
            "no ratios in shelf: its reference plain did not run; --filter 'shelf/plain' adds it\n");
}

TEST(RunTable, counts_processes_if_one_benchmark_has_fewer_and_omits_the_control) {
  results::Result result = fixture({{"plain", 100}, {"quick", 50}});
  result.processes.pop_back();
  result.processes.push_back(results::fixture_process("shelf/plain/store", 0, 1));
  result.processes.back().arm = results::kControl;
  EXPECT_NE(
      run_table(result, 0).find("shelf/store: ns per pair, 5 to 6 processes, an interval needs 6, unfit, not judged\n"),
      std::string::npos)
      << run_table(result, 0);
}

namespace {

/// The last lines, which say why there are no ratios.
std::string why_of(const results::Result& result) {
  const std::string table = run_table(result, 0);
  const std::size_t at = table.find("no ratios");
  return at == std::string::npos ? "" : table.substr(at);
}

}  // namespace

TEST(RunTable, says_of_the_reference_what_it_lacks) {
  results::Result result = fixture({{"plain", 100}, {"quick", 50}});
  EXPECT_EQ(why_of(result), "");
  result.workloads[0].metrics = {{"frames", "Frames", "", results::MetricKind::kQuality}};
  for (results::Process& process : result.processes)
    if (process.benchmark == "shelf/quick/store") process.counters["frames"] = 2;
  EXPECT_EQ(why_of(result), "no ratios in shelf/store:frames: its reference plain does not have this metric\n");

  const auto without_plain = [](results::Result one) {
    std::erase_if(one.processes,
                  [](const results::Process& process) { return process.benchmark == "shelf/plain/store"; });
    return one;
  };
  result = without_plain(fixture({{"plain", 100}, {"quick", 50}}));
  result.processes.push_back(results::fixture_process("shelf/plain/other", 0, 1));
  EXPECT_EQ(why_of(result), "no ratios in shelf/store: its reference plain did not run it\n");
  result.unsupported = {{"shelf/plain/store", "it cannot store"}};
  EXPECT_EQ(why_of(result), "no ratios in shelf/store: its reference plain does not run it: it cannot store\n");
  result.unsupported.clear();
  result.failures = {{"shelf/plain/store", 0, 0, "crash", "SIGSEGV", ""}};
  EXPECT_EQ(why_of(result), "no ratios in shelf/store: its reference plain failed\n");

  result = without_plain(fixture({{"quick", 50}}));
  std::erase_if(result.variants, [](const results::VariantCard& variant) { return variant.reference; });
  EXPECT_EQ(why_of(result),
            "no ratios in shelf: its reference is not in this session; `list --json` names it, and a second --filter "
            "adds it\n");
}

TEST(RunTable, has_no_exponents) {
  const std::string table = run_table(fixture({{"plain", 0.0001}, {"quick", 90000}}, 1), 0);
  EXPECT_NE(table.find("  plain  0.0001"), std::string::npos) << table;
  EXPECT_NE(table.find("900000000x"), std::string::npos) << table;
}

TEST(RunTable, of_an_unfit_session_marks_what_is_not_judged) {
  results::Result result = fixture({{"plain", 100}, {"quick", 50}}, 12);
  const std::vector<results::Process> heads = result.processes;
  for (results::Process process : heads) {
    process.arm = results::kControl;
    process.real_time *= 2;
    result.processes.push_back(process);
  }
  EXPECT_NE(run_table(result, 0).find("shelf/store: ns per pair, 12 processes, disturbed, not judged\n"),
            std::string::npos);
}

TEST(RunTable, has_the_medians_of_the_undisturbed_blocks) {
  results::Result result = fixture({{"plain", 100}, {"quick", 50}}, 10);
  for (int block = 0; block < 10; ++block)
    result.session.disturbances.push_back({block, 10, block < 4 ? 17.0 : 0.0, 0});
  const std::string table = run_table(result, 0);
  EXPECT_NE(table.find("shelf/store: ns per pair, 6 processes\n"), std::string::npos) << table;
  EXPECT_NE(table.find("  106.5  "), std::string::npos) << table;
}

}  // namespace lab::report
