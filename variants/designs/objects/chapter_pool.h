/// The particle pools of the chapter in both of its forms, in our own words, with what the printed code leaves open
/// (Nystrom, Game Programming Patterns, Object Pool, "Sample Code"). For questions about the text; the pools of this
/// folder are general. Particles are data and do nothing from inside.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lab::designs {

struct ChapterParticle {
  int frames_left = 0;  ///< above 0: in use
  double x = 0, y = 0, x_velocity = 0, y_velocity = 0;

  bool in_use() const { return frames_left > 0; }
  /// Whether it died in this frame.
  bool animate() {
    if (!in_use()) return false;
    --frames_left;
    x += x_velocity;
    y += y_velocity;
    return frames_left == 0;
  }
};

/// The first form. Creation looks for a particle that is not in use; if there is none, it does nothing.
class ChapterScanPool {
 public:
  explicit ChapterScanPool(std::size_t particles) : particles_(particles) {}

  /// Whether a particle was found, which the printed code does not say.
  bool create(const ChapterParticle& particle) {
    std::size_t looked_at = 0;
    bool found = false;
    for (ChapterParticle& slot : particles_) {
      ++looked_at;
      if (slot.in_use()) continue;
      slot = particle;
      found = true;
      break;
    }
    most_looked_at_ = std::max(most_looked_at_, looked_at);
    return found;
  }
  void animate() {
    for (ChapterParticle& particle : particles_) particle.animate();
  }
  std::size_t in_use() const {
    std::size_t count = 0;
    for (const ChapterParticle& particle : particles_) count += particle.in_use();
    return count;
  }
  /// Slots that creation can still find.
  std::size_t available() const { return particles_.size() - in_use(); }
  /// By one creation.
  std::size_t most_looked_at() const { return most_looked_at_; }

 private:
  std::vector<ChapterParticle> particles_;
  std::size_t most_looked_at_ = 0;
};

/// The second form: a free list. A particle returns to the list in the frame in which it dies.
class ChapterListPool {
 public:
  explicit ChapterListPool(std::size_t particles) : slots_(particles) {
    for (std::size_t index = particles; index-- > 0;) give(slots_[index]);
  }

  /// Whether the list had a particle. The printed code asserts that it has.
  bool create(const ChapterParticle& particle) {
    if (first_ == nullptr) return false;
    Slot& slot = *first_;
    most_looked_at_ = 1;  // this one, whatever else is in use
    first_ = slot.next;
    slot.particle = particle;
    return true;
  }
  void animate() {
    for (Slot& slot : slots_)
      if (slot.particle.animate()) give(slot);
  }
  std::size_t in_use() const {
    std::size_t count = 0;
    for (const Slot& slot : slots_) count += slot.particle.in_use();
    return count;
  }
  std::size_t available() const {
    std::size_t count = 0;
    for (const Slot* slot = first_; slot != nullptr; slot = slot->next) ++count;
    return count;
  }
  /// Slots that are neither in use nor on the list: no creation will ever find them.
  std::size_t lost() const { return slots_.size() - in_use() - available(); }
  /// By one creation.
  std::size_t most_looked_at() const { return most_looked_at_; }

 private:
  struct Slot {
    ChapterParticle particle;
    Slot* next = nullptr;
  };
  void give(Slot& slot) {
    slot.next = first_;
    first_ = &slot;
  }

  std::vector<Slot> slots_;
  Slot* first_ = nullptr;
  std::size_t most_looked_at_ = 0;
};

}  // namespace lab::designs
