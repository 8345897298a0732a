/// For tests that wait: they wait for an event and measure no time, so that they pass on a busy machine.
#pragma once

#include <chrono>
#include <thread>

namespace lab {

/// Longest wait of a test, in seconds. Its only purpose is to distinguish a hang from a busy machine.
inline constexpr double kPatience = 300;

/// Whether `condition` becomes true in that time.
template <typename Condition>
bool comes_true(Condition condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// For an operation with a time limit that needs part of that time to succeed: whether `attempt`, called with a number
/// of seconds, succeeds with `least` seconds or, on a busy machine, with more.
template <typename Attempt>
bool succeeds_given_time(double least, Attempt attempt) {
  for (double seconds = least; seconds < kPatience; seconds *= 2)
    if (attempt(seconds)) return true;
  return false;
}

}  // namespace lab
