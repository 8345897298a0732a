/// A bisect in words, the same wherever it is told.
#pragma once

#include <map>
#include <string>

#include "harness/bisect/search.h"

namespace lab::bisect {

/// Names of a cell's commits, for people.
class Names {
 public:
  explicit Names(const Cell& cell);
  /// `1a2b3c4d5e6f "subject"`.
  std::string operator()(const std::string& sha) const;
  bool is_merge(const std::string& sha) const;

 private:
  std::map<std::string, revisions::Commit> commits_;
};

/// "41 %"; two more digits where it is nearly all: 99.97 % is not 100 %.
std::string percent_text(double share);

/// The answer in one sentence, without its full stop.
std::string sentence(const Verdict& verdict, const Cell& cell);

}  // namespace lab::bisect
