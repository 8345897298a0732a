/// Waits between two blocks of a session until other work on the machine has ended.
#pragma once

#include "harness/measure/session.h"

namespace lab::measure {

class SessionProcesses;

/// Seconds between two looks at the machine. The kernel's ticks make a shorter one inexact.
inline constexpr double kLookSeconds = 1;
/// Most that one wait takes, as a share of what all of them may take: SessionLength::side_seconds. Other work that
/// lasts longer than a few waits is not waited for.
inline constexpr double kLongestWait = 0.2;

class QuietWait {
 public:
  /// All must outlive it.
  QuietWait(const SessionSpec& spec, const StoppingRule& rule, const SessionEnvironment& environment,
            SessionEvents& events)
      : spec_(spec), rule_(rule), environment_(environment), events_(events) {}

  /// After a disturbed block: returns once a look has found no other work, or when the time for it is over. Does
  /// nothing without a budget, or where the environment cannot wait.
  void wait(SessionProcesses& processes);

  double seconds() const { return seconds_; }  ///< of all waits

 private:
  /// Looks for so many seconds; returns the other work meanwhile.
  results::Disturbance look(double seconds);

  const SessionSpec& spec_;
  const StoppingRule& rule_;
  const SessionEnvironment& environment_;
  SessionEvents& events_;
  double seconds_ = 0;
};

}  // namespace lab::measure
