/// Matches names with shell patterns.
#pragma once

#include <string>

namespace lab {

/// Whether `glob` matches `name` ("family/variant/workload"), its variant or its family.
bool glob_matches(const std::string& glob, std::string name);

/// Whether `glob` matches `name` ("family/variant") or could match some name below it.
bool glob_may_match_below(const std::string& glob, const std::string& name);

}  // namespace lab
