#include "harness/measure/turns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/results/result_fixture.h"

namespace lab::measure {

namespace {

using Names = std::vector<std::string>;

TurnCandidate candidate(const std::string& variant, const std::string& workload, bool core, std::string last_measured,
                        double seconds = 10) {
  return {fmt::format("shelf/{}/{}", variant, workload),
          "shelf/" + workload,
          variant == "plain",
          core,
          std::move(last_measured),
          seconds};
}

/// Both variants of a workload.
std::vector<TurnCandidate> pair_of(const std::string& workload, bool core, const std::string& last_measured) {
  return {candidate("plain", workload, core, last_measured), candidate("quick", workload, core, last_measured)};
}

std::vector<TurnCandidate> joined(std::initializer_list<std::vector<TurnCandidate>> lists) {
  std::vector<TurnCandidate> all;
  for (const std::vector<TurnCandidate>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// The workloads of the turns, in order, then "|" and those that wait.
std::string text_of(const Turns& turns) {
  Names measured;
  for (const Names& turn : turns.measured) measured.push_back(fmt::format("{}", fmt::join(turn, "+")));
  return fmt::format("{} | {}", fmt::join(measured, " "), fmt::join(turns.waiting, " "));
}

results::Process process_of(const std::string& benchmark, int block, double wall_seconds) {
  results::Process process = results::fixture_process(benchmark, block, 100);
  process.wall_seconds = wall_seconds;
  process.repetitions = 10;
  process.operations = 1000;
  process.timed_seconds = 0.02;
  process.cpu_time = 0;
  return process;
}

}  // namespace

TEST(ChooseTurns, measures_all_that_fits) {
  EXPECT_EQ(text_of(choose_turns(joined({pair_of("drop", false, ""), pair_of("store", true, "")}), 40)),
            "shelf/plain/store+shelf/quick/store shelf/plain/drop+shelf/quick/drop | ");
  EXPECT_EQ(text_of(choose_turns({}, 40)), " | ");
}

TEST(ChooseTurns, always_measures_core_workloads_and_of_the_others_the_oldest_with_all_variants) {
  const std::vector<TurnCandidate> all = joined({pair_of("a", false, "2026-08-02"), pair_of("b", false, "2026-08-01"),
                                                 pair_of("c", true, "2026-08-03"), pair_of("d", false, "2026-08-02")});
  EXPECT_EQ(text_of(choose_turns(all, 59)),
            "shelf/plain/c+shelf/quick/c shelf/plain/b+shelf/quick/b | "
            "shelf/plain/a shelf/plain/d shelf/quick/a shelf/quick/d");
}

TEST(ChooseTurns, begins_with_what_was_never_measured_and_with_a_workload_that_has_a_new_variant) {
  const std::vector<TurnCandidate> all =
      joined({pair_of("a", false, "2026-08-01"),
              pair_of("b", false, ""),
              {candidate("plain", "c", false, "2026-08-09"), candidate("quick", "c", false, "")}});
  EXPECT_EQ(text_of(choose_turns(all, 40)),
            "shelf/plain/b+shelf/quick/b shelf/plain/c+shelf/quick/c | shelf/plain/a shelf/quick/a");
}

TEST(ChooseTurns, fills_the_time_that_a_larger_workload_leaves_and_measures_that_one_next) {
  std::vector<TurnCandidate> all = joined({{candidate("plain", "large", false, "2026-08-02", 70)},
                                           {candidate("plain", "a", false, "2026-08-01", 40)},
                                           {candidate("plain", "b", false, "2026-08-03", 40)}});
  EXPECT_EQ(text_of(choose_turns(all, 80)), "shelf/plain/a shelf/plain/b | shelf/plain/large");
  for (const std::size_t measured : {1U, 2U}) all[measured].last_measured = "2026-08-04";
  EXPECT_EQ(text_of(choose_turns(all, 80)), "shelf/plain/large | shelf/plain/a shelf/plain/b");
}

TEST(ChooseTurns, measures_a_workload_too_large_for_any_session_in_parts_each_with_the_reference) {
  std::vector<TurnCandidate> all = pair_of("store", true, "");
  for (const char* variant : {"plain", "v1", "v2", "v3"}) all.push_back(candidate(variant, "drop", false, ""));
  EXPECT_EQ(text_of(choose_turns(all, 50)),
            "shelf/plain/store+shelf/quick/store shelf/plain/drop+shelf/v1/drop+shelf/v2/drop | shelf/v3/drop");
  for (const std::size_t measured : {2U, 3U, 4U}) all[measured].last_measured = "2026-08-01";
  EXPECT_EQ(text_of(choose_turns(all, 50)),
            "shelf/plain/store+shelf/quick/store shelf/plain/drop+shelf/v3/drop+shelf/v1/drop | shelf/v2/drop");
  EXPECT_EQ(text_of(choose_turns(all, 30)),
            "shelf/plain/store+shelf/quick/store | "
            "shelf/plain/drop shelf/v1/drop shelf/v2/drop shelf/v3/drop")
      << "a reference alone gives no ratio";
}

TEST(ChooseTurns, measures_at_least_one_benchmark) {
  EXPECT_EQ(text_of(choose_turns(pair_of("store", true, ""), 1)), "shelf/plain/store | shelf/quick/store");
}

TEST(Remember, knows_when_each_benchmark_last_had_a_turn_and_what_it_costs) {
  results::Result result = results::fixture_result(0);
  result.session.started = "2026-08-02T23:15:00Z";
  result.workloads[0].family = "shelf";
  const std::string name = result.workloads[0].name;
  for (int block = 0; block < 6; ++block) {
    // The first blocks also collect exact metrics.
    result.processes.push_back(process_of("shelf/plain/store", block, block < 4 ? 0.9 : 0.06));
    if (block < 5) result.processes.push_back(process_of("shelf/few/store", block, 0.1));
  }
  result.failures = {{"shelf/crashing/store", 0, 0, "crash", "", ""}, {"shelf/careless", 0, 0, "conformance", "", ""}};
  result.session.waiting = {{"shelf/late/store", 0.25}, {"shelf/plain/drop", std::nullopt}};
  PastTurns past;
  past["shelf/late/store"].measured = "2026-08-01T00:00:00Z";
  remember(result, past);
  Names known;
  for (const auto& [benchmark, turn] : past)
    known.push_back(fmt::format("{} {} {}", benchmark, turn.measured.substr(0, 10),
                                turn.overhead ? fmt::format("{:.3f}", *turn.overhead) : "unknown"));
  EXPECT_EQ(known, (Names{"shelf/careless/" + name + " 2026-08-02 unknown", "shelf/crashing/store 2026-08-02 unknown",
                          "shelf/few/store  0.080", "shelf/late/store 2026-08-01 0.230",
                          "shelf/plain/store 2026-08-02 0.040"}));
}

TEST(Remember, prefers_the_later_result) {
  PastTurns past;
  for (const char* started : {"2026-08-03", "2026-08-02"}) {
    results::Result result = results::fixture_result(0);
    result.session.started = started;
    for (int block = 0; block < 6; ++block)
      result.processes.push_back(process_of("shelf/plain/store", block, started[9] == '3' ? 0.5 : 0.9));
    remember(result, past);
  }
  EXPECT_EQ(past["shelf/plain/store"].measured, "2026-08-03");
  EXPECT_NEAR(*past["shelf/plain/store"].overhead, 0.48, 1e-9);
}

TEST(Overhead, includes_the_least_repetitions_and_the_untimed_part_of_each) {
  results::Result result = results::fixture_result(0);
  result.processes = {process_of("shelf/plain/store", 0, 2)};
  result.processes[0].timed_seconds = 0.2;             // ten repetitions
  result.processes[0].cpu_time = 0.1 / (1e-9 * 1000);  // 0.1 s of CPU time in each, 0.02 s of it timed
  result.processes[0].warmup = results::Warmup{3, 0.4, true};
  // 2 s - 0.4 s of warm-up - 10 x 0.1 s, and five repetitions instead of 0.05 s.
  EXPECT_NEAR(overheads_of(result).at("shelf/plain/store"), 0.6 + 0.5 - kLeastSeconds, 1e-9);
}

}  // namespace lab::measure
