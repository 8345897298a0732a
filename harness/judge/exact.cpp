#include "harness/judge/exact.h"

namespace lab::judge {

std::map<std::string, std::map<std::string, std::optional<double>>> exact_counters(const results::Result& result,
                                                                                   std::string_view arm) {
  std::map<std::string, std::map<std::string, std::optional<double>>> all;
  std::map<std::string, int> counted;  // processes with instructions, by benchmark
  for (const results::Process& process : result.processes) {
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

}  // namespace lab::judge
