#include "harness/bench/recorder.h"

#include <fmt/format.h>

#include <ctime>
#include <numeric>
#include <optional>
#include <span>

#include "harness/base/error.h"
#include "harness/bench/checksum.h"
#include "harness/bench/instructions.h"
#include "harness/bench/page_faults.h"
#include "harness/bench/stationary.h"

namespace lab::bench {

namespace {

using Duration = Clock::TimePoint::duration;

constexpr std::size_t kMinRepetitions = 3;

/// Repeats one task and keeps every repetition.
class Recorder {
 public:
  Recorder(const Workload& workload, Task& task, const Clock& clock)
      : workload_(workload), task_(task), clock_(clock), samples_(workload.phases.size()) {}

  /// Reserves all memory first, so that recording changes nothing in the heap that it shares with the task.
  void reserve() {
    for (std::vector<double>& phase : samples_) phase.reserve(kMaxRepetitions);
    totals_.reserve(kMaxRepetitions);
    begins_.reserve(kMaxRepetitions);
  }

  /// Runs one repetition and keeps only its checksum; returns its timed nanoseconds by phase.
  std::vector<double> repeat(PhaseCounter* counter = nullptr) {
    PhaseClock clock(workload_.phases.size(), counter, clock_);
    const std::uint64_t checksum = task_.repeat(clock);
    if (!checksum_) checksum_ = checksum;
    if (*checksum_ != checksum) stable_ = false;
    ++repetitions_;
    return clock.nanoseconds();
  }

  /// Repeats and records until `end`. A repetition is expected to cost as much as the one before: later ones may take
  /// much less than the first, or more.
  void record_until(Clock::TimePoint end) {
    Duration cost{0};
    while (totals_.size() < kMinRepetitions || (totals_.size() < kMaxRepetitions && clock_.now() + cost < end))
      cost = record();
  }

  /// Drops the warm-up, at most half of the time since `start`, and fills in all measurements.
  void settle_into(PointMeasurement& measurement, Clock::TimePoint start) {
    const Clock::TimePoint half = start + (end_.wall - start) / 2;
    std::size_t most = 0;
    while (most + kMinRepetitions < totals_.size() && begins_[most + 1].wall <= half) ++most;
    const Settling settling = settle(totals_, most);
    const std::size_t first = settling.warmup;
    const auto kept = static_cast<double>(totals_.size() - first);
    measurement.checksum = checksum_.value_or(0);
    measurement.stationary = settling.stationary;
    measurement.warmup_repetitions = repetitions_ - (totals_.size() - first);
    measurement.warmup_seconds = std::chrono::duration<double>(begins_[first].wall - start).count();
    measurement.cpu_time_ns = (end_.cpu - begins_[first].cpu) * 1e9 / kept;
    for (std::vector<double>& phase : samples_)
      phase.erase(phase.begin(), phase.begin() + static_cast<std::ptrdiff_t>(first));
    measurement.samples = std::move(samples_);
  }

  /// The instructions of one repetition inside its phases; none if they cannot be counted.
  std::optional<std::uint64_t> count_instructions() {
    Instructions instructions;
    if (!instructions.counts()) return std::nullopt;
    // From the start of a page: memset's path through an array on the stack depends on its alignment, and the stack's
    // address is random.
    constexpr std::uintptr_t kPageBytes = 4096;
    void* const padding = __builtin_alloca(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % kPageBytes);
    asm volatile("" : : "r"(padding) : "memory");
    repeat(&instructions);
    return instructions.sum();
  }

  /// The page faults of one repetition inside its phases.
  std::uint64_t count_page_faults() {
    PageFaults faults;
    repeat(&faults);
    return faults.sum();
  }

  /// Returns the cost of the repetition, untimed parts included.
  Duration record() {
    const Moment before = now();
    const std::vector<double> nanoseconds = repeat();
    for (std::size_t phase = 0; phase < samples_.size(); ++phase) samples_[phase].push_back(nanoseconds[phase]);
    totals_.push_back(std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0));
    begins_.push_back(before);
    end_ = now();
    return end_.wall - before.wall;
  }

  bool stable() const { return stable_; }

