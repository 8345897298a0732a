#include "harness/bench/variant.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <thread>

namespace lab::bench {

namespace {

namespace json = boost::json;

/// Spends its time as `spend` says of the repetition's number, from 0; counts how often it was repeated.
class Repeated : public Task {
 public:
  explicit Repeated(std::function<void(int)> spend) : spend_(std::move(spend)) {}

  std::uint64_t repeat(PhaseClock& clock) override {
    clock.time(0, [&] { spend_(repetitions_); });
    ++repetitions_;
    return 7;
  }
  std::map<std::string, double> counters() const override { return {{"repeated", repetitions_}}; }

 private:
  std::function<void(int)> spend_;
  int repetitions_ = 0;
};

struct Ran {
  std::int64_t repeated = 0, warmup = 0;
  std::size_t samples = 0;
};

Ran run(const std::function<void(int)>& spend, std::string seconds) {
  Variant variant;
  variant.family = "made_up";
  variant.name = "plain";
  Workload workload;
  workload.name = "spend";
  workload.phases = {"all"};
  workload.prepare = [&](const Parameters&) { return std::make_unique<Repeated>(spend); };
  variant.workloads = {workload};
  std::vector<std::string> words{"plain", "--run", "spend", "--seconds", std::move(seconds)};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  EXPECT_EQ(variant_main(static_cast<int>(arguments.size()), arguments.data(), variant), 0);
  const json::value told = json::parse(testing::internal::GetCapturedStdout());
  EXPECT_GE(told.at("warmup").at("seconds").to_number<double>(), 0);
  EXPECT_EQ(told.at("samples").at("all").as_array().size(), told.at("repetitions").to_number<std::size_t>());
  return {static_cast<std::int64_t>(told.at("counters").at("repeated").to_number<double>()),
          told.at("warmup").at("repetitions").to_number<std::int64_t>(),
          told.at("samples").at("all").as_array().size()};
}

void spin(int rounds) {
  for (int i = 0; i < rounds; ++i) asm volatile("" : : "r"(i));
}

}  // namespace

TEST(Run, keeps_every_repetition_that_is_no_warm_up) {
  // Where another process shares the core for the former half, the slow ones are no farther off than that half.
  std::int64_t warmup = 0;
  for (int attempt = 0; attempt < 20 && warmup < 20; ++attempt) {
    const Ran ran = run([](int repetition) { spin(repetition < 20 ? 40'000 : 1000); }, "0.3");
    EXPECT_EQ(ran.repeated, ran.warmup + static_cast<std::int64_t>(ran.samples));
    warmup = ran.warmup;
  }
  EXPECT_GE(warmup, 20);
}

TEST(Run, keeps_three_repetitions_however_little_time_there_is) {
  const Ran ran = run([](int) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, "0.001");
  EXPECT_EQ(ran.samples, 3u);
  EXPECT_EQ(ran.warmup, 2);
}

TEST(Run, ends_in_time_where_later_repetitions_take_longer) {
  const Ran ran = run(
      [](int repetition) {
        if (repetition > 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      },
      "0.2");
  EXPECT_LE(ran.repeated, 3 + 200 / 20);
}

}  // namespace lab::bench
