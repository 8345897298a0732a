/// What a bisect asks of a commit; the seam between the search and the two ways of measuring, and for tests.
#pragma once

#include <string>

#include "harness/base/error.h"

namespace lab::measure {

/// What came of getting a commit ready.
struct Prepared {
  std::string skip;      ///< why it can never be measured; "" where it can
  std::string later;     ///< why it cannot be measured now, though perhaps another day; "" where it can
  std::string hint;      ///< what to do about that
  std::string identity;  ///< equal for commits that cannot differ (a hash of the executable); "": not known
};

/// What came of one measurement.
struct Reading {
  double value = 0;     ///< > 0; smaller is better
  std::string skip;     ///< why the commit can never be measured; "" where it can
  std::string failure;  ///< why there is no value; another try may give one
};

/// Commits are full shas. An Error ends the bisect; what it has stays.
class Meter {
 public:
  virtual ~Meter() = default;
  /// Checks out, builds: once a commit, before it is first measured in a call of bisect.
  virtual Expected<Prepared> prepare(const std::string& sha) = 0;
  virtual Expected<Reading> measure(const std::string& sha) = 0;
  /// Whether prepare has little to do.
  virtual bool is_ready(const std::string& sha) const = 0;
};

}  // namespace lab::measure
