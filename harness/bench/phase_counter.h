/// What PhaseClock asks in place of the clock.
#pragma once

namespace lab::bench {

/// Counts something in the timed parts of a repetition: instructions.h, page_faults.h.
class PhaseCounter {
 public:
  virtual ~PhaseCounter() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
};

}  // namespace lab::bench
