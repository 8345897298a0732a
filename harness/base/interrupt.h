/// SIGINT, SIGTERM and SIGHUP as something to look at: a session ends at its next look, with what it has.
#pragma once

namespace lab {

/// While it lives, the first of these signals is noted; a second one of the same kind ends the program at once (the
/// journal keeps what was measured). At most one may live at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
  /// Becomes readable when a signal has come; for run_child.
  int file() const;
};

}  // namespace lab
