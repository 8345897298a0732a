/// The intervals of a session with a target: which are still too wide.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/measure/session_arms.h"

namespace lab::measure {

class TargetIntervals {
 public:
  /// All must outlive it. `rule` defines the interval.
  TargetIntervals(const SessionSpec& spec, const StoppingRule& rule, const SessionArms& arms,
                  const results::Result& result)
      : spec_(spec), rule_(rule), arms_(arms), result_(result), known_(arms.groups()), compared_(arms.compared()) {}

  /// Every interval wider than the target, widest first, with the number of its benchmark.
  std::vector<std::pair<double, std::size_t>> wide();
  /// Whether there is a target, and none is wider.
  bool reached() { return spec_.length.target > 0 && wide().empty(); }
  /// Which intervals missed the target.
  std::string missed_sentence();

 private:
  struct Width {
    int processes = 0;  ///< number of processes behind it, over all arms
    double half = 1;    ///< divided by the middle
  };

  const SessionSpec& spec_;
  const StoppingRule& rule_;
  const SessionArms& arms_;
  const results::Result& result_;
  /// By number of benchmark: an exact interval of many processes takes a while to compute, and that of a paused
  /// benchmark does not change.
  std::vector<Width> known_;
  std::size_t compared_;
};

}  // namespace lab::measure
