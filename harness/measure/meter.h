/// How bisect measures a commit; the seam between the search and the two ways of measuring, and for tests.
#pragma once

#include <string>

#include "harness/base/error.h"

namespace lab::measure {

/// The result of preparing a commit.
struct Prepared {
  std::string skip;      ///< why it can never be measured; "" if it can
  std::string later;     ///< why it cannot be measured now, but perhaps later; "" if it can
  std::string hint;      ///< advice for that
  std::string identity;  ///< equal for commits that cannot differ (a hash of the executable); "": unknown
};

/// The result of one measurement.
struct Reading {
  double value = 0;     ///< > 0; smaller is better
  std::string skip;     ///< why the commit can never be measured; "" if it can
  std::string failure;  ///< why there is no value; a retry may give one
};

/// Commits are full shas. An Error ends the bisect, which keeps its results.
class Meter {
 public:
  virtual ~Meter() = default;
  /// Checks out and builds: once per commit in a call of bisect, before its first measurement.
  virtual Expected<Prepared> prepare(const std::string& sha) = 0;
  virtual Expected<Reading> measure(const std::string& sha) = 0;
  /// Whether prepare has little work left.
  virtual bool is_ready(const std::string& sha) const = 0;
};

}  // namespace lab::measure
