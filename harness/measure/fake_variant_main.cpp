// The `fake` family of the tests. All its variants are this executable. The name under which it is started selects its
// behaviour: plain (the reference), quick, other and wide work; each of the rest fails in a different way.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"

namespace {

using namespace lab::bench;

class StoreTask : public Task {
 public:
  StoreTask(const Parameters& parameters, std::string name) : seed_(parameters.seed), name_(std::move(name)) {}

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

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

/// Crashes like a program without a sanitizer.
void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
}

Variant make(const std::string& name) {
  const auto prepare = [name](const Parameters& parameters) { return std::make_unique<StoreTask>(parameters, name); };
  Variant variant;
  variant.family = "fake";
  variant.name = name;
  variant.idea = "a made-up variant";
  variant.workloads = {{"store", "Put and get", 1, {"put", "get"}, 64, "pair", false, "", prepare},
                       {"drop", "Put and forget", 1, {"put", "get"}, 64, "pair", false, "", prepare}};
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
  if (name == "wide")
    variant.workloads = {{"spread", "On every core", 1, {"put", "get"}, 64, "pair", true, "", prepare}};
  return variant;
}

/// Crashes on its second run only.
void crash_the_second_time(const std::string& self) {
  const std::filesystem::path count = self + ".runs";
  const lab::Expected<std::string> before = lab::read_file(count);
  const std::string runs = (before ? *before : "") + "x";
  static_cast<void>(lab::write_file(count, runs));
  if (runs.size() == 2) crash();
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
  if (name == "flaky") crash_the_second_time(self);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string self = argv[0];
  const std::string name = self.substr(self.rfind('/') + 1);
  misbehave(name, self, argc > 1 && std::string(argv[1]) == "--run");
  return variant_main(argc, argv, make(name));
}
