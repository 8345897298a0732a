// The executable simulate: how often verdicts are wrong, on simulated numbers with a known truth.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <limits>

#include "harness/base/nearest.h"
#include "harness/base/terminal.h"
#include "harness/command/options.h"
#include "harness/simulate/simulate.h"

namespace lab::simulate {

namespace {

struct Simulation {
  std::string_view name;     ///< "compare"
  std::string_view summary;  ///< for the help text
  void (*run)(const SimulationSettings&, const ResultSink&);
};

constexpr std::array kSimulations{
    Simulation{"changepoints", "false alarms and delay of change point detection", simulate_change_points},
    Simulation{"hindsight", "false and missed changes of the levels in hindsight, and their time", simulate_hindsight},
    Simulation{"critical", "evidence for a change that unchanged series reach, by their length", simulate_critical},
    Simulation{"ranks", "false alarms and power of the rank test within blocks", simulate_ranks},
    Simulation{"bisect", "bisect over 256 commits, of which one is slower and some do not build", simulate_bisect},
    Simulation{"bisect_histories", "bisects of 40 commits: one step, two, a revert, none", simulate_bisect_histories},
    Simulation{"bisect_states", "bisects on a machine that changes its speed", simulate_bisect_states},
    Simulation{"compare", "tables of 100 benchmarks through the real comparison", simulate_compare},
    Simulation{"load", "tables of 20 benchmarks beside other work on a machine of 2 CPUs", simulate_load},
    Simulation{"nights", "how often a night is called unfit because many benchmarks deviate at once", simulate_nights},
    Simulation{"history", "time to read and open a long history", simulate_history},
    Simulation{"picture", "sessions of one commit put together, read until a false claim is reproduced",
               simulate_picture},
};

std::string value_text(double value, const std::string& unit) {
  if (unit == "%") return fmt::format("{:.2f} %", 100 * value);
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

void print_text(const SimulationResult& result) {
  std::string goal;
  if (result.goal != Goal::kNone)
    goal = fmt::format("  {} (goal: {} {})", result.met() ? "met" : "MISSED",
                       result.goal == Goal::kAtMost ? "at most" : "at least", value_text(result.bound, result.unit));
  fmt::print("  {:<72} {:>9}{}\n", fmt::format("{} (of {})", result.what, result.trials),
             value_text(result.value, result.unit), goal);
  std::fflush(stdout);
}

void print_json(std::string_view simulation, const SimulationResult& result) {
  boost::json::object object{{"simulation", simulation}, {"what", result.what},     {"value", result.value},
                             {"unit", result.unit},      {"trials", result.trials}, {"met", result.met()}};
  if (result.goal != Goal::kNone) object[result.goal == Goal::kAtMost ? "at_most" : "at_least"] = result.bound;
  fmt::print("{}\n", boost::json::serialize(object));
  std::fflush(stdout);
}

Expected<std::vector<Simulation>> selected(const std::vector<std::string>& names) {
  std::vector<Simulation> found;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(kSimulations, name, &Simulation::name);
    if (at == kSimulations.end()) {
      std::vector<std::string> known;
      for (const Simulation& simulation : kSimulations) known.emplace_back(simulation.name);
      const std::string nearest = nearest_name(name, known);
      return Error{fmt::format("unknown simulation '{}', expected one of {}", name, fmt::join(known, ", ")),
                   nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest), ExitStatus::kUsage};
    }
    found.push_back(*at);
  }
  if (found.empty()) found.assign(kSimulations.begin(), kSimulations.end());
  return found;
}

Expected<ExitStatus> run(const command::Options& options) {
  const Expected<std::vector<Simulation>> wanted = selected(options.positional());
  if (!wanted) return wanted.error();
  std::uint64_t seed = kProofSeed;
  double scale = 1;
  if (const auto read = options.read("--seed", seed, 0, std::numeric_limits<std::int64_t>::max()); !read)
    return read.error();
  if (const auto read = options.read("--scale", scale, 0.001, 1000); !read) return read.error();
  bool all_met = true;
  for (const Simulation& simulation : *wanted) {
    const auto start = std::chrono::steady_clock::now();
    if (!options.has("--json")) fmt::print("{}: {}\n", simulation.name, simulation.summary);
    simulation.run({seed, scale}, [&](const SimulationResult& result) {
      all_met = all_met && result.met();
      if (options.has("--json"))
        print_json(simulation.name, result);
      else
        print_text(result);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "simulate: {} took {}\n", simulation.name, duration_text(took.count()));
  }
  return all_met ? ExitStatus::kOk : ExitStatus::kFailed;
}

}  // namespace

}  // namespace lab::simulate

int main(int argc, char** argv) {
  using lab::command::Command;
  lab::open_standard_files();
  const std::vector<Command> commands{{"simulate",
                                       "[NAME]... [--seed N] [--scale X] [--json]",
                                       "how often verdicts are wrong, on simulated numbers with a known truth",
                                       {{"--seed", "N",
                                         fmt::format("seed of all random numbers (default: {}, with which no constant "
                                                     "was chosen)",
                                                     lab::simulate::kProofSeed)},
                                        {"--scale", "X", "multiplies the number of trials (default: 1)"},
                                        {"--json", "", "one object a result"}},
                                       lab::simulate::run}};
  std::vector<std::string> arguments{"simulate"};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return static_cast<int>(lab::command::dispatch(commands, arguments));
}
