#include "harness/app/compare.h"

#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/report/comparison_sentences.h"
#include "harness/results/atlas.h"
#include "harness/results/google_benchmark.h"
#include "harness/results/result_fixture.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = scratch_.path() / name;
    if (!write_file(path, text)) std::abort();
    return path.string();
  }
  std::string result(const std::string& name, int blocks = 8) const {
    return write(name, results::serialize(results::fixture_result(blocks)));
  }
  /// The error's sentence, without the folder; "" where there is none.
  std::string complaint(const std::vector<std::string>& names) const {
    const auto comparison = compare_files(names, {}, false);
    if (comparison) return "";
    EXPECT_EQ(comparison.error().status, ExitStatus::kUsage) << comparison.error().what;
    std::string what = comparison.error().what;
    const std::string folder = scratch_.path().string() + "/";
    for (std::size_t at = what.find(folder); at != std::string::npos; at = what.find(folder))
      what.erase(at, folder.size());
    return what;
  }
  ScratchFolder scratch_;
};

std::string google(const std::string& entries, const std::string& host = "farm") {
  return fmt::format(R"({{"context": {{"date": "2026-08-02", "host_name": "{}", "num_cpus": 8}}, "benchmarks": [{}]}})",
                     host, entries);
}

/// `count` repetitions of BM_sort, the first at `time` microseconds.
std::string repetitions(double time, int count, double step = 0.001) {
  std::string entries;
  for (int i = 0; i < count; ++i)
    entries += fmt::format(
        R"({}{{"name": "BM_sort/8/repeats:{}", "run_name": "BM_sort/8", "run_type": "iteration", "repetition_index": {},
              "iterations": 7, "real_time": {}, "cpu_time": 1, "time_unit": "us"}})",
        i == 0 ? "" : ",", count, i, time + step * i);
  entries += R"(,{"name": "BM_sort/8_mean", "run_name": "BM_sort/8", "run_type": "aggregate", "aggregate_name": "mean",
                "real_time": 1, "cpu_time": 1, "time_unit": "us"})";
  return entries;
}

}  // namespace

TEST_F(Files, that_cannot_be_compared_are_rejected_with_one_sentence) {
  const std::string good = result("good.json"), whole = results::serialize(results::fixture_result(2));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const struct {
    std::string name, text, complaint;
  } rows[]{
      {"empty.json", "", "empty.json: empty"},
      {"cut.json", whole.substr(0, whole.size() / 2),
       fmt::format("cut.json: truncated: the JSON does not end within {} bytes", whole.size() / 2)},
      {"foreign.json", R"({"hello": 1})", "foreign.json: not a result: it has no 'schema'"},
      {"array.json", "[1]", "array.json: not a result: it has no 'schema'"},
      {"text.json", "hello", "text.json: not JSON: byte 0: syntax error before 'hello'"},
      {"schema.json", changed("\"schema\": 2", "\"schema\": 99"), "schema.json: schema 99, this build reads 1 to 2"},
      {"zero.json", changed("\"real_time\":100", "\"real_time\":0"),
       "zero.json: shelf/plain/store, process 0: real_time is 0, expected more than 0"},
      {"negative.json", changed("\"real_time\":100", "\"real_time\":-5"),
       "negative.json: shelf/plain/store, process 0: real_time is -5, expected more than 0"},
      {"no_benchmark.json", results::serialize(results::fixture_result(0)),
       "no benchmark in common: base has 2, head has 0"},
      {"google.json", google(repetitions(1, 2)),
       "expected two of one kind, found a result in 'good.json' and a Google Benchmark file in 'google.json'"},
      {"google_null.json", google(R"({"name": "a", "real_time": null})"),
       "google_null.json: benchmarks[0].real_time: expected a finite number, found null"},
      {"google_zero.json", google(R"({"name": "a", "real_time": 0})"),
       "google_zero.json: a: real_time is 0, expected more than 0"},
      {"google_unit.json", google(R"({"name": "a", "real_time": 1, "time_unit": "h"})"),
       "google_unit.json: a: expected a time_unit of ns, us, ms or s, found 'h'"},
      {"google_none.json", google(""), "google_none.json: none of its 0 entries is a time"},
      {"google_object.json", R"({"context": {}, "benchmarks": {}})",
       "google_object.json: benchmarks: expected an array, found an object"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(complaint({good, write(row.name, row.text)}), row.complaint) << row.name;
  }
  EXPECT_NE(complaint({good, write("nan.json", changed("\"real_time\":100", "\"real_time\":NaN"))}).find("not JSON"),
            std::string::npos);
  EXPECT_NE(complaint({good, "/nowhere/at/all.json"}), "");
  EXPECT_EQ(complaint({good, scratch_.path().string()}).find("expected an atlas in folder"), 0u);
}

TEST_F(Files, of_one_session_twice_are_not_judged) {
  const std::string good = result("good.json");
  const auto comparison = compare_files({good, good}, {}, false);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->rows.size(), 2u);
  EXPECT_EQ(comparison->tested, 0u);
}

