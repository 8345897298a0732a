#include "harness/report/bisect_text.h"

#include <fmt/format.h>

#include <cmath>

namespace lab::report {

namespace {

constexpr double kLargestShare = 1e4;  ///< what is more is told as a factor

/// A change's size without its sign: two digits, whole per cents from 10 % on, a factor where those are too many.
std::string size_text(double ratio) {
  const double share = std::abs(ratio - 1);
  if (share >= kLargestShare) return fmt::format("a factor of {:.2g}", ratio);
  return share < 0.1 ? fmt::format("{:.2g} %", 100 * share) : probability_text(share);
}

std::string change_text(double ratio) {
  return fmt::format("about {} {}", size_text(ratio), ratio > 1 ? "slower" : "faster");
}

std::string at_most(const judge::BisectVerdict& verdict) {
  return verdict.most > 1 ? fmt::format(" by more than {}", size_text(verdict.most)) : "";
}

}  // namespace

Names::Names(const results::Cell& cell) {
  for (const results::Commit& commit : cell.commits) commits_[commit.sha] = commit;
}

std::string Names::operator()(const std::string& sha) const {
  const auto found = commits_.find(sha);
  return fmt::format("{} \"{}\"", sha.substr(0, 12), found == commits_.end() ? "" : found->second.subject);
}

bool Names::is_merge(const std::string& sha) const {
  const auto found = commits_.find(sha);
  return found != commits_.end() && found->second.merge;
}

std::string probability_text(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share > 0.99 && share < 1 ? 2 : 0);
}

std::string sentence(const judge::BisectVerdict& verdict, const results::Cell& cell) {
  const Names names(cell);
  const std::string probability = probability_text(verdict.probability);
  switch (verdict.answer) {
    case judge::BisectVerdict::Answer::kCulprit:
      return fmt::format("{} is the culprit ({}): {}", names(verdict.suspects.front().commit), probability,
                         change_text(verdict.ratio));
    case judge::BisectVerdict::Answer::kSuspects:
      return fmt::format("one of {} commits is the culprit ({}): {}; those between cannot be measured",
                         verdict.suspects.size(), probability, change_text(verdict.ratio));
    case judge::BisectVerdict::Answer::kNone:
      return fmt::format("no culprit: {} and {} do not differ{} ({})", names(cell.commits.front().sha),
                         names(cell.commits.back().sha), at_most(verdict), probability);
    case judge::BisectVerdict::Answer::kUndecided:
      break;
  }
  return fmt::format("undecided: no difference {}, else one of {} {}; the ends do not differ{}",
                     probability_text(verdict.null), verdict.suspects.size(),
                     verdict.suspects.size() == 1 ? "commit" : "commits", at_most(verdict));
}

}  // namespace lab::report
