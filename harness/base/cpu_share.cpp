#include "harness/base/cpu_share.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/base/fit.h"

namespace lab {

std::string cpus_text(double share) {
  if (std::round(100 * share) <= 100) return fmt::format("{:.0f} % of a CPU", 100 * share);
  return thousands(fmt::format("{:.{}f}", share, share < 9.95 ? 2 : share < 99.5 ? 1 : 0)) + " CPUs";
}

}  // namespace lab
