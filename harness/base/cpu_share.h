/// CPU time as text.
#pragma once

#include <string>

namespace lab {

/// CPU seconds per second: "8 % of a CPU" up to one CPU, "1.64 CPUs" above.
std::string cpus_text(double share);

}  // namespace lab
