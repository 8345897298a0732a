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

bool glob_may_match_below(const std::string& glob, const std::string& name) {
  if (glob_matches(glob, name)) return true;
  const std::string above = name + "/";
  // Some prefix of the pattern matches the whole known name; the rest, without a slash, then matches some name.
  const std::size_t last = glob.rfind('/');
  for (std::size_t end = last == std::string::npos ? 0 : last + 1; end <= glob.size(); ++end)
    if (::fnmatch(glob.substr(0, end).c_str(), above.c_str(), 0) == 0) return true;
  return false;
}

}  // namespace lab
