#include "harness/bench/recorder.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <thread>

#include "harness/base/error.h"

namespace lab::bench {

namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t kMillisecond = 1'000'000;

/// A time that passes only when pass() says so, and by `reading` whenever it is read.
struct Fake {
  static inline nanoseconds wall{};
  static inline nanoseconds cpu{};
  static inline nanoseconds reading{};

  static void pass(std::int64_t ns) { wall += nanoseconds(ns); }
  static void compute(std::int64_t ns) { cpu += nanoseconds(ns); }
  static Clock::TimePoint now() noexcept {
    wall += reading;
    return Clock::TimePoint(wall);
  }
  static double cpu_seconds() { return static_cast<double>(cpu.count()) * 1e-9; }
};

/// What one repetition does, by its number from 0; returns the checksum.
using Repeat = std::function<std::uint64_t(int repetition, PhaseClock& clock)>;

class Scripted : public Task {
 public:
  Scripted(const Repeat& script, int& repetitions) : script_(script), repetitions_(repetitions) {}
  std::uint64_t repeat(PhaseClock& clock) override { return script_(repetitions_++, clock); }
  std::map<std::string, double> counters() const override { return {{"cheap", 1}}; }
  std::map<std::string, double> costly_counters() const override { return {{"costly", 2}}; }

 private:
  const Repeat& script_;
  int& repetitions_;
};

class Recording : public testing::Test {
 protected:
  void SetUp() override {
    Fake::wall = Fake::cpu = nanoseconds(0);
    Fake::reading = nanoseconds(0);
    variant_.family = "fixture";
    variant_.name = "plain";
    workload_.name = "spend";
    workload_.phases = {"put", "get"};
    workload_.operations = 1;
    workload_.repeatable = false;  // instructions have their own test
    workload_.prepare = [this](const Case&) {
      Fake::pass(preparation_ns_);
      return std::make_unique<Scripted>(script_, repetitions_);
    };
  }

  Expected<Measurement> record(double seconds, Repeat script, bool exact = false) {
    script_ = std::move(script);
    repetitions_ = 0;
    return measure(variant_, workload_, {.seed = 1, .threads = 1}, {seconds, exact, reference_},
                   {Fake::now, Fake::cpu_seconds});
  }
  /// Every repetition takes what `ns` says, all of it in the first phase.
  Measurement record_times(double seconds, const std::function<std::int64_t(int)>& ns) {
    return record(seconds,
                  [&](int repetition, PhaseClock& clock) {
                    clock.time(0, [&] { Fake::pass(ns(repetition)); });
                    return 7u;
                  })
        .value();
  }

  Variant variant_;
  const Answers* reference_ = nullptr;
  Workload workload_;
  std::int64_t preparation_ns_ = 0;
  Repeat script_;
  int repetitions_ = 0;
};

}  // namespace

TEST_F(Recording, times_what_runs_inside_a_phase_and_nothing_else) {
  preparation_ns_ = 5000;
  const Measurement measurement = record(1e-3, [](int, PhaseClock& clock) {
                                    Fake::pass(1000);  // set-up
                                    clock.time(0, [] { Fake::pass(70); });
                                    Fake::pass(500);
                                    clock.time(1, [] { Fake::pass(30); });
                                    clock.time(0, [] { Fake::pass(7); });  // the rest of the first phase
                                    Fake::pass(2000);                      // clean-up
                                    return 7u;
                                  }).value();
  const std::size_t count = measurement.points.at(0).samples.at(0).size();
  EXPECT_GT(count, 100u);
  EXPECT_EQ(measurement.points.at(0).samples,
            (std::vector<std::vector<double>>{std::vector<double>(count, 77), std::vector<double>(count, 30)}));
  EXPECT_EQ(measurement.benchmark, "fixture/plain/spend");
  EXPECT_EQ(measurement.points.at(0).checksum, 7u);
}

TEST_F(Recording, reads_the_clock_once_before_and_once_after_a_phase) {
  Fake::reading = nanoseconds(1);
  const Measurement measurement = record_times(1e-6, [](int) { return 50; });
  for (const double sample : measurement.points.at(0).samples.at(0)) EXPECT_EQ(sample, 51);
}

TEST_F(Recording, in_no_seconds_repeats_twice_and_keeps_the_second) {
  const Measurement measurement = record_times(0, [](int repetition) { return 50 + repetition; });
  EXPECT_EQ(repetitions_, 2);
  EXPECT_EQ(measurement.points.at(0).samples, (std::vector<std::vector<double>>{{51}, {0}}));
  EXPECT_EQ(measurement.points.at(0).warmup_repetitions, 1u);
}

