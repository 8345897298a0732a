/// The verdicts of an atlas on an article's claims about drivers. The platforms that the article surveyed are judged
/// apart from other drivers: it claims what it found on the former, and of the latter one can only ask whether the
/// finding generalises.
///
/// What one driver answers says nothing about drivers in general, however many of its columns there are: they come from
/// one code. So a verdict about drivers needs two of them. A verdict on a platform needs a device of the machine, the
/// article's own tables, or two columns of a simulated one: the article does not name the version of its driver.
/// Otherwise the claim is open. One example is enough to show that there is one, and one exception that not all are so.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/driver_claim.h"
#include "harness/results/article.h"
#include "harness/results/atlas.h"

namespace lab::judge {

enum class DriverVerdict {
  kHolds,              ///< on every column that answered; an example: on one
  kDoesNotHold,        ///< on no column of the platform; a claim about every driver: not on all
  kDiffers,            ///< on some columns of a platform, not on others: other versions or settings of its driver
  kGeneralises,        ///< a claim about the surveyed platforms holds on all other columns that answered; most did
  kInPart,             ///< on some of them
  kDoesNotGeneralise,  ///< on none of them
  kNotSeen,            ///< no column shows what the article says of an unnamed driver
  kOpen                ///< no column can decide, or those that could are too few
};

/// "holds", "does not hold", "differs", "generalises", "in part", "does not generalise", "not seen" or "open".
std::string_view to_string(DriverVerdict verdict);

struct ColumnOutcome {
  const results::DriverColumn* column = nullptr;
  CheckOutcome outcome;
};

/// A claim about drivers, counted by driver.
struct DriverCounts {
  std::size_t holds = 0, answered = 0;
};

/// The driver of a column, whatever its version and chip. An imported column, or one that failed, is its own.
std::string driver_of(const results::DriverColumn& column);

/// A claim on the columns that it was checked on.
struct JudgedDriverClaim {
  const results::Claim* claim = nullptr;
  const results::DriverClaim* driver_claim = nullptr;
  std::string platform;  ///< its name in the article; "" for a claim about some platform, and on other drivers
  DriverVerdict verdict = DriverVerdict::kOpen;
  std::vector<ColumnOutcome> columns;
  std::string too_few = {};  ///< why the columns that answered decide nothing, as a phrase; "" if they are enough

  /// The columns that answered, by outcome; none: their data cannot decide.
  std::vector<ColumnOutcome> with(std::optional<bool> holds) const;
  /// How many columns have no data.
  std::size_t silent() const;
  /// The drivers whose columns decide something, and those of them on which the claim holds: on more than half of the
  /// columns that decide.
  DriverCounts drivers() const;
};

struct JudgedDriverClaims {
  std::vector<JudgedDriverClaim> surveyed;   ///< on the article's platforms that have a column, in the article's order
  std::vector<JudgedDriverClaim> elsewhere;  ///< on other drivers, or on all
  std::vector<std::string> missing;          ///< platforms without a column
  std::size_t unanswered = 0;                ///< claims about missing platforms alone
  std::size_t partly = 0;                    ///< claims about each platform or some, the missing ones included
};

/// Columns of drivers that answered nothing at all are left out. `article` and `atlas` must outlive the result.
/// `memory`: real allocations on the devices of some columns. `disturbed`: other work spoils the times of this machine,
/// so that they decide nothing; those of kept columns are of other machines.
JudgedDriverClaims judge_driver_claims(const results::Article& article, std::span<const results::DriverColumn> atlas,
                                       std::span<const results::MemoryFindings> memory = {}, bool disturbed = false);

/// The columns whose names match one of the globs, in either case. Not those that were asked with other settings of the
/// driver (DriverColumn::environment): the article used none.
std::vector<const results::DriverColumn*> columns_like(const std::vector<std::string>& globs,
                                                       std::span<const results::DriverColumn> atlas);

}  // namespace lab::judge
