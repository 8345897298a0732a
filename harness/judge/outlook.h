/// What the processes of a comparison can and cannot detect, and how many would say more.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/judge/comparison.h"

namespace lab::judge {

struct Outlook {
  /// What the verdict same needs for an unchanged benchmark of this noise.
  enum class Same {
    kProcesses,     ///< `processes_for_same`
    kTooMany,       ///< more than stats::kMostProcesses
    kNoThreshold,   ///< a threshold above 0
    kOneSession,    ///< both in one session: two differ by more than the threshold
    kOtherLayouts,  ///< layouts alone differ by more than the threshold
  };

  std::size_t processes = 0;         ///< per arm, of the row with most
  double noise = 0;                  ///< between processes, a share
  std::optional<double> detectable;  ///< change that is found with kPowerOfAdvice, a share; none if there is none
  Same same = Same::kProcesses;
  std::size_t processes_for_same = 0;  ///< per arm, with kPowerOfAdvice
};

/// None if no tested row is unknown.
std::optional<Outlook> outlook(const Comparison& comparison);

}  // namespace lab::judge
