/// Error rates of the laboratory's verdicts: simulated numbers with a known truth go through the same code as real
/// ones. The constants of an estimator are chosen on other noises and seeds than those reported here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::simulate {

struct Settings {
  std::uint64_t seed = 1;
  double scale = 1;  ///< multiplies the number of trials; the goals hold for 1
};

/// One measured share or count, with its goal.
struct Finding {
  enum class Goal { kAtMost, kAtLeast, kNone };

  std::string what;  ///< "tables with a false verdict, processes differing by 1 %"
  double value = 0;  ///< a share within 0..1, or in `unit`
  Goal goal = Goal::kNone;
  double bound = 0;
  std::uint64_t trials = 0;
  std::string unit = "%";  ///< "%": value is a share

  bool met() const;
};

/// Called with each finding as soon as it is known.
using Report = std::function<void(const Finding&)>;

struct Simulation {
  std::string_view name;     ///< "compare"
  std::string_view summary;  ///< for the help text
  void (*run)(const Settings&, const Report&);
};

/// All simulations.
std::span<const Simulation> simulations();

// One source file each. A new simulation needs its file, a line here and a line in the table of simulate.cpp.
void simulate_change_points(const Settings& settings, const Report& report);
void simulate_ranks(const Settings& settings, const Report& report);
void simulate_bisect(const Settings& settings, const Report& report);
void simulate_compare(const Settings& settings, const Report& report);
void simulate_nights(const Settings& settings, const Report& report);
void simulate_history(const Settings& settings, const Report& report);

}  // namespace lab::simulate
