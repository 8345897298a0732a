/// Variables of the environment that change what is measured.
#pragma once

#include <string>
#include <vector>

namespace lab::measure {

/// From a family's family.json: {"variables": "MALLOC_*", "why": "may change the C library's heap"}.
struct EnvironmentRule {
  std::string variables;  ///< a shell pattern of names
  std::string why;        ///< what they do, as the end of the sentence "X is set and ..."

  bool operator==(const EnvironmentRule&) const = default;
};

/// The environment of this process: "NAME=value".
std::vector<std::string> environment_variables();

/// One sentence with advice for each variable in `environment` that one of `rules` names, or that changes every
/// program.
std::vector<std::string> find_set_variables(const std::vector<std::string>& environment,
                                            const std::vector<EnvironmentRule>& rules);

}  // namespace lab::measure
