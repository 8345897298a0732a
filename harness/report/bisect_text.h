/// A bisect in words, the same wherever it is told.
#pragma once

#include <map>
#include <string>

#include "harness/app/bisect_search.h"

namespace lab::report {

/// Names of a cell's commits, for people.
class Names {
 public:
  explicit Names(const results::Cell& cell);
  /// `1a2b3c4d5e6f "subject"`.
  std::string operator()(const std::string& sha) const;
  bool is_merge(const std::string& sha) const;

 private:
  std::map<std::string, results::Commit> commits_;
};

/// "41 %"; two more digits where it is nearly all: 99.97 % is not 100 %.
std::string probability_text(double share);

/// The answer in one sentence, without its full stop.
std::string sentence(const judge::BisectVerdict& verdict, const results::Cell& cell);

}  // namespace lab::report
