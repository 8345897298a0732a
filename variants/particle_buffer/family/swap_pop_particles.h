/// Particles in vectors without gaps: the last one takes the place of one that dies.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "variants/designs/layers/paged_layers.h"
#include "variants/particle_buffer/family/expiry.h"
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
    if (size_ + born.size() > room_) grow(std::max(size_ + born.size(), 2 * room_));
    const auto* const words = reinterpret_cast<const std::byte*>(born.data());
    for (std::size_t field = 0; field < kFields; ++field) {
      std::byte* const to = arrays_[field].get() + size_ * kBytes;
      for (std::size_t i = 0; i < born.size(); ++i)
        std::memcpy(to + i * kBytes, words + i * sizeof(Particle) + field * kBytes, kBytes);
    }
    size_ += born.size();
  }
  template <typename Body>
  void each(Body&& body) {
    const Columns columns = bind();
    const std::size_t words = size_ / kWord * kWord;
    for (std::size_t first = 0; first < words; first += kWord) {
      LAB_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < kWord; ++i) body(columns, first + i);
    }
    for (std::size_t i = words; i < size_; ++i) body(columns, i);
  }
  template <typename Dies>
  void kill_if(Dies&& dies) {
    const Columns columns = bind();
    for (std::size_t i = size_; i-- > 0;)
      if (dies(columns, i)) kill(columns, i);
  }
  /// 64 lifetimes at a time, the last ones first: what takes a dead one's place lives on.
  void retire(std::uint32_t frame) {
    const Columns columns = bind();
    for (std::size_t word = (size_ + kWord - 1) / kWord; word-- > 0;) {
      const std::size_t first = word * kWord, count = std::min(kWord, size_ - first);
      std::uint64_t dying = 0;
      if (count == kWord)
        dying = at_most(&columns.dies(first), frame);
      else
        for (std::size_t i = 0; i < count; ++i) dying |= std::uint64_t{columns.dies(first + i) <= frame} << i;
      for (; dying != 0; dying ^= std::bit_floor(dying))
        kill(columns, first + static_cast<std::size_t>(std::bit_width(dying) - 1));
    }
  }
  std::size_t size() const { return size_; }
  std::size_t slots() const { return room_; }
  std::size_t bytes() const { return kFields * room_ * kBytes; }

 private:
  static constexpr std::size_t kWord = 64, kBytes = sizeof(float);

  Columns bind() {
    Columns columns;
    for (std::size_t field = 0; field < kFields; ++field) columns.arrays[field] = arrays_[field].get();
    return columns;
  }
  void kill(const Columns& columns, std::size_t i) {
    --size_;
    for (std::byte* const array : columns.arrays) std::memcpy(array + i * kBytes, array + size_ * kBytes, kBytes);
  }
  void grow(std::size_t room) {
    room_ = room;
    for (std::unique_ptr<std::byte[]>& array : arrays_) {
      std::unique_ptr<std::byte[]> larger = std::make_unique_for_overwrite<std::byte[]>(room_ * kBytes);
      if (size_ > 0) std::memcpy(larger.get(), array.get(), size_ * kBytes);
      array = std::move(larger);
    }
  }

  std::array<std::unique_ptr<std::byte[]>, kFields> arrays_;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace lab::particle_buffer
