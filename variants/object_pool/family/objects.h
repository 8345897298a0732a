/// The objects of the workloads. Each leaves the pool 4 bytes for a mark (designs/objects/marks.h), and has no work in
/// its default constructor, so that no variant pays for members that the workload sets anyway.
#pragma once

#include <cstddef>
#include <cstdint>

#include "variants/designs/objects/holder.h"

namespace lab::object_pool {

/// A value that shows which objects live: it is added up over them, in any order. A dropped, doubled or changed object
/// changes the sum. (The finalizer of SplitMix64.)
constexpr std::uint64_t scatter(std::uint64_t id) {
  id += 0x9e3779b97f4a7c15u;
  id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9u;
  id = (id ^ (id >> 27)) * 0x94d049bb133111ebu;
  return id ^ (id >> 31);
}

/// An object of kBytes.
template <std::size_t kBytes>
struct Object {
  static constexpr std::size_t kMarkAt = 8;
  Object() noexcept {}
  std::uint64_t id;
  std::uint32_t mark;
  std::byte contents[kBytes - 12];
};

/// An object of 64 bytes with all members set by its creator.
struct Filled {
  static constexpr std::size_t kMarkAt = 8;
  Filled() noexcept {}
  explicit Filled(std::uint64_t number) noexcept { set(number); }
  void set(std::uint64_t number) {
    id = number;
    for (std::uint64_t& value : values) value = number;
  }
  std::uint64_t id;
  std::uint32_t mark;
  std::uint64_t values[6];
};

/// The chapter's particle.
struct Particle {
  static constexpr std::size_t kMarkAt = 8;
  Particle() noexcept {}
  std::uint64_t id;
  std::uint32_t mark;
  std::int32_t frames_left;
  double x, y, x_velocity, y_velocity;
};

/// A sound that plays.
struct Sound {
  static constexpr std::size_t kMarkAt = 8;
  Sound() noexcept {}
  std::uint64_t id;
  std::uint32_t mark;
  std::uint32_t loudness;  ///< different for each sound
  std::uint32_t ticks_left;
  std::uint32_t ticks_heard;
};

/// An object with a counted reference to a target.
struct Referring {
  static constexpr std::size_t kMarkAt = 8;
  Referring() noexcept {}
  void refer(std::uint32_t& count) {
    target = &count;
    ++*target;
  }
  /// What the chapter asks for: clears the reference before the object returns to the pool.
  void clear() {
    --*target;
    target = nullptr;
  }
  std::uint64_t id;
  std::uint32_t mark;
  std::uint32_t* target;
};

/// An object that others hold, by a pointer or by an ID.
struct Watched {
  static constexpr std::size_t kMarkAt = 8;
  Watched() noexcept {}
  std::uint64_t id;
  std::uint32_t mark;
  designs::Holders<Watched> holders;
  std::byte contents[32];
};

}  // namespace lab::object_pool
