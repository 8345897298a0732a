/// Particles in vectors without gaps: the last one takes the place of one that dies.
#pragma once

#include <array>
#include <vector>

#include "variants/designs/layers/paged_layers.h"
#include "variants/particle_buffer/family/unindexed_buffer.h"

namespace lab::particle_buffer {

/// One vector of structs.
class SwapPopRows {
 public:
  void emit(std::span<const Particle> born) { particles_.insert(particles_.end(), born.begin(), born.end()); }
  template <typename Body>
  void each(Body&& body) {
    const Rows<> rows{reinterpret_cast<std::byte*>(particles_.data())};
    for (std::size_t i = 0; i < particles_.size(); ++i) body(rows, i);
  }
  template <typename Dies>
  void kill_if(Dies&& dies) {
    const Rows<> rows{reinterpret_cast<std::byte*>(particles_.data())};
    for (std::size_t i = 0; i < particles_.size();)
      if (dies(rows, i)) {
        particles_[i] = particles_.back();
        particles_.pop_back();
      } else {
        ++i;
      }
  }
  std::size_t size() const { return particles_.size(); }
  std::size_t slots() const { return particles_.capacity(); }
  std::size_t bytes() const { return particles_.capacity() * sizeof(Particle); }

 private:
  std::vector<Particle> particles_;
};

/// One array for each field.
class SwapPopColumns {
 public:
  void emit(std::span<const Particle> born) {
    const auto* const words = reinterpret_cast<const std::byte*>(born.data());
    for (std::size_t field = 0; field < kFields; ++field) {
      std::vector<std::byte>& array = arrays_[field];
      const std::size_t before = array.size(), after = before + born.size() * kBytes;
      if (after > array.capacity()) array.reserve(std::max(after, 2 * array.capacity()));
      array.resize(after);
      for (std::size_t i = 0; i < born.size(); ++i)
        std::memcpy(&array[before + i * kBytes], words + i * sizeof(Particle) + field * kBytes, kBytes);
    }
  }
  template <typename Body>
  void each(Body&& body) {
    const Columns columns = bind();
    const std::size_t words = size() / kWord * kWord;
    for (std::size_t first = 0; first < words; first += kWord) {
      LAB_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < kWord; ++i) body(columns, first + i);
    }
    for (std::size_t i = words; i < size(); ++i) body(columns, i);
  }
  template <typename Dies>
  void kill_if(Dies&& dies) {
    const Columns columns = bind();
    std::size_t left = size();
    for (std::size_t i = 0; i < left;)
      if (dies(columns, i)) {
        --left;
        for (std::byte* const array : columns.arrays) std::memcpy(array + i * kBytes, array + left * kBytes, kBytes);
      } else {
        ++i;
      }
    for (std::vector<std::byte>& array : arrays_) array.resize(left * kBytes);
  }
  std::size_t size() const { return arrays_[0].size() / kBytes; }
  std::size_t slots() const { return arrays_[0].capacity() / kBytes; }
  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const std::vector<std::byte>& array : arrays_) bytes += array.capacity();
    return bytes;
  }

 private:
  static constexpr std::size_t kWord = 64, kBytes = sizeof(float);
  Columns bind() {
    Columns columns;
    for (std::size_t field = 0; field < kFields; ++field) columns.arrays[field] = arrays_[field].data();
    return columns;
  }
  std::array<std::vector<std::byte>, kFields> arrays_;
};

}  // namespace lab::particle_buffer
