/// Whether a driver's memory requirements keep the rules of the Vulkan specification ("Resource Memory Association"),
/// and two that an allocator's author would expect besides.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/results/atlas.h"

namespace lab::judge {

/// A rule that a driver broke, with the first query where it did.
struct BrokenRule {
  std::string rule;           ///< "the alignment is a power of two"
  bool of_the_specification;  ///< otherwise expected, but not promised
  std::size_t count = 0;      ///< answers that broke it
  std::string what;           ///< the first: "64x64 R8G8B8A8_UNORM, optimal, sampled"
  std::string found;          ///< its answer: "alignment 3"
  bool operator==(const BrokenRule&) const = default;
};

/// The broken rules of a column, over its article's sweep and all others, in a fixed order; empty if it keeps them all.
/// Rules about memory types are not applied to a column without memory types (an imported one).
std::vector<BrokenRule> broken_rules(const results::DriverColumn& column);

}  // namespace lab::judge
