/// Frames of a scenario on a buffer, in four phases.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/particle_buffer/family/scenario.h"

namespace lab::particle_buffer {

inline constexpr std::size_t kEmit = 0, kIterate = 1, kKill = 2, kCleanUp = 3;
inline const std::vector<std::string> kFramePhases{"emit", "iterate", "kill", "clean_up"};

/// Setup of a buffer for all of a scenario.
Setup setup_of(const Scenario& scenario);

class Simulation {
 public:
  Simulation(const Scenario& scenario, std::uint64_t seed, Buffer& buffer)
      : scenario_(scenario), emitter_(scenario, seed), buffer_(buffer) {}

  /// Writes the names of each frame's new particles there, from now on.
  void keep_refs(std::vector<Ref>& refs) { refs_ = &refs; }

  /// One frame: emission under the load rule, a fall of all, death, the variant's own clean-up.
  void step(bench::PhaseClock& clock);

  std::uint32_t frame() const { return frame_; }
  bool ended() const { return frame_ == scenario_.frames; }
  std::uint64_t emitted() const { return emitter_.emitted(); }
  std::uint64_t not_emitted() const { return not_emitted_; }
  std::uint64_t replaced() const { return replaced_; }

 private:
  const Scenario& scenario_;
  Emitter emitter_;
  Buffer& buffer_;
  std::vector<Ref>* refs_ = nullptr;
  std::uint32_t frame_ = 0;
  std::uint64_t not_emitted_ = 0, replaced_ = 0;
};

/// Memory over the frames of a run.
class MemoryRecord {
 public:
  void add(const Buffer& buffer);
  /// peak_bytes, bytes_per_live and what the buffer has counted.
  std::map<std::string, double> counters(const Buffer& buffer) const;

 private:
  std::size_t peak_bytes_ = 0;
  double bytes_ = 0, live_ = 0;
};

}  // namespace lab::particle_buffer
