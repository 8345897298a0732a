/// The particle_buffer family: the interface of a variant. Every call is for many particles, so that its virtual
/// dispatch costs nothing that is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "variants/particle_buffer/family/particle.h"

namespace lab::particle_buffer {

/// How an owner names a particle: by its index; kNone where there is none.
using Ref = std::uint64_t;
inline constexpr Ref kNone = ~Ref{0};

/// The article's example of a threshold for compaction: the share of dead slots.
inline constexpr double kDeadLimit = 0.5;

/// What a buffer is made with.
struct Setup {
  std::size_t amount = 0;           ///< particles that will ever be emitted; known only if the emission is
  std::uint32_t page_slots = 1024;  ///< particles of a page: a power of two, at least 64
  double dead_limit = kDeadLimit;   ///< compacts when more than this share of the slots is dead, if it compacts
};

/// Memory of a buffer, and what it has done since it was made.
struct Usage {
  std::size_t slots = 0;        ///< particles that its memory has room for
  std::size_t bytes = 0;        ///< all memory, with layers, bookkeeping and spare pages
  std::size_t pages = 0;        ///< in use
  std::size_t spare_pages = 0;  ///< kept for new particles
  std::size_t most_pages = 0;   ///< at once, with spare ones
  std::uint64_t pages_allocated = 0, pages_freed = 0, pages_recycled = 0;
  std::uint64_t compactions = 0;      ///< or full copies
  std::uint64_t moved = 0;            ///< particles that these have copied
  std::size_t index_layer_bytes = 0;  ///< the most that a compaction needed for new indices
  std::size_t most_extra_bytes = 0;   ///< the most that a copy or a compaction held besides, without new indices
};

/// How live particles are spread over memory.
struct Span {
  std::size_t slots = 0, live = 0;  ///< of a page, or of the whole buffer
};

/// A skip function: whether a particle is left out.
using Skip = bool (*)(std::uint32_t id);

class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  virtual ~Buffer() = default;

  /// Adds live particles. Names them in `refs` if it is not empty.
  virtual void emit(std::span<const Particle> born, std::span<Ref> refs = {}) = 0;
  /// Moves every live particle once.
  virtual void iterate(Motion motion) = 0;
  /// The same for those that `skip` does not leave out; vertically.
  virtual void iterate_some(Skip skip) = 0;
  /// Kills the live particles with `dies` at or before `frame`. Returns how many.
  virtual std::size_t retire(std::uint32_t frame) = 0;
  /// Kills the oldest, as many as asked for.
  virtual void kill_oldest(std::size_t count) = 0;
  /// What the variant does at the end of a frame to need less memory.
  virtual void clean_up(std::uint32_t frame) = 0;

  virtual std::size_t live() const = 0;
  virtual Usage usage() const = 0;
  virtual std::vector<Span> spans() const = 0;
  /// Not timed: every live particle in the order of a walk, and the kill of those that are chosen.
  virtual void visit(const std::function<void(Ref, const Particle&)>& each) const = 0;
  virtual void kill(const std::function<bool(std::uint32_t id)>& chosen) = 0;
  /// The heights of all live particles in the order of a walk.
  virtual void heights(std::span<float> out) const = 0;

  // Only if the variant has indices (Abilities::indices).

  /// Of particles by index; kDeadHeight for dead ones.
  virtual void heights(std::span<const Ref>, std::span<float>) const {}
  /// New indices by old ones, kNone for the dead. Called whenever indices change, before they do.
  using NewRefs = std::function<Ref(Ref)>;
  virtual void on_move(std::function<void(const NewRefs&)>) {}

  // Only if the variant compacts (Abilities::compacts).
  virtual void compact() {}

  // Only if the variant has layers (Abilities::layers).

  /// A layer of `bytes` a particle, zeroed for all and for new particles; its number, or none if there is no room.
  virtual std::optional<unsigned> add_layer(std::size_t) { return std::nullopt; }
  virtual void remove_layer(unsigned) {}
  /// Adds 1 to the first number (a float) of each live particle's element.
  virtual void iterate_layer(unsigned) {}
  /// Of a live particle.
  virtual const std::byte* layer_at(unsigned, Ref) const { return nullptr; }
};

inline constexpr float kDeadHeight = -1;

/// What a variant offers besides; the reasons why workloads are not supported follow from it.
struct Abilities {
  bool indices = true;  ///< a particle keeps its index, or its owner is told the new one
  bool compacts = false;
  bool layers = false;
  bool pages = false;       ///< of Setup::page_slots
  bool dead_limit = false;  ///< of Setup: its clean-up compacts
  bool walks_all = false;   ///< its walks visit all particles ever emitted
};

using MakeBuffer = std::function<std::unique_ptr<Buffer>(const Setup&)>;

}  // namespace lab::particle_buffer
