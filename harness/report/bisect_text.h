/// Bisect results as text and JSON.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "harness/judge/bisect.h"
#include "harness/results/bisect_record.h"

namespace lab::report {

/// Readable names of a bisect's commits.
class CommitNames {
 public:
  explicit CommitNames(const results::BisectQuestion& question);
  /// `1a2b3c4d5e6f "subject"`.
  std::string operator()(const std::string& sha) const;
  bool is_merge(const std::string& sha) const;

 private:
  std::map<std::string, results::Commit> commits_;
};

/// "41 %"; two more digits close to 100 %, so that 99.97 % does not round to 100 %.
std::string probability_text(double share);

/// "measurements of one and the same commit lie on two levels, 90 % apart, 46 % of all on the upper one"; "": on one.
std::string levels_text(const judge::BisectVerdict& verdict);

/// The answer in one sentence, without its full stop.
std::string answer_sentence(const judge::BisectVerdict& verdict, const results::BisectQuestion& question);

/// The probabilities after an entry: "9 measured, 3 commits hold 90 %, likeliest 1a2b3c4d5e6f "subject" 41 %".
std::string posterior_text(const results::BisectEntry& entry, std::size_t measurements, std::size_t credible_set_size,
                           const CommitNames& names);

/// The answer, the suspects and the cost.
std::string to_text(const judge::BisectVerdict& verdict, const results::BisectQuestion& question,
                    const CommitNames& names);
/// One object on one line.
std::string to_json(const judge::BisectVerdict& verdict, const results::BisectQuestion& question,
                    const std::filesystem::path& record);

}  // namespace lab::report
