/// Changes of many benchmarks at once: was it the code, or the machine?
///
/// One series cannot tell: a new kernel patch or a warm room changes times as a commit does. What decides are the
/// executables that are the same, byte for byte, on both sides of the change: they move only with the machine.
#pragma once

#include <cstddef>
#include <span>

#include "harness/judge/history.h"

namespace lab::judge {

/// From so many rebuilt benchmarks on, of which this share changed, it may be the machine.
inline constexpr std::size_t kFewestCommon = 5;
inline constexpr double kCommonShare = 0.8;
/// So many unchanged executables prove by not moving that the machine is as before.
inline constexpr std::size_t kFewestUnmoved = 2;
/// The machine explains a change that is at most so many times as large (as a logarithm) as the largest one of an
/// unchanged executable.
inline constexpr double kExplainedBy = 1.5;

/// Sets the cause of changes that lie at the same place in several series and have the same direction, if so far it is
/// the code. It becomes the machine (kMachineCause) where at least half of the unchanged executables changed there,
/// too, and explain it; kEitherCause where nearly all rebuilt benchmarks changed and too few executables are unchanged
/// to tell. `changed` gets the reason. `histories`: all series of one machine, with their points.
void tell_common(std::span<SeriesHistory> histories);

}  // namespace lab::judge
