/// Plans: every random choice of a workload, made before the first repetition. They name sizes and lifetimes only, so
/// they serve allocators over addresses and over offsets, and pools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/base/random.h"
#include "variants/common/plans/trace.h"

namespace lab {

/// Uniform sizes from `low` to `high` bytes.
struct Sizes {
  std::size_t low, high;
};

std::uint32_t random_bytes(Random& random, const Sizes& sizes);

/// Frees the block in `slot` and allocates another of `bytes`, marked with `id`.
struct Replacement {
  std::uint32_t slot;
  std::uint32_t bytes;
  std::uint32_t id;  ///< of the operation: below 2^24, unique in the plan
};

/// A repetition must end in the state in which it starts, so that every repetition does the same work. So `fill` puts
/// into each slot the block that the last operation on that slot leaves there.
struct ReplacementPlan {
  std::vector<Replacement> fill;  ///< one per slot, ids in random order
  std::vector<Replacement> operations;
  Demand demand;

  Trace trace() const;
};

/// Random sizes in random slots of `live`.
ReplacementPlan random_replacements(std::uint64_t seed, std::size_t live, std::size_t operations, const Sizes& sizes);

/// Blocks of two lifetimes. Slots 0 to long_lived - 1 hold the long-lived ones, the others a ring of short-lived ones.
/// After `short_per_long` replacements of the oldest short-lived block comes one of a random long-lived block.
/// `short_pairs` is a multiple of `short_lived` and of `short_per_long`, so the ring ends where it begins.
ReplacementPlan two_lifetimes(std::uint64_t seed, std::size_t long_lived, std::size_t short_lived,
                              std::size_t short_pairs, std::size_t short_per_long, const Sizes& sizes);

/// Random sizes in random slots, in `rounds` rounds over `parts` parts of `live` slots each. In each round, each part
/// has `operations` replacements, one part after the other. Threads may execute the parts of a round at the same time.
ReplacementPlan parted_replacements(std::uint64_t seed, std::size_t parts, std::size_t live, std::size_t rounds,
                                    std::size_t operations, const Sizes& sizes);

/// The part of a plan that uses the `count` slots from `first` on, which are 0 to count - 1 in it.
ReplacementPlan slots_of(const ReplacementPlan& plan, std::size_t first, std::size_t count);

/// Blocks of one size. The operations replace the oldest block first (FIFO), then blocks in random order. In between,
/// bursts of allocations are freed in LIFO order, on top of the live blocks. Each of the three makes `pairs` pairs.
struct ChurnPlan : ReplacementPlan {
  std::vector<std::uint32_t> bursts;  ///< number of blocks of each; their sum is `pairs`
  std::size_t block_bytes = 0;

  Trace trace() const;
};

ChurnPlan same_size_churn(std::uint64_t seed, std::size_t live, std::size_t pairs, std::size_t bytes,
                          std::size_t most_burst);

/// Buffers that double like a growing vector: allocate the next size, copy, free the old block. Each step grows a
/// random buffer; a buffer of its final size is freed and starts again with the smallest size. The steps of one buffer
/// form a cycle: the last one leaves the state in which the first one starts, so nothing is freed or allocated between
/// repetitions.
struct GrowingPlan {
  struct Step {
    std::uint32_t buffer;
    std::uint32_t bytes;  ///< new size; the smallest frees the buffer and starts a new one
    std::uint32_t id;     ///< of the operation, from 1
  };
  std::vector<Step> fill;  ///< brings new buffers to the state in which the last operations leave them
  std::vector<Step> operations;
  std::size_t buffers = 0;
  std::size_t smallest = 0;
  Demand demand;

  Trace trace() const;
};

/// A buffer's life ends after 1 to `doublings` doublings.
GrowingPlan growing_buffers(std::uint64_t seed, std::size_t buffers, std::size_t operations, std::size_t smallest,
                            unsigned doublings);

/// The memory pattern of a game's frame: many blocks of many sizes, all freed at its end.
struct FramePlan {
  std::vector<std::uint32_t> bytes;  ///< `blocks` sizes per frame, frame after frame
  std::size_t blocks = 0;
  Demand demand;

  Trace trace() const;
};

FramePlan frames_of_blocks(std::uint64_t seed, std::size_t frames, std::size_t blocks, const Sizes& sizes);

}  // namespace lab
