/// What two sessions that are not interleaved differ by without a cause in the code.
///
/// It is, the most trusted source first:
///   1. measured on at least kEnoughIdentical benchmarks whose executables are identical in both: the 95 % quantile of
///      their moves (stats::quantile), or
///   2. measured on a table of at least kEnoughRows rows (drift.h): the move of its median row plus 1.96 times the
///      spread of the rows beyond their own noise (1.4826 MAD); this cannot separate a change of the whole table from a
///      change of the machine, and the comparison reports that; or
///   3. kAssumedShift.
/// Never less than kLeastShift.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/comparison.h"

namespace lab::judge {

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

SessionShift session_shift(const std::vector<RowMove>& rows);

/// The identical code that moved most, if it moved by more than kAssumedShift.
std::optional<MovedIdenticalCode> moved_identical_code(const std::vector<RowMove>& rows);

}  // namespace lab::judge
