#include "harness/measure/quiet_wait.h"

#include <algorithm>

#include "harness/measure/session_processes.h"

namespace lab::measure {

void QuietWait::wait(SessionProcesses& processes) {
  if (!environment_.wait || !environment_.cpu_use) return;
  const double all = spec_.length.side_seconds();
  const double most = std::min(all - seconds_, std::max(kLongestWait * all, kLookSeconds));
  double waited = 0;
  for (int number = 0; waited + kLookSeconds <= most && !processes.interrupted(); ++number) {
    const results::Disturbance found = look(kLookSeconds);
    waited += found.seconds;
    seconds_ += found.seconds;
    if (!rule_.is_disturbed(found)) return;
    events_.on_wait({number, (found.foreign + found.stolen) / std::max(found.seconds, kLookSeconds), waited, most});
  }
}

results::Disturbance QuietWait::look(double seconds) {
  const double start = environment_.now();
  const CpuUse before = environment_.cpu_use();
  environment_.wait(seconds);
  return disturbance_between(before, environment_.cpu_use(), 0, environment_.now() - start);
}

}  // namespace lab::measure
