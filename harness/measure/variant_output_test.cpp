#include "harness/measure/variant_output.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/error.h"

namespace lab::measure {

namespace {

const results::WorkloadInfo kStore{"fake", "store", "Put and get", 2, {"put", "get"}, 10, "pair", false};

const std::string kMeasured =
    R"({"protocol":2,"benchmark":"fake/quick/store","version":2,"seed":7,"threads":1,"checksum":"00112233445566ff",)"
    R"("operations":10,"repetitions":3,"samples":{"put":[600,500,400],"get":[300,300,200]},"counters":{"metadata_bytes":64},)"
    R"("cpu_time":800})";

const std::string kDescribed =
    R"({"protocol":2,"family":"fake","variant":"quick","idea":"i","cost":"c","source":"s","weakness":"w","traits":{"moves":"no"},)"
    R"("workloads":[{"name":"store","title":"Put","version":2,"phases":["put","get"],"operations":10,"operation":"pair",)"
    R"("parallel":true,"unsupported":null},{"name":"drop","title":"Drop","version":1,"phases":["all"],"operations":1,)"
    R"("operation":"op","parallel":false,"unsupported":"it never forgets"}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string complaint(const std::string& output) {
  const Expected<results::Process> process = parse_measurement(output, {"fake/quick/store", &kStore, 7});
  return process ? "" : process.error().what;
}

std::string complaint(const std::string& from, const std::string& to) {
  return complaint(replaced(kMeasured, from, to));
}

std::string description_complaint(const std::string& from, const std::string& to) {
  const Expected<Description> description = parse_description(replaced(kDescribed, from, to));
  return description ? "" : description.error().what;
}

}  // namespace

TEST(VariantOutput, of_run_becomes_a_process) {
  const Expected<results::Process> process = parse_measurement(kMeasured + "\n", {"fake/quick/store", &kStore, 7});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_DOUBLE_EQ(process->real_time, 80);  // the median of 900, 800 and 600, over 10 operations
  EXPECT_DOUBLE_EQ(process->cpu_time, 80);
  EXPECT_EQ(process->checksum, "00112233445566ff");
  EXPECT_EQ(process->repetitions, 3u);
  EXPECT_EQ(process->samples.at("put"), (std::vector<double>{600, 500, 400}));
  EXPECT_EQ(process->counters.at("metadata_bytes"), 64);
}

TEST(VariantOutput, of_run_has_the_warmup_if_the_executable_reports_it) {
  const ProcessRequest request{"fake/quick/store", &kStore, 7};
  EXPECT_FALSE(parse_measurement(kMeasured, request)->warmup);  // as executables of earlier revisions
  const std::string words = R"("counters":{"metadata_bytes":64},)";
  const Expected<results::Process> process = parse_measurement(
      replaced(kMeasured, words, words + R"("warmup":{"repetitions":5,"seconds":0.25,"stationary":false},)"), request);
  ASSERT_TRUE(process) << process.error().what;
  ASSERT_TRUE(process->warmup);
  EXPECT_EQ(process->warmup->repetitions, 5u);
  EXPECT_EQ(process->warmup->seconds, 0.25);
  EXPECT_FALSE(process->warmup->stationary);
  EXPECT_EQ(complaint(words, words + R"("warmup":{"repetitions":5,"seconds":-1,"stationary":true},)"),
            "warmup: expected 0 or more seconds, found -1");
}

TEST(VariantOutput, of_an_executable_with_protocol_1_is_read) {
  const std::string old = replaced(replaced(kMeasured, "\"protocol\":2", "\"protocol\":1"), "\"cpu_time\":800",
                                   R"("real_time":766.6,"cpu_time":800,"time_unit":"ns")");
  const Expected<results::Process> process = parse_measurement(old, {"fake/quick/store", &kStore, 7});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_DOUBLE_EQ(process->real_time, 80);
  EXPECT_EQ(description_complaint("\"protocol\":2", "\"protocol\":1"), "");
}

TEST(VariantOutput, of_run_is_the_median_of_the_repetitions_and_not_the_sum_of_the_phases_medians) {
  const Expected<results::Process> process =
      parse_measurement(replaced(kMeasured, "[300,300,200]", "[200,300,500]"), {"fake/quick/store", &kStore, 7});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_DOUBLE_EQ(process->real_time, 80);  // of 800, 800 and 900; the medians are 500 and 300
  const Expected<results::Process> uneven =
      parse_measurement(replaced(kMeasured, "[300,300,200]", "[200,600,500]"), {"fake/quick/store", &kStore, 7});
  EXPECT_DOUBLE_EQ(uneven->real_time, 90);  // of 800, 1100 and 900; the medians are 500 and 500
}

