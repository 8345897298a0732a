/// A bisect in words, the same wherever it is told.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "harness/judge/bisect.h"
#include "harness/results/bisect_record.h"

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

/// What is believed after an entry: "9 measured, 3 commits hold 90 %, likeliest 1a2b3c4d5e6f "subject" 41 %".
std::string belief_text(const results::Entry& entry, std::size_t measurements, std::size_t holding, const Names& names);

/// The answer, with the suspects and what it took.
std::string to_text(const judge::BisectVerdict& verdict, const results::Cell& cell, const Names& names);
/// One object on a line.
std::string to_json(const judge::BisectVerdict& verdict, const results::Cell& cell,
                    const std::filesystem::path& record);

}  // namespace lab::report