TEST_F(Files, with_one_process_several_times_are_rejected) {
  results::Result copied = results::fixture_result(1);
  for (int i = 0; i < 7; ++i) copied.processes.push_back(copied.processes[0]);
  const std::string good = result("good.json"), bad = write("bad.json", results::serialize(copied));
  EXPECT_EQ(complaint({good, bad}), "bad.json: shelf/plain/store: process 0 appears 8 times, expected once");
  EXPECT_EQ(complaint({bad}), "bad.json: shelf/plain/store: process 0 appears 8 times, expected once");
}

TEST_F(Files, of_google_benchmark_give_no_verdict_and_the_reason) {
  const std::string base = write("a.json", google(repetitions(1, 20))),
                    head = write("b.json", google(repetitions(2, 20)));
  const auto comparison = compare_files({base, head}, {}, false);
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->rows.size(), 1u);
  EXPECT_EQ(comparison->rows[0].benchmark, "BM_sort/8");
  EXPECT_EQ(comparison->rows[0].verdict, judge::Verdict::kUnknown);
  EXPECT_NEAR(comparison->rows[0].base_value, 1009.5, 1e-6);
  EXPECT_EQ(report::warnings_of(*comparison).at(0).find("a Google Benchmark file is one process"), 0u);
}

TEST_F(Files, of_google_benchmark_give_verdicts_if_repetitions_are_independent) {
  const std::string base = write("a.json", google(repetitions(1, 20))),
                    head = write("b.json", google(repetitions(1.5, 13)));
  judge::CompareSettings settings;
  const auto comparison = compare_files({base, head}, settings, true);
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->rows[0].verdict, judge::Verdict::kRegressed);
  EXPECT_EQ(comparison->rows[0].base_processes, 20u);
  EXPECT_EQ(comparison->rows[0].head_processes, 13u);
  EXPECT_TRUE(comparison->interleaved);
  const std::string elsewhere = write("c.json", google(repetitions(1.5, 13), "another"));
  EXPECT_EQ(compare_files({base, elsewhere}, settings, true).error().what,
            "expected files of one machine, found 'farm, 8 CPUs' and 'another, 8 CPUs'");
  settings.allow_machines = true;
  EXPECT_EQ(compare_files({base, elsewhere}, settings, true)->rows[0].reason, judge::Reason::kMachine);
  EXPECT_EQ(compare_files({base, base}, settings, true)->rows[0].reason, judge::Reason::kIdentical);
}

TEST_F(Files, of_google_benchmark_report_which_benchmark_failed) {
  const std::string base = write("a.json", google(repetitions(1, 2) + R"(,{"name": "BM_x", "real_time": 1})"));
  const std::string head = write(
      "b.json", google(repetitions(1, 2) +
                       R"(,{"name": "BM_x", "error_occurred": true, "error_message": "no file", "real_time": 0})"));
  EXPECT_EQ(report::names_of(compare_files({base, head}, {}, false)->only_base),
            (std::vector<std::string>{"BM_x (error: no file)"}));
}

TEST_F(Files, given_alone_need_both_arms) {
  EXPECT_EQ(complaint({result("good.json")}).find("expected a session with the arms head and base, found only head"),
            0u);
  EXPECT_EQ(complaint({write("g.json", google(repetitions(1, 2)))}),
            "expected a session with the arms head and base, found a Google Benchmark file in 'g.json'");
}

TEST_F(Files, that_are_folders_are_atlases) {
  results::DriverColumn column;
  column.name = "lavapipe-1";
  column.images = {{1, 1, 64, 16, 7}};
  ASSERT_TRUE(results::save_column(column, scratch_.path() / "a"));
  column.images[0].size = 128;
  ASSERT_TRUE(results::save_column(column, scratch_.path() / "b"));
  const std::string a = (scratch_.path() / "a").string(), b = (scratch_.path() / "b").string();
  const auto comparison = compare_files({a, b}, {}, false);
  ASSERT_TRUE(comparison) << comparison.error().what;
  EXPECT_EQ(comparison->exact.size(), 1u);
  EXPECT_EQ(compare_files({a + "/lavapipe-1", b + "/lavapipe-1"}, {}, false)->exact.size(), 1u);
}

}  // namespace lab::app
