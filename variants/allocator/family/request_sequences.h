/// The sequences of requests that checks make of an allocator, and what they find.
#pragma once

#include <string>
#include <vector>

#include "harness/base/random.h"
#include "variants/allocator/family/live_blocks.h"

namespace lab::allocator {

/// What most checks demand.
inline constexpr Demand kCheckDemand{.bytes = std::size_t{1} << 20, .blocks = 1000};

/// Zero and the sizes around each power of two (usual boundaries of size classes), up to about `largest`.
std::vector<std::size_t> edge_sizes(std::size_t largest);

/// log2 of the upper bound of a size, drawn uniformly from this range.
struct SizePowers {
  std::uint64_t low, high;
};
/// Half of the sizes are powers of two or multiples of 16, which fill a block to its last byte.
std::size_t random_size(Random& random, SizePowers powers = {2, 14});

/// Returns "", or that there is no block, or how its address differs from the promised alignment.
std::string misaligned(AnyAllocator& allocator, void* block, std::size_t bytes);

/// Whether the block is not in the heap that the demand gives, if it gives one.
bool lies_outside(const Demand& demand, const void* block, std::size_t bytes);

/// Serves requests of `bytes` until the allocator refuses one. Returns "" if it was empty and served exactly as many
/// as it reports.
std::string fill(AnyAllocator& allocator, const Demand& demand, std::size_t bytes, SizedBlocks& blocks);

/// What is wrong, by kind; "" where nothing is. A sequence ends at the first.
struct Found {
  std::string alignment, overlap, contents, refusal;
  bool any() const { return !alignment.empty() || !overlap.empty() || !contents.empty() || !refusal.empty(); }
};

/// Whether blocks are written: only then do overlap and contents show. Without, only alignment and refusals are
/// checked, so that overlapping blocks cause no crash.
enum class Fill : bool { kNo, kYes };

/// Random allocations and frees.
Found replace_blocks(const Subject& subject, Fill fill);

/// Every size up to a page, and sizes up to 128 KiB. Several blocks of each size; then half of them are freed and
/// allocated again in another order.
Found sweep_sizes(const Subject& subject, Fill fill);

}  // namespace lab::allocator
