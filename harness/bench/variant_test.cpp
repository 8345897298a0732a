#include "harness/bench/variant.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <thread>

namespace lab::bench {

namespace {

namespace json = boost::json;

class Sleeps : public Task {
 public:
  std::uint64_t repeat(PhaseClock& clock) override {
    clock.time(0, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
    return 0xabc;
  }
};

}  // namespace

TEST(Run, prints_its_measurement_as_one_object) {
  Variant variant;
  variant.family = "fixture";
  variant.name = "plain";
  Workload workload;
  workload.name = "sleep";
  workload.version = 3;
  workload.phases = {"all"};
  workload.operations = 10;
  workload.prepare = [](const Case&) { return std::make_unique<Sleeps>(); };
  variant.workloads = {workload};
  std::vector<std::string> words{"plain", "--run", "sleep", "--seed", "5", "--threads", "2", "--seconds", "0.001"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  EXPECT_EQ(variant_main(static_cast<int>(arguments.size()), arguments.data(), variant), 0);
  json::object printed = json::parse(testing::internal::GetCapturedStdout()).as_object();
  // What the real clocks say.
  const json::array samples = printed["samples"].at("all").as_array();
  for (const json::value& sample : samples) EXPECT_GE(sample.to_number<double>(), 2e6);
  EXPECT_GE(printed["warmup"].at("seconds").to_number<double>(), 4e-3);
  EXPECT_GT(printed["cpu_time"].to_number<double>(), 0);
  printed["samples"] = samples.size();
  printed["warmup"].as_object()["seconds"] = nullptr;
  printed["cpu_time"] = nullptr;
  EXPECT_EQ(json::serialize(printed),
            R"({"protocol":3,"benchmark":"fixture/plain/sleep","version":3,"seed":5,"threads":2,)"
            R"("checksum":"0000000000000abc","operations":10,"repetitions":3,"samples":3,)"
            R"("warmup":{"repetitions":2,"seconds":null,"stationary":true},"counters":{},"cpu_time":null})");
}

}  // namespace lab::bench
