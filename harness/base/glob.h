/// Which names a shell pattern means.
#pragma once

#include <string>

namespace lab {

/// Whether `glob` matches `name` ("family/variant/workload") or what its first parts name: its variant, its family.
bool glob_matches(const std::string& glob, std::string name);

/// Whether `glob` matches `name` ("family/variant") or might match something below it, whatever that is called.
bool glob_may_match_below(const std::string& glob, const std::string& name);

}  // namespace lab
