#include "harness/report/resources.h"

#include <fmt/format.h>

#include <cstdlib>

namespace lab::report {

std::string_view resource(std::string_view name) {
  for (const Resource& known : resources())
    if (known.name == name) return known.content;
  fmt::print(stderr, "harness: no resource '{}' was built in\n", name);
  std::abort();
}

}  // namespace lab::report
