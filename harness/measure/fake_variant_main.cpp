// The `fake` family of the tests. All its variants are this executable. The name under which it is started selects its
// behaviour: plain (the reference), quick, other and wide work; each of the rest fails in a different way. It measures
// at most LAB_FAKE_SECONDS, whatever it is asked for. A file NAME.hold beside it, with a number n, makes its n-th and
// later runs wait until that file is gone.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/bench/checksum.h"
#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"

namespace {

using namespace lab::bench;

class StoreTask : public Task {
 public:
  StoreTask(const Case& inputs, std::string name) : seed_(inputs.seed), name_(std::move(name)) {}

  std::uint64_t repeat(PhaseClock& clock) override {
    std::uint64_t values[64];
    Checksum checksum;
    clock.time(0, [&] {
      for (int round = 0; round < (name_ == "quick" ? 20 : 60); ++round) {
        lab::Random random(seed_);
        for (std::uint64_t& value : values) value = random.next();
        sink_ = values[63];
      }
    });
    clock.time(1, [&] {
      for (const std::uint64_t value : values) checksum.word(value);
    });
    if (name_ == "wrong") checksum.word(1);
    if (name_ == "unstable") checksum.word(static_cast<std::uint64_t>(++repetitions_));
    return checksum.value();
  }

  std::map<std::string, double> counters() const override { return {{"metadata_bytes", 64}}; }
  std::map<std::string, double> costly_counters() const override { return {{"minimum_heap_bytes", 4096}}; }

 private:
  std::uint64_t seed_;
  std::string name_;
  int repetitions_ = 0;
  volatile std::uint64_t sink_ = 0;  // keeps the compiler from removing a round
};

/// Climbs as many steps as its point says.
class ClimbTask : public Task {
 public:
  explicit ClimbTask(double steps) : steps_(static_cast<int>(steps)) {}
  std::uint64_t repeat(PhaseClock& clock) override {
    clock.time(0, [&] { height_ = climbed(); });
    return static_cast<std::uint64_t>(height_);
  }
  std::map<std::string, double> counters() const override { return {{"height", height_}}; }

 private:
  double climbed() const {
    volatile double height = 0;
    for (int step = 0; step < 1000 * steps_; ++step) height = height + 0.001;
    return std::round(height);
  }

  int steps_;
  double height_ = 0;
};

/// Draws a picture that differs from the reference's by `error`.
class DrawTask : public Task {
 public:
  explicit DrawTask(float error) : error_(error) {}
  std::uint64_t repeat(PhaseClock& clock) override {
    clock.time(0, [&] { picture_.assign(256, 0.5f); });
    clock.add(1, 100);  // the timestamps of a device
    picture_[7] += error_;
    return ++repetitions_;  // does not count
  }
  std::vector<float> answer() const override { return picture_; }

