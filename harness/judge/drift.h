/// What sessions do to times without a cause in the code: the drift of each block, and what two sessions differ by.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/judge/comparison.h"
#include "harness/stats/interval.h"

namespace lab::judge {

/// A table of fewer rows is too short to know what all of them have in common.
inline constexpr std::size_t kEnoughRows = 20;

/// The drift of a session: what each block did to all benchmarks alike.
///
/// If at least kEnoughRows rows ran in the same blocks, the common effect of a block (the median of its effects on the
/// rows) is removed before the tests. In an interleaved session it is removed from both arms of a row equally, so it
/// cannot cause a verdict, but it makes larger strata worthwhile. Of two sessions, the drift of each is removed.
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

inline constexpr std::size_t kEnoughIdentical = 10;
/// Possible difference of a benchmark between two sessions of one commit on one quiet machine, from temperature, pages
/// and neighbours. Far more on a shared machine: there only interleaving helps.
inline constexpr double kAssumedShift = 0.02;
inline constexpr double kLeastShift = 0.002;

/// What one row of the same work moved by.
struct RowMove {
  std::string benchmark;
  double log_ratio = 0;
  std::optional<double> standard_error;  ///< of log_ratio
  bool identical = false;                ///< its executable
};

struct SessionShift {
  double share = 0;
  ShiftSource source;
};

/// What two sessions that are not interleaved differ by. It is, the most trusted source first:
///   1. measured on at least kEnoughIdentical benchmarks whose executables are identical in both: the quantile
///      1 - `alpha` of their moves (stats::quantile), or
///   2. measured on a table of at least kEnoughRows rows: the move of its median row plus the spread of the rows beyond
///      their own noise (1.4826 MAD) times the normal quantile for `alpha`, 1.96 at 0.05; this cannot separate a change
///      of the whole table from a change of the machine, and the comparison reports that; or
///   3. kAssumedShift.
/// Never less than kLeastShift.
SessionShift session_shift(const std::vector<RowMove>& rows, double alpha);

/// The identical code that moved most, if it moved by more than kAssumedShift.
std::optional<MovedIdenticalCode> moved_identical_code(const std::vector<RowMove>& rows);

}  // namespace lab::judge
