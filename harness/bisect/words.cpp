#include "harness/bisect/words.h"

#include <fmt/format.h>

#include <cmath>

namespace lab::bisect {

namespace {

std::string change_text(double ratio) {
  const double change = 100 * (ratio - 1);
  return fmt::format("about {:.2g} % {}", std::abs(change), change > 0 ? "slower" : "faster");
}

std::string at_most(const Verdict& verdict) {
  return verdict.most > 1 ? fmt::format(" by more than {:.2g} %", 100 * (verdict.most - 1)) : "";
}

}  // namespace

Names::Names(const Cell& cell) {
  for (const revisions::Commit& commit : cell.commits) commits_[commit.sha] = commit;
}

std::string Names::operator()(const std::string& sha) const {
  const auto found = commits_.find(sha);
  return fmt::format("{} \"{}\"", sha.substr(0, 12), found == commits_.end() ? "" : found->second.subject);
}

bool Names::is_merge(const std::string& sha) const {
  const auto found = commits_.find(sha);
  return found != commits_.end() && found->second.merge;
}

std::string percent_text(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share > 0.99 && share < 1 ? 2 : 0);
}

std::string sentence(const Verdict& verdict, const Cell& cell) {
  const Names names(cell);
  const std::string probability = percent_text(verdict.probability);
  switch (verdict.answer) {
    case Verdict::Answer::kCulprit:
      return fmt::format("{} is the culprit ({}): {}", names(verdict.suspects.front().commit), probability,
                         change_text(verdict.ratio));
    case Verdict::Answer::kSuspects:
      return fmt::format("one of {} commits is the culprit ({}): {}; those between cannot be measured",
                         verdict.suspects.size(), probability, change_text(verdict.ratio));
    case Verdict::Answer::kNone:
      return fmt::format("no culprit: {} and {} do not differ{} ({})", names(cell.commits.front().sha),
                         names(cell.commits.back().sha), at_most(verdict), probability);
    case Verdict::Answer::kUndecided:
      break;
  }
  return fmt::format("undecided: no difference {}, else one of {} {}; the ends do not differ{}",
                     percent_text(verdict.null), verdict.suspects.size(),
                     verdict.suspects.size() == 1 ? "commit" : "commits", at_most(verdict));
}

}  // namespace lab::bisect
