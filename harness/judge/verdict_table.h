/// The rows of a comparison, from what is known before any test to their verdicts.
///
/// A row's `p` is Holm's over the tested rows, for a table a quarter larger (family_size): plain Holm would give a
/// false finding in almost exactly alpha of all tables. A row's interval is of the same test, at 1 - alpha for this row
/// alone: p already prevents false findings, and intervals as wide as Holm's would need more than twice the processes
/// to call anything "same". Where the layout of code alone could explain what the processes show, the row says so.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/judge/compared_arm.h"
#include "harness/judge/comparison.h"
#include "harness/judge/drift.h"
#include "harness/judge/tested_row.h"

namespace lab::judge {

/// What decides the verdicts of all rows.
struct VerdictRule {
  double session_shift = 0;  ///< a share
  double alpha = stats::kAlpha;
  double threshold = kThreshold;
  Reason unjudged = Reason::kNone;                ///< why the sessions give no verdict
  std::set<std::string, std::less<>> blind = {};  ///< families that a session does not judge: Control::blind
  bool needs_levels = false;                      ///< two sessions: times that other work disturbed have no verdict
};

/// Of a tested row, after Holm.
struct AdjustedP {
  double p = 1, without_layout = 1;
};

/// Refers to both sides, which must outlive it.
class VerdictTable {
 public:
  /// Both sides have each of `benchmarks`, or identical code of it.
  VerdictTable(const ComparedArm& base, const ComparedArm& head, const std::set<std::string>& benchmarks);

  /// Both sides are one session: every row is identical.
  void set_same_session();
  std::size_t tested() const;
  /// The benchmarks that did other work, or ran elsewhere.
  std::set<std::string> with_other_work() const;

  /// Tests every row that both sides measured.
  void test(bool interleaved, double alpha);

  /// The next ones need the tests.

  /// Between two sessions, of the rows whose times are a level in both.
  std::vector<RowMove> moves() const;
  /// Between processes, a share: of the median row; none if no row has one.
  std::optional<double> noise() const;
  /// A share: what layouts widen the intervals by on either side, in the median row.
  double layout_shift() const;
  /// Sorted by verdict, then distance of the ratio from 1 (descending), then name.
  std::vector<ComparisonRow> verdicts(const VerdictRule& rule) const;

 private:
  struct Row {
    ComparisonRow known;            ///< before the tests
    std::optional<TestedRow> test;  ///< none if a side has no values
  };

  Row started(const std::string& benchmark) const;
  Drift drift_of(const std::vector<const ComparedArm*>& sides) const;
  std::vector<AdjustedP> adjusted(double shift) const;
  bool has_levels(const std::string& benchmark) const {
    return base_->is_level(benchmark) && head_->is_level(benchmark);
  }
  /// Why the test of a row counts for nothing; kNone if it counts.
  Reason unjudged_reason(const ComparisonRow& row, const VerdictRule& rule) const;

  const ComparedArm *base_, *head_;
  std::vector<Row> rows_;
};

}  // namespace lab::judge