TEST_F(Recording, counts_page_faults_in_a_last_repetition_that_is_not_timed) {
  constexpr std::size_t kBytes = 1 << 20, kPage = 4096;
  const Repeat touches = [](int, PhaseClock& clock) {
    clock.time(1, [] {
      void* const made = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ::madvise(made, kBytes, MADV_NOHUGEPAGE);
      for (std::size_t at = 0; at < kBytes; at += kPage) static_cast<volatile char*>(made)[at] = 1;
      ::munmap(made, kBytes);
      Fake::pass(1000);
    });
    return 7u;
  };
  const PointMeasurement exact = record(1e-5, touches, true).value().points.at(0);
  const double faults = exact.counters.at("page_faults");
  EXPECT_GE(faults, kBytes / kPage);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they touch bytes of their own
  EXPECT_LE(faults, kBytes / kPage + 20);
#endif
  EXPECT_EQ(exact.samples.at(1).size() + exact.warmup_repetitions + 1, static_cast<std::size_t>(repetitions_));
  EXPECT_FALSE(record(1e-5, touches).value().points.at(0).counters.contains("page_faults"));
}

TEST_F(Recording, keeps_samples_in_the_order_of_the_repetitions) {
  const auto ns = [](int repetition) { return 1000 + repetition * 7 % 10; };
  const Measurement measurement = record_times(1e-4, ns);
  std::vector<double> expected;
  for (int i = static_cast<int>(measurement.points.at(0).warmup_repetitions); i < repetitions_; ++i)
    expected.push_back(static_cast<double>(ns(i)));
  EXPECT_EQ(measurement.points.at(0).samples.at(0), expected);
  EXPECT_GT(expected.size(), 80u);
}

TEST_F(Recording, drops_the_warm_up) {
  const auto slow_for = [this](int slow) {
    const Measurement measurement = record_times(1e-3, [&](int i) { return i < slow ? 4000 : 1000; });
    EXPECT_EQ(measurement.points.at(0).samples.at(0),
              std::vector<double>(static_cast<std::size_t>(repetitions_ - std::max(slow, 2)), 1000));
    EXPECT_TRUE(measurement.points.at(0).stationary);
    return std::pair(measurement.points.at(0).warmup_repetitions, measurement.points.at(0).warmup_seconds);
  };
  EXPECT_EQ(slow_for(0), std::pair(std::size_t{2}, 2000e-9));  // always, for page faults and cold caches
  EXPECT_EQ(slow_for(1), std::pair(std::size_t{2}, 5000e-9));
  EXPECT_EQ(slow_for(10), std::pair(std::size_t{10}, 40000e-9));
}

TEST_F(Recording, drops_at_most_half_of_its_time_as_warm_up) {
  // 2 and 24 repetitions of 100 ns, then 25 of 40 ns: the change comes after the half.
  const Measurement measurement = record_times(3601e-9, [](int i) { return i < 26 ? 100 : 40; });
  EXPECT_EQ(repetitions_, 26 + 25);
  EXPECT_LE(measurement.points.at(0).warmup_seconds, 1800e-9);
  EXPECT_EQ(measurement.points.at(0).samples.at(0).front(), 100);
}

TEST_F(Recording, reports_samples_that_still_become_slower) {
  EXPECT_FALSE(record_times(1e-3, [](int i) { return 1000 + 10 * i; }).points.at(0).stationary);
}

TEST_F(Recording, counts_untimed_parts_towards_its_time_limit) {
  preparation_ns_ = 100 * kMillisecond;
  const auto script = [](int, PhaseClock& clock) {
    Fake::pass(6 * kMillisecond);
    clock.time(0, [] { Fake::pass(4 * kMillisecond); });
    return 7u;
  };
  EXPECT_TRUE(record(1, script));
  // The last one begins where it would not reach the end: at 980 ms.
  EXPECT_EQ(repetitions_, (990 - 100) / 10);
  EXPECT_EQ(Fake::wall, nanoseconds(990 * kMillisecond));
}

TEST_F(Recording, ends_in_time_if_later_repetitions_take_longer) {
  record_times(1, [](int i) { return (i < 10 ? 1 : 100) * kMillisecond; });
  // One that was taken to cost 1 ms began at 10 ms; the others fit.
  EXPECT_EQ(repetitions_, 10 + 9);
  EXPECT_EQ(Fake::wall, nanoseconds(910 * kMillisecond));
}

TEST_F(Recording, keeps_at_least_three_repetitions) {
  const Measurement measurement = record_times(1e-9, [](int) { return kMillisecond; });
  EXPECT_EQ(measurement.points.at(0).samples.at(0).size(), 3u);
  EXPECT_EQ(measurement.points.at(0).warmup_repetitions, 2u);
  EXPECT_EQ(repetitions_, 5);
}

TEST_F(Recording, stops_at_the_maximum_number_of_repetitions) {
  record_times(1, [](int) { return 1; });
  EXPECT_EQ(repetitions_, 2 + static_cast<int>(kMaxRepetitions));
}

