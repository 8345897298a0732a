/// For tests of what takes time: they wait for what must come and measure nothing, so that a busy machine passes them.
#pragma once

#include <chrono>
#include <thread>

namespace lab {

/// How long a test waits for what must come, in seconds. It only tells a hang from a busy machine.
inline constexpr double kPatience = 300;

/// Whether `condition` comes true.
template <typename Condition>
bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// For what must end when a time has passed and needs some of it before: whether `attempt`, called with a number of
/// seconds, succeeds with `least` of them or, on a busy machine, with more.
template <typename Attempt>
bool succeeds_given_time(double least, Attempt attempt) {
  for (double seconds = least; seconds < kPatience; seconds *= 2)
    if (attempt(seconds)) return true;
  return false;
}

}  // namespace lab
