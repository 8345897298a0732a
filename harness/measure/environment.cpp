#include "harness/measure/environment.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>

extern char** environ;

namespace lab::measure {

std::vector<std::string> environment_variables() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::vector<std::string> find_set_variables(const std::vector<std::string>& environment,
                                            const std::vector<EnvironmentRule>& rules) {
  std::vector<EnvironmentRule> all{{"LD_PRELOAD", "may replace functions of a variant"},
                                   {"GLIBC_TUNABLES", "may change the C library"}};
  all.insert(all.end(), rules.begin(), rules.end());
  std::vector<std::string> sentences;
  for (const std::string& entry : environment) {
    const std::string name = entry.substr(0, entry.find('='));
    const auto rule = std::find_if(all.begin(), all.end(), [&](const EnvironmentRule& one) {
      return ::fnmatch(one.variables.c_str(), name.c_str(), 0) == 0;
    });
    if (rule != all.end()) sentences.push_back(fmt::format("{} is set and {}: unset {}", name, rule->why, name));
  }
  return sentences;
}

}  // namespace lab::measure