 private:
  float error_;
  std::uint64_t repetitions_ = 0;
  std::vector<float> picture_;
};

/// What `draw` shows: one exhibit of each kind.
void show_drawing(const Case& inputs, ExhibitFiles& files) {
  std::vector<std::uint32_t> strokes;
  for (std::uint32_t i = 1; i <= 1000; ++i) strokes.push_back(i);
  files.latency("stroke", strokes);
  files.series("ink", {"strokes", "ink, ml", {1, 2, 3}, {{"left", {9, 8, 7}}}});
  files.image("picture", {2, 2, 1, {0, 64, 128, 255}});
  const std::vector<Event> events{{"dip", 0, 0, 500}, {"stroke", static_cast<unsigned>(inputs.seed % 2), 500, 1500}};
  files.events("strokes", events);
}

std::vector<Workload> show_workloads(const std::string& name) {
  Workload climb;
  climb.name = "climb";
  climb.title = "Steps upwards";
  climb.phases = {"up"};
  climb.operations = 1;
  climb.operation = "step";
  climb.axis = Axis{"steps", "", {{1, 0}, {2, 2}, {4, 4}}};
  climb.metrics = {{"height", "Height", "m", MetricKind::kQuality, Better::kMore}};
  climb.prepare = [](const Case& inputs) { return std::make_unique<ClimbTask>(inputs.point); };
  Workload draw;
  draw.name = "draw";
  draw.title = "A picture";
  draw.phases = {"host", "device"};
  draw.operations = 1;
  draw.operation = "picture";
  draw.tolerance = Tolerance{Distance::kMaximum, 0.1, "grey levels"};
  draw.exhibits = {{"stroke", "Time of a stroke", ExhibitKind::kLatency},
                   {"ink", "Ink left", ExhibitKind::kSeries},
                   {"picture", "The picture", ExhibitKind::kImage},
                   {"strokes", "Strokes", ExhibitKind::kEvents}};
  const float error = name == "show_near" ? 0.01f : name == "show_far" ? 1.0f : 0.0f;
  draw.prepare = [error](const Case&) { return std::make_unique<DrawTask>(error); };
  draw.exhibit = show_drawing;
  if (name == "show_torn") draw.exhibit = [](const Case&, ExhibitFiles&) {};
  return {climb, draw};
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

/// Crashes like a program without a sanitizer.
void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
}

Variant make(const std::string& name) {
  const auto prepare = [name](const Case& inputs) { return std::make_unique<StoreTask>(inputs, name); };
  Variant variant;
  variant.family = "fake";
  variant.name = name;
  variant.idea = "a made-up variant";
  const auto workload = [&](const std::string& called, const std::string& title) {
    Workload made;
    made.name = called;
    made.title = title;
    made.phases = {"put", "get"};
    made.operations = 64;
    made.operation = "pair";
    made.metrics = {{"minimum_heap_bytes", "Minimum heap", "bytes", MetricKind::kExact, Better::kLess, true}};
    made.prepare = prepare;
    return made;
  };
  variant.workloads = {workload("store", "Put and get"), workload("drop", "Put and forget")};
  variant.conformance = {{"what is put is kept",
                          [name]() -> std::string {
                            if (name == "fragile") crash();
                            if (name == "stuck") hang();
                            if (name == "halted") ::raise(SIGSTOP);
                            if (name == "leaving" && ::fork() == 0) hang();
                            if (name == "chatty") fmt::print("arena ready\n");
                            return name == "careless" ? "1 was put, 2 was there" : "";
                          }},
                         {"what is dropped is forgotten", [] { return std::string(); }}};
  if (name == "quick") {
    variant.workloads[1].unsupported = "it never forgets";
    variant.workloads[1].prepare = nullptr;
  }
  if (name == "wide") {
    variant.workloads = {workload("spread", "On every core")};
    variant.workloads.front().parallel = true;
  }
  if (name.starts_with("show")) variant.workloads = show_workloads(name);
  return variant;
}

/// Number of this run, from 1.
std::size_t count_runs(const std::string& self) {
  const std::filesystem::path count = self + ".runs";
  const lab::Expected<std::string> before = lab::read_file(count);
  const std::string runs = (before ? *before : "") + "x";
  static_cast<void>(lab::write_file(count, runs));
  return runs.size();
}

void wait_while_held(const std::string& self) {
  const std::filesystem::path hold = self + ".hold";
  const lab::Expected<std::string> first = lab::read_file(hold);
  if (!first || count_runs(self) < std::stoul(*first)) return;
  while (std::filesystem::exists(hold)) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

/// A check keeps its time: a busy machine under a sanitizer takes longer than the 20 ms of a measurement.
void limit_seconds_of_a_run(int argc, char** argv) {
  char* const most = argc > 1 && std::string(argv[1]) == "--run" ? std::getenv("LAB_FAKE_SECONDS") : nullptr;
  for (int i = 2; i + 1 < argc && most != nullptr; ++i)
    if (std::string(argv[i]) == "--seconds" && std::stod(argv[i + 1]) > std::stod(most)) argv[i + 1] = most;
}

void misbehave(const std::string& name, const std::string& self, bool running) {
  if (name == "mute") ::raise(SIGABRT);
  if (name == "elder") {
    fmt::print("{{\"protocol\": 0}}\n");
    std::exit(0);
  }
  if (!running) return;
  if (name == "crashing") {
    fmt::print(stderr, "about to crash\n");
    crash();
  }
  if (name == "hanging") {
    // A grandchild holds the pipes as well.
    if (::fork() == 0) hang();
    hang();
  }
  if (name == "garbage") {
    fmt::print("hello, {} \xff\n", name);
    std::exit(0);
  }
  if (name == "flood")
    for (const std::string line(4096, 'x');;) fmt::print("{}\n", line);
  if (name == "timeless") {
    fmt::print(
        "{{\"protocol\":1,\"benchmark\":\"fake/timeless/store\",\"version\":1,\"seed\":1,\"threads\":1,"
        "\"checksum\":\"0123456789abcdef\",\"operations\":64,\"repetitions\":3,\"samples\":{{\"put\":[0,0,0],"
        "\"get\":[0,0,0]}},\"counters\":{{}},\"real_time\":0,\"cpu_time\":0,\"time_unit\":\"ns\"}}\n");
    std::exit(0);
  }
  if (name == "flaky" && count_runs(self) == 2) crash();
  wait_while_held(self);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string name = self.substr(self.rfind('/') + 1);
  limit_seconds_of_a_run(argc, argv);
  misbehave(name, self, argc > 1 && std::string(argv[1]) == "--run");
  return variant_main(argc, argv, make(name));
}