TEST(VariantOutput, of_run_is_checked_completely) {
  EXPECT_EQ(complaint(""), "standard output: empty");
  EXPECT_EQ(complaint("hello"), "standard output: not JSON: byte 0: syntax error before 'hello'");
  EXPECT_EQ(complaint(kMeasured + kMeasured),
            fmt::format("standard output: not JSON: byte {}: extra data before '{{\"protocol\":'", kMeasured.size()));
  EXPECT_EQ(complaint("\xff"), "standard output: not JSON: byte 0: syntax error before '?'");
  EXPECT_EQ(complaint("[]"), "the document: expected an object, found an array");
  EXPECT_EQ(complaint("{}"), "protocol: missing");
  EXPECT_EQ(complaint("\"protocol\":2", "\"protocol\":4"), "protocol 4, this build supports 1 to 3");
  EXPECT_EQ(complaint("fake/quick", "fake/other"), "expected benchmark fake/quick/store, found fake/other/store");
  EXPECT_EQ(complaint("\"version\":2", "\"version\":3"), "expected version 2 of the workload, found 3");
  EXPECT_EQ(complaint("\"seed\":7", "\"seed\":8"), "expected seed 7, found 8");
  EXPECT_EQ(complaint("\"operations\":10", "\"operations\":0"), "expected 10 operations, found 0");
  EXPECT_EQ(complaint("00112233445566ff", "xyz"), "checksum: expected 16 hex digits, found 'xyz'");
  EXPECT_EQ(complaint("\"repetitions\":3", "\"repetitions\":0"), "expected at least one repetition, found none");
  EXPECT_EQ(complaint("\"repetitions\":3", "\"repetitions\":4"), "phase 'put': expected 4 samples, found 3");
  EXPECT_EQ(complaint("\"get\"", "\"got\""), "expected samples of phase 'get', found none");
  EXPECT_EQ(complaint(",\"get\":[300,300,200]", ""), "expected samples of 2 phases, found 1");
  EXPECT_EQ(complaint("600", "-600"), "phase 'put': found a negative time");
  EXPECT_EQ(complaint("600", "null"), "samples.put[0]: expected a finite number, found null");
  EXPECT_EQ(complaint("600", "NaN"), "standard output: not JSON: byte 158: syntax error before 'NaN,500,400]'");
  EXPECT_NE(complaint("600", "1e999"), "");
  EXPECT_EQ(complaint("[600,500,400],\"get\":[300,300,200]", "[0,0,0],\"get\":[0,0,0]"),
            "expected a median time above 0, found 0");
  EXPECT_EQ(complaint("\"cpu_time\":800", "\"cpu_time\":-1"), "cpu_time: expected 0 or more, found -1");
  EXPECT_EQ(complaint(",\"cpu_time\":800", ""), "cpu_time: missing");
}

TEST(VariantOutput, of_run_keeps_evenly_spread_samples_and_the_median_of_all) {
  std::string put;
  std::string get;
  for (int i = 0; i < 5000; ++i) {
    put += fmt::format("{}{}", i == 0 ? "" : ",", 1000 + i);
    get += i == 0 ? "0" : ",0";
  }
  std::string text = replaced(kMeasured, "600,500,400", put);
  text = replaced(text, "300,300,200", get);
  text = replaced(text, "\"repetitions\":3", "\"repetitions\":5000");
  const Expected<results::Process> process = parse_measurement(text, {"fake/quick/store", &kStore, 7});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_EQ(process->repetitions, 5000u);
  EXPECT_DOUBLE_EQ(process->real_time, 349.95);
  ASSERT_EQ(process->samples.at("put").size(), kKeptSamples);
  EXPECT_EQ(process->samples.at("put")[0], 1000);
  EXPECT_EQ(process->samples.at("put")[999], 5995);
}

TEST(VariantOutput, of_describe_becomes_a_variant_and_its_workloads) {
  const Expected<Description> description = parse_description(kDescribed);
  ASSERT_TRUE(description) << description.error().what;
  EXPECT_EQ(description->variant.name, "quick");
  EXPECT_EQ(description->variant.traits.at("moves"), "no");
  ASSERT_EQ(description->offers.size(), 2u);
  EXPECT_EQ(description->offers[0].workload.family, "fake");
  EXPECT_TRUE(description->offers[0].workload.parallel);
  EXPECT_EQ(description->offers[0].unsupported, "");
  EXPECT_EQ(description->offers[1].unsupported, "it never forgets");
}

TEST(VariantOutput, of_describe_is_checked) {
  EXPECT_EQ(description_complaint("\"family\":\"fake\"", "\"family\":\"a/b\""), "'a/b/quick' is not a variant's name");
  EXPECT_EQ(description_complaint("\"name\":\"store\"", "\"name\":\"\""), "'' is not a workload's name");
  EXPECT_EQ(description_complaint("\"operations\":10", "\"operations\":0"),
            "workload store: expected operations, how many 'pair' a repetition is, found 0");
  EXPECT_EQ(description_complaint("[\"put\",\"get\"]", "[]"), "workload store: expected phases, found none");
  EXPECT_EQ(description_complaint("\"version\":2,", ""), "workloads[0].version: missing");
  EXPECT_EQ(description_complaint("\"protocol\":2", "\"protocol\":0"), "protocol 0, this build supports 1 to 3");
}