 private:
  struct Moment {
    Clock::TimePoint wall;
    double cpu = 0;
  };
  Moment now() const { return {clock_.now(), clock_.cpu_seconds()}; }

  const Workload& workload_;
  Task& task_;
  const Clock& clock_;
  std::vector<std::vector<double>> samples_;  ///< [phase][repetition], nanoseconds
  std::vector<double> totals_;                ///< sums over the phases
  std::vector<Moment> begins_;
  Moment end_;
  std::size_t repetitions_ = 0;  ///< includes those that were not recorded
  std::optional<std::uint64_t> checksum_;
  bool stable_ = true;
};

/// Nothing if there is no reference; an empty answer if it has none at this point.
std::optional<std::span<const float>> reference_at(const Answers* reference, std::size_t point) {
  if (reference == nullptr) return std::nullopt;
  return point < reference->size() ? std::span<const float>((*reference)[point]) : std::span<const float>();
}

/// Replaces the checksum by that of the answer, and adds its distance from the reference's.
Expected<void> check_answer(const Tolerance& tolerance, const std::vector<float>& answer,
                            std::optional<std::span<const float>> reference, PointMeasurement& measurement) {
  Checksum checksum;
  checksum.bytes(answer.data(), answer.size() * sizeof(float));
  measurement.checksum = checksum.value();
  if (!reference) return {};
  const Expected<double> distance = distance_between(tolerance.distance, answer, *reference);
  if (!distance) return distance.error();
  measurement.counters[kErrorMetric] = *distance;
  return {};
}

Expected<PointMeasurement> measure_point(const Workload& workload, const Case& inputs, Clock::TimePoint end,
                                         const MeasureSettings& settings, const Clock& clock,
                                         std::optional<std::span<const float>> reference) {
  const std::unique_ptr<Task> task = workload.prepare(inputs);
  Recorder recorder(workload, *task, clock);
  recorder.reserve();
  const Clock::TimePoint start = clock.now();

  // The first two always have page faults and cold caches.
  recorder.repeat();
  if (settings.seconds > 0) recorder.repeat();
  // Always the third repetition: a variant's lists may be in another order in the next one.
  const std::optional<std::uint64_t> instructions =
      settings.exact && workload.repeatable && !workload.parallel ? recorder.count_instructions() : std::nullopt;
  if (settings.seconds > 0)
    recorder.record_until(end);
  else
    recorder.record();

  PointMeasurement measurement;
  measurement.at = inputs.point;
  measurement.operations = workload.operations;
  recorder.settle_into(measurement, start);
  // Last: the first repetitions touch memory that the later ones have.
  if (settings.exact) measurement.counters[kPageFaultsMetric] = static_cast<double>(recorder.count_page_faults());
  if (instructions) measurement.counters[kInstructionsMetric] = static_cast<double>(*instructions);

  if (!workload.tolerance && !recorder.stable()) return Error{"two repetitions read back different contents", ""};
  measurement.counters.merge(task->counters());
  if (workload.tolerance)
    if (const Expected<void> checked = check_answer(*workload.tolerance, task->answer(), reference, measurement);
        !checked)
      return checked.error();
  if (settings.exact) measurement.counters.merge(task->costly_counters());
  return measurement;
}

}  // namespace

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Expected<Measurement> measure(const Variant& variant, const Workload& workload, const Case& inputs,
                              const MeasureSettings& settings, const Clock& clock) {
  const Clock::TimePoint end =
      clock.now() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(settings.seconds));
  Measurement measurement{fmt::format("{}/{}/{}", variant.family, variant.name, workload.name), &workload, inputs, {}};
  std::vector<Case> cases = cases_of(workload, inputs);
  if (cases.size() > settings.most_points) cases.resize(settings.most_points);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Clock::TimePoint now = clock.now();
    const auto left = static_cast<Duration::rep>(cases.size() - i);
    Expected<PointMeasurement> point = measure_point(workload, cases[i], now + (end - now) / left, settings, clock,
                                                     reference_at(settings.reference, i));
    if (!point) return in_context(measurement.benchmark, point.error());
    if (workload.axis && workload.axis->points[i].operations != 0)
      point->operations = workload.axis->points[i].operations;
    measurement.points.push_back(std::move(*point));
  }
  return measurement;
}

}  // namespace lab::bench
