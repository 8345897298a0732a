#include "harness/results/exact.h"

namespace lab::results {

std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const Result& result,
                                                                                   std::string_view arm) {
  std::map<std::string, std::map<std::string, std::optional<double>>> all;
  std::map<std::string, int> counted;  // processes with instructions, by benchmark
  for (const Process& process : result.processes) {
    if (process.arm != arm) continue;
    auto& of = all[process.benchmark];
    for (const auto& [name, value] : process.counters) {
      const auto [at, is_new] = of.emplace(name, value);
      if (!is_new && at->second != value) at->second.reset();
      counted[process.benchmark] += name == kInstructions;
    }
  }
  for (const auto& [benchmark, processes] : counted)
    if (processes == 1) all[benchmark][std::string(kInstructions)].reset();
  return all;
}

}  // namespace lab::results
