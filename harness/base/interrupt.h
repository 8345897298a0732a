/// Turns SIGINT, SIGTERM and SIGHUP into a flag that a session polls, so that it ends with the results it has.
#pragma once

namespace lab {

/// While it exists, the first of these signals is recorded; a second one of the same kind ends the program at once (the
/// journal keeps what was measured). At most one may exist at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
  /// Becomes readable when a signal has arrived; for run_child.
  int file() const;
};

}  // namespace lab
