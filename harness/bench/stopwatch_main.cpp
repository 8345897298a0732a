/// A variant that does nothing: its times are the cost of the stopwatch. Built by .ci/stopwatch, with the headers of
/// this commit and of an earlier one, so it uses only what both have.
#include "harness/bench/variant.h"

namespace lab::bench {

namespace {

constexpr std::size_t kPhases = 1000;

/// Times nothing, `phases` times in each repetition.
class EmptyTask : public Task {
 public:
  explicit EmptyTask(std::size_t phases) : phases_(phases) {}

  std::uint64_t repeat(PhaseClock& clock) override {
    for (std::size_t i = 0; i < phases_; ++i) clock.time(0, [] {});
    return phases_;
  }

 private:
  std::size_t phases_;
};

Workload empty_workload(const char* name, std::size_t phases) {
  Workload workload;
  workload.name = name;
  workload.phases = {"nothing"};
  workload.operations = phases;
  workload.operation = "phase";
  workload.prepare = [phases](const auto&) { return std::make_unique<EmptyTask>(phases); };
  return workload;
}

Variant stopwatch() {
  Variant variant;
  variant.family = "bench";
  variant.name = "stopwatch";
  variant.workloads = {empty_workload("phase", kPhases), empty_workload("repetition", 1)};
  return variant;
}

}  // namespace

// Earlier commits declare it to return a value.
decltype(this_variant()) this_variant() {
  static const Variant variant = stopwatch();
  return variant;
}

}  // namespace lab::bench
