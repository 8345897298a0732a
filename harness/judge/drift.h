/// The drift of a session: what each block did to all benchmarks alike.
///
/// If at least kEnoughRows rows ran in the same blocks, the common effect of a block (the median of its effects on the
/// rows) is removed before the tests. In an interleaved session it is removed from both arms of a row equally, so it
/// cannot cause a verdict, but it makes larger strata worthwhile. Of two sessions, the drift of each is removed.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::judge {

/// A table of fewer rows is too short to know what all of them have in common.
inline constexpr std::size_t kEnoughRows = 20;

class Drift {
 public:
  /// The values of one benchmark in each arm.
  using Arms = std::vector<std::span<const stats::Datum>>;

  /// Unknown: removes nothing.
  Drift() = default;
  /// Of blocks that have all arms of a benchmark. Unknown if fewer than kEnoughRows benchmarks have one of the blocks.
  explicit Drift(const std::vector<Arms>& benchmarks);

  bool is_known() const { return !effects_.empty(); }
  std::vector<stats::Datum> removed_from(std::vector<stats::Datum> data) const;

 private:
  std::map<int, double> effects_;  ///< logarithm, by block
};

}  // namespace lab::judge