TEST(VariantOutput, of_a_sweep_becomes_one_process_with_all_its_points) {
  results::WorkloadInfo sweep = kStore;
  sweep.axis = bench::Axis{"threads", "", {{1, 0}, {4, 40}}};
  const std::string output =
      R"({"protocol":3,"benchmark":"fake/quick/store","version":2,"seed":7,"threads":1,"points":[)"
      R"({"at":1,"checksum":"00112233445566ff","operations":10,"repetitions":3,"samples":{"put":[600,500,400],)"
      R"("get":[300,300,200]},"warmup":{"repetitions":2,"seconds":0.5,"stationary":true},"counters":{"rss":1},"cpu_time":80},)"
      R"({"at":4,"checksum":"00112233445566ff","operations":40,"repetitions":1,"samples":{"put":[100],"get":[700]},)"
      R"("warmup":{"repetitions":3,"seconds":0.25,"stationary":false},"counters":{"rss":4},"cpu_time":80}]})";
  const Expected<results::Process> process = parse_measurement(output, {"fake/quick/store", &sweep, 7});
  ASSERT_TRUE(process) << process.error().what;
  EXPECT_DOUBLE_EQ(process->real_time, std::sqrt(80.0 * 20));
  EXPECT_EQ(process->repetitions, 4u);
  EXPECT_EQ(process->samples.size(), 0u);
  EXPECT_DOUBLE_EQ(process->counters.at("rss"), 2);
  EXPECT_EQ(process->warmup->repetitions, 5u);
  EXPECT_FALSE(process->warmup->stationary);
  ASSERT_EQ(process->points.size(), 2u);
  EXPECT_EQ(process->points[1].samples.at("get"), std::vector<double>{700});
  EXPECT_NE(process->checksum, "00112233445566ff");  // of both points

  const auto problem = [&](const std::string& from, const std::string& to) {
    const auto parsed = parse_measurement(replaced(output, from, to), {"fake/quick/store", &sweep, 7});
    return parsed ? "" : parsed.error().what;
  };
  EXPECT_EQ(problem(R"("at":4)", R"("at":5)"), "expected points 1, 4 of its axis, found 1, 5");
  EXPECT_EQ(problem(R"("operations":40)", R"("operations":10)"), "expected 40 operations, found 10");
  EXPECT_EQ(problem(R"("put":[100])", R"("put":[100, 1])"), "phase 'put': expected 1 samples, found 2");
}

TEST(VariantOutput, of_describe_may_declare_metrics_an_axis_a_tolerance_and_exhibits) {
  const std::string rich = replaced(
      kDescribed, R"("unsupported":null})",
      R"("metrics":[{"name":"rss","title":"Resident","unit":"bytes","kind":"memory","better":"less","costly":false}],)"
      R"("primary":"rss","axis":{"name":"n","unit":"","points":[{"at":1,"operations":0}]},)"
      R"("tolerance":{"distance":"root mean square","most":0.5,"unit":"m"},)"
      R"("exhibits":[{"name":"p","title":"P","kind":"image"}],"unsupported":null})");
  const Expected<Description> description = parse_description(rich);
  ASSERT_TRUE(description) << description.error().what;
  const results::WorkloadInfo& workload = description->offers.front().workload;
  EXPECT_EQ(workload.metrics.front().kind, results::MetricKind::kMemory);
  EXPECT_EQ(workload.primary, "rss");
  EXPECT_EQ(workload.axis->points.front().at, 1);
  EXPECT_EQ(workload.tolerance->distance, bench::Distance::kRootMeanSquare);
  EXPECT_EQ(workload.exhibits.front().kind, results::ExhibitKind::kImage);

  const auto problem = [&](const std::string& from, const std::string& to) {
    const Expected<Description> parsed = parse_description(replaced(rich, from, to));
    return parsed ? "" : parsed.error().what;
  };
  EXPECT_EQ(problem(R"("kind":"memory")", R"("kind":"smell")"),
            "workloads[0].metrics[0].kind: expected one of time, exact, quality, memory, found 'smell'");
  EXPECT_EQ(problem(R"("primary":"rss")", R"("primary":"speed")"),
            "workload store: expected one of its metrics as the primary one, found 'speed'");
  EXPECT_EQ(problem(R"([{"at":1,"operations":0}])", "[]"), "workload store: expected points on its axis, found none");
  EXPECT_EQ(problem(R"({"name":"p")", R"({"name":"../p")"), "workload store: '../p' is not an exhibit's name");
  EXPECT_EQ(problem(R"({"name":"rss")", R"({"name":"a:b")"), "workload store: 'a:b' is not a metric's name");
}

}  // namespace lab::measure
