#include "harness/base/glob.h"

#include <fnmatch.h>

namespace lab {

bool glob_matches(const std::string& glob, std::string name) {
  for (;;) {
    if (::fnmatch(glob.c_str(), name.c_str(), 0) == 0) return true;
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos) return false;
    name.resize(slash);
  }
}

}  // namespace lab
