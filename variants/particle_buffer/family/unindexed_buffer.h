/// Base of buffers over a container of particles without indices that last: a rival's, or a vector.
#pragma once

#include <algorithm>
#include <vector>

#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

/// `Container` has `emit(particles)`, `each(body)` with `body(fields, i)` for all particles, `kill_if(dies)` with
/// `dies(fields, i)`, and `bytes()` and `slots()` of its memory. It may have a `retire(frame)` of its own.
template <typename Container>
class UnindexedBuffer final : public Buffer {
 public:
  static constexpr Abilities kAbilities{.indices = false};

  explicit UnindexedBuffer(const Setup&) {}

  void emit(std::span<const Particle> born, std::span<Ref>) override { particles_.emit(born); }
  void iterate(Motion motion) override {
    if (motion == Motion::kFall)
      particles_.each(Move<Motion::kFall>{});
    else
      particles_.each(Move<Motion::kAll>{});
  }
  void iterate_some(Skip skip) override {
    particles_.each([skip](const auto& particles, std::size_t i) {
      if (!skip(particles.id(i))) Move<Motion::kFall>{}(particles, i);
    });
  }
  std::size_t retire(std::uint32_t frame) override {
    const std::size_t before = particles_.size();
    if constexpr (requires { particles_.retire(frame); })
      particles_.retire(frame);
    else
      particles_.kill_if([frame](const auto& particles, std::size_t i) { return particles.dies(i) <= frame; });
    return before - particles_.size();
  }
  void kill_oldest(std::size_t count) override {
    std::vector<std::uint32_t> ids;
    ids.reserve(particles_.size());
    particles_.each([&ids](const auto& particles, std::size_t i) { ids.push_back(particles.id(i)); });
    count = std::min(count, ids.size());
    if (count == 0) return;
    std::nth_element(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(count - 1), ids.end());
    const std::uint32_t last = ids[count - 1];
    particles_.kill_if([last](const auto& particles, std::size_t i) { return particles.id(i) <= last; });
  }
  void clean_up(std::uint32_t) override {}

  std::size_t live() const override { return particles_.size(); }
  Usage usage() const override { return {.slots = particles_.slots(), .bytes = particles_.bytes() + sizeof *this}; }
  std::vector<Span> spans() const override { return {{particles_.slots(), particles_.size()}}; }
  void visit(const std::function<void(Ref, const Particle&)>& each) const override {
    const_cast<Container&>(particles_).each([&each](const auto& particles, std::size_t i) {
      each(kNone, particles[i]);
    });
  }
  void kill(const std::function<bool(std::uint32_t id)>& chosen) override {
    particles_.kill_if([&chosen](const auto& particles, std::size_t i) { return chosen(particles.id(i)); });
  }
  void heights(std::span<float> out) const override {
    float* next = out.data();
    const_cast<Container&>(particles_).each([&next](const auto& particles, std::size_t i) {
      *next++ = particles.position(kVertical, i);
    });
  }

 private:
  Container particles_;
};

/// One particle, seen as the fields of a walk.
inline Rows<> row_of(Particle& particle) {
  return {reinterpret_cast<std::byte*>(&particle)};
}

}  // namespace lab::particle_buffer
