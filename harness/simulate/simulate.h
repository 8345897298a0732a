/// How often the laboratory's verdicts are wrong: made-up numbers whose truth is known, through the same code that real
/// ones go through. Constants of an estimator are chosen on other noises and other seeds than those reported here.
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
  double scale = 1;  ///< of the number of trials; 1 is what the goals are stated for
};

/// One measured share or count, beside what it should be.
struct Finding {
  enum class Goal { kAtMost, kAtLeast, kNone };

  std::string what;        ///< "tables with a false verdict, processes differing by 1 %"
  double value = 0;        ///< a share within 0..1, or in `unit`
  Goal goal = Goal::kNone;
  double bound = 0;
  std::uint64_t trials = 0;
  std::string unit = "%";  ///< "%": value is a share

  bool met() const;
};

/// Called with every finding as soon as it is there.
using Report = std::function<void(const Finding&)>;

struct Simulation {
  std::string_view name;     ///< "compare"
  std::string_view summary;  ///< half a line
  void (*run)(const Settings&, const Report&);
};

/// All of them.
std::span<const Simulation> simulations();

// One source file each: a new one is its file, a line here and a line in the table of simulate.cpp.
void simulate_change_points(const Settings& settings, const Report& report);
void simulate_ranks(const Settings& settings, const Report& report);
void simulate_bisect(const Settings& settings, const Report& report);
void simulate_compare(const Settings& settings, const Report& report);
void simulate_nights(const Settings& settings, const Report& report);
void simulate_history(const Settings& settings, const Report& report);

}  // namespace lab::simulate
