/// A particle of the family, and how its fields are reached in rows (one struct a particle) and in columns (one array a
/// field).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lab::particle_buffer {

/// 64 bytes, as the core of Blender's ParticleKey and the particle's times. Positions and velocities are whole numbers
/// below 2^24, so that moving is exact and can be undone by a subtraction.
struct Particle {
  float position[3];
  float velocity[3];  ///< per frame
  float rotation[4];
  float spin[3];
  std::uint32_t id;    ///< number of its emission
  std::uint32_t born;  ///< frame
  std::uint32_t dies;  ///< frame at whose end it dies; 0: it is dead, in a buffer that marks the dead
};
static_assert(sizeof(Particle) == 64);

inline constexpr std::size_t kFields = sizeof(Particle) / sizeof(float);
/// Numbers of fields in the order of Particle.
inline constexpr unsigned kPosition = 0, kVelocity = 3, kId = 13, kBorn = 14, kDies = 15;
inline constexpr unsigned kVertical = 2;  ///< axis

/// Particles as structs. `kStride` bytes from one to the next.
template <std::size_t kStride = sizeof(Particle)>
struct Rows {
  std::byte* first;

  Particle& operator[](std::size_t i) const { return *reinterpret_cast<Particle*>(first + i * kStride); }
  float& position(unsigned axis, std::size_t i) const { return (*this)[i].position[axis]; }
  float& velocity(unsigned axis, std::size_t i) const { return (*this)[i].velocity[axis]; }
  std::uint32_t& id(std::size_t i) const { return (*this)[i].id; }
  std::uint32_t& dies(std::size_t i) const { return (*this)[i].dies; }
};

/// Particles as an array for each field.
struct Columns {
  std::array<std::byte*, kFields> arrays;

  /// A copy.
  Particle operator[](std::size_t i) const {
    std::array<std::byte, sizeof(Particle)> bytes;
    for (unsigned field = 0; field < kFields; ++field)
      std::memcpy(&bytes[field * sizeof(float)], arrays[field] + i * sizeof(float), sizeof(float));
    return std::bit_cast<Particle>(bytes);
  }
  template <typename T>
  T& at(unsigned field, std::size_t i) const {
    return reinterpret_cast<T*>(arrays[field])[i];
  }
  float& position(unsigned axis, std::size_t i) const { return at<float>(kPosition + axis, i); }
  float& velocity(unsigned axis, std::size_t i) const { return at<float>(kVelocity + axis, i); }
  std::uint32_t& id(std::size_t i) const { return at<std::uint32_t>(kId, i); }
  std::uint32_t& dies(std::size_t i) const { return at<std::uint32_t>(kDies, i); }
};

/// What iterating does with each particle.
enum class Motion {
  kFall,  ///< moves it vertically: 2 of its 16 fields
  kAll    ///< moves it along all axes: 6 fields
};

/// The body of a loop over particles. Harmless to dead ones.
template <Motion kMotion>
struct Move {
  template <typename Fields>
  void operator()(const Fields& particles, std::size_t i) const {
    if constexpr (kMotion == Motion::kAll) {  // no loop over the axes, which GCC 12 would not vectorize around
      particles.position(0, i) += particles.velocity(0, i);
      particles.position(1, i) += particles.velocity(1, i);
    }
    particles.position(kVertical, i) += particles.velocity(kVertical, i);
  }

  /// The lines of 64 particles from `first` that will be read. Arrays end behind them at times, which is harmless.
  void prefetch(const Columns& particles, std::size_t first) const {
    constexpr std::size_t kLine = 64 / sizeof(float);
    for (std::size_t i = first; i < first + 64; i += kLine)
      for (unsigned axis = kMotion == Motion::kAll ? 0 : kVertical; axis < 3; ++axis) {
        __builtin_prefetch(particles.arrays[kPosition + axis] + i * sizeof(float), 1);
        __builtin_prefetch(particles.arrays[kVelocity + axis] + i * sizeof(float));
      }
  }
};

}  // namespace lab::particle_buffer
