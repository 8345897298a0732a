/// Which names a shell pattern means.
#pragma once

#include <string>

namespace lab {

/// Whether `glob` matches `name` ("family/variant/workload") or what its first parts name: its variant, its family.
bool glob_matches(const std::string& glob, std::string name);

}  // namespace lab
