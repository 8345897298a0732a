/// Error rates of the laboratory's verdicts: simulated numbers with a known truth go through the same code as real
/// ones. The constants of an estimator are chosen on other noises and seeds than those reported here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

namespace lab::simulate {

/// The seed that is reported. No constant was chosen with it. Chosen were some with 1, which was reported before
/// (stats/change_points.h), others with 7 or from 900 on.
inline constexpr std::uint64_t kProofSeed = 3807;

struct SimulationSettings {
  std::uint64_t seed = kProofSeed;
  double scale = 1;  ///< multiplies the number of trials; the goals hold for 1

  std::uint64_t trials(double count) const { return static_cast<std::uint64_t>(std::max(1.0, count * scale)); }
};

enum class Goal { kAtMost, kAtLeast, kNone };

/// One measured share or count, with its goal.
struct SimulationResult {
  std::string what;  ///< "tables with a false verdict, processes differing by 1 %"
  double value = 0;  ///< a share within 0..1, or in `unit`
  Goal goal = Goal::kNone;
  double bound = 0;
  std::uint64_t trials = 0;
  std::string unit = "%";  ///< "%": value is a share; empty: value is a number without a unit

  bool met() const { return goal == Goal::kNone || (goal == Goal::kAtMost ? value <= bound : value >= bound); }
};

/// Called with each result as soon as it is known.
using ResultSink = std::function<void(const SimulationResult&)>;

// One source file each. A new simulation needs its file, a line here and a line in the table of main.cpp.
void simulate_change_points(const SimulationSettings& settings, const ResultSink& report);
void simulate_hindsight(const SimulationSettings& settings, const ResultSink& report);
void simulate_critical(const SimulationSettings& settings, const ResultSink& report);
void simulate_ranks(const SimulationSettings& settings, const ResultSink& report);
void simulate_bisect(const SimulationSettings& settings, const ResultSink& report);
void simulate_bisect_histories(const SimulationSettings& settings, const ResultSink& report);
void simulate_bisect_states(const SimulationSettings& settings, const ResultSink& report);
void simulate_compare(const SimulationSettings& settings, const ResultSink& report);
void simulate_load(const SimulationSettings& settings, const ResultSink& report);
void simulate_nights(const SimulationSettings& settings, const ResultSink& report);
void simulate_history(const SimulationSettings& settings, const ResultSink& report);
void simulate_picture(const SimulationSettings& settings, const ResultSink& report);

/// A part of simulate_hindsight: the processor time of alarms and hindsight over many series, over a replay night by
/// night, and over a long series. A part of them is measured, which grows with the scale up to all of it; the seconds
/// are those of all.
void report_speed(const SimulationSettings& settings, const ResultSink& report);

}  // namespace lab::simulate