TEST_F(Recording, averages_the_cpu_time_over_the_samples) {
  const Measurement measurement = record(1e-3, [](int i, PhaseClock& clock) {
                                    Fake::compute(i < 2 ? 90'000 : 300);  // what is not timed counts
                                    clock.time(0, [] { Fake::pass(1000), Fake::compute(900); });
                                    return 7u;
                                  }).value();
  EXPECT_NEAR(measurement.points.at(0).cpu_time_ns, 1200, 1e-3);
}

TEST_F(Recording, rejects_repetitions_that_read_back_different_contents) {
  const auto recorded = record(1e-6, [](int repetition, PhaseClock& clock) {
    clock.time(0, [] { Fake::pass(10); });
    return repetition == 1 ? 8u : 7u;  // in a warm-up, too
  });
  ASSERT_FALSE(recorded);
  EXPECT_EQ(recorded.error().what, "fixture/plain/spend: two repetitions read back different contents");
}

TEST_F(Recording, collects_costly_counters_only_on_request) {
  const Repeat script = [](int, PhaseClock& clock) {
    clock.time(0, [] { Fake::pass(10); });
    return 7u;
  };
  using Counters = std::map<std::string, double>;
  EXPECT_EQ(record(1e-6, script)->points.at(0).counters, (Counters{{"cheap", 1}}));
  EXPECT_EQ(record(1e-6, script, true)->points.at(0).counters,
            (Counters{{"cheap", 1}, {"costly", 2}, {"page_faults", 0}}));
}

TEST_F(Recording, adds_times_that_a_device_reports) {
  const Measurement measurement = record(1e-4, [](int, PhaseClock& clock) {
                                    clock.time(0, [] { Fake::pass(1000); });
                                    clock.add(1, 250);
                                    clock.add(1, 50);
                                    return 7u;
                                  }).value();
  EXPECT_EQ(measurement.points.at(0).samples.at(0).front(), 1000);
  EXPECT_EQ(measurement.points.at(0).samples.at(1).front(), 300);
}

TEST_F(Recording, measures_all_points_of_a_sweep_in_equal_shares_of_its_time) {
  workload_.axis = Axis{"n", "", {{1, 0}, {2, 20}, {4, 0}}};
  std::vector<double> prepared;
  workload_.prepare = [&](const Case& inputs) {
    prepared.push_back(inputs.point);
    return std::make_unique<Scripted>(script_, repetitions_);
  };
  const Measurement measurement =
      record_times(3e-3, [&](int) { return static_cast<std::int64_t>(1000 * prepared.back()); });
  EXPECT_EQ(prepared, (std::vector<double>{1, 2, 4}));
  ASSERT_EQ(measurement.points.size(), 3u);
  EXPECT_EQ(measurement.points[1].operations, 20u);
  EXPECT_EQ(measurement.points[2].operations, workload_.operations);
  for (const PointMeasurement& point : measurement.points) {
    EXPECT_EQ(point.samples.at(0).front(), 1000 * point.at);
    EXPECT_NEAR(static_cast<double>(point.samples.at(0).size()) * point.at, 1000, 10);
  }

  prepared.clear();
  script_ = [](int, PhaseClock&) { return 7u; };
  const auto first = measure(variant_, workload_, {}, {.seconds = 0, .most_points = 2}, {Fake::now, Fake::cpu_seconds});
  EXPECT_EQ(first->points.size(), 2u);
  EXPECT_EQ(prepared, (std::vector<double>{1, 2}));
}

class Answering : public Task {
 public:
  std::uint64_t repeat(PhaseClock& clock) override {
    clock.time(0, [] { Fake::pass(10); });
    return static_cast<std::uint64_t>(++repetitions_);
  }
  std::vector<float> answer() const override { return {1, 2.5f}; }

 private:
  int repetitions_ = 0;
};

TEST_F(Recording, reports_the_distance_from_the_references_answer) {
  workload_.tolerance = Tolerance{Distance::kMaximum, 1, ""};
  workload_.prepare = [](const Case&) { return std::make_unique<Answering>(); };
  const auto unused = [](int, PhaseClock&) { return 0u; };
  EXPECT_FALSE(record(1e-6, unused)->points.at(0).counters.contains("error"));
  const Answers reference{{1, 2}};
  reference_ = &reference;
  EXPECT_EQ(record(1e-6, unused)->points.at(0).counters.at("error"), 0.5);
  const Answers other{{1, 2, 3}};
  reference_ = &other;
  EXPECT_EQ(record(1e-6, unused).error().what, "fixture/plain/spend: expected an answer of 3 values, found 2");
}

TEST(Clock, is_the_steady_clock_by_default) {
  PhaseClock clock(1);
  clock.time(0, [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  EXPECT_GE(clock.nanoseconds().at(0), 2e6);
  const double before = Clock().cpu_seconds();
  for (const auto start = Clock().now(); Clock().now() - start < std::chrono::milliseconds(2);) {
  }
  EXPECT_GT(Clock().cpu_seconds(), before);
}

}  // namespace lab::bench
