/// Particles in a plf::colony.
#pragma once

#include <plf_colony.h>

#include "variants/particle_buffer/family/unindexed_buffer.h"

namespace lab::particle_buffer {

class ColonyParticles {
 public:
  void emit(std::span<const Particle> born) { particles_.insert(born.begin(), born.end()); }
  template <typename Body>
  void each(Body&& body) {
    for (Particle& particle : particles_) body(row_of(particle), std::size_t{0});
  }
  template <typename Dies>
  void kill_if(Dies&& dies) {
    for (auto at = particles_.begin(); at != particles_.end();) at = dies(row_of(*at), 0) ? particles_.erase(at) : ++at;
  }
  std::size_t size() const { return particles_.size(); }
  std::size_t slots() const { return particles_.capacity(); }
  std::size_t bytes() const { return particles_.memory(); }

 private:
  plf::colony<Particle> particles_;
};

}  // namespace lab::particle_buffer
