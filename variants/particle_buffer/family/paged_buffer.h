/// Buffers over pages of layers (variants/designs/layers/paged_layers.h): what a variant chooses, and make_paged().
#pragma once

#include <cstdint>
#include <memory>

#include "variants/designs/layers/paged_layers.h"
#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

enum class Layout {
  kRows,         ///< the first layer has a struct for each particle, other layers have arrays of their own
  kPointerRows,  ///< the struct also has a pointer to each further layer's element, which is allocated by itself
  kColumns       ///< each field of a particle is a layer
};

enum class CleanUp {
  kFreeDeadPages,     ///< in every frame
  kCompactAtShare,    ///< also compacts when more than Setup::dead_limit of the slots are dead
  kCompactByForecast  ///< the same, unless pages that die within kSoonFrames bring the share down by themselves
};

/// A compaction costs as much as walking its dead slots for many frames, so waiting for some costs little.
inline constexpr std::uint32_t kSoonFrames = 8;

/// Moved in a frame at most, so that no frame is much longer than others: well below 1 ms.
inline constexpr std::size_t kMostMoved = 16'384;

struct PagedChoice {
  Layout layout = Layout::kRows;
  CleanUp clean_up = CleanUp::kFreeDeadPages;
  designs::CompactionOrder order = designs::CompactionOrder::kStable;
  designs::PageLoop loop = designs::PageLoop::kSetBits;
  bool recycles = false;       ///< dead pages are used again; a compaction gives them back
  bool knows_deaths = false;   ///< each page keeps the first and last frame in which one of its particles dies
  std::size_t most_moved = 0;  ///< particles that clean_up() moves in a frame; 0: any number
};

std::unique_ptr<Buffer> make_paged(const Setup& setup, const PagedChoice& choice);

MakeBuffer paged(const PagedChoice& choice);
/// Columns that use dead pages again, and compact by forecast.
MakeBuffer columns(designs::PageLoop loop);

/// Of every buffer that make_paged() makes.
inline constexpr Abilities kPagedAbilities{.indices = true, .compacts = true, .layers = true, .pages = true};
/// Of those whose clean-up compacts.
inline constexpr Abilities kCompactingAbilities{
    .indices = true, .compacts = true, .layers = true, .pages = true, .dead_limit = true};

}  // namespace lab::particle_buffer
