#include "harness/history/words.h"

#include <fmt/format.h>

namespace lab::history {

std::string percent_text(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string commits_text(const CommitRange& commits) {
  const auto brief = [](const std::string& commit) { return commit.empty() ? "no git" : commit.substr(0, 12); };
  return commits.from == commits.to ? brief(commits.to) : fmt::format("{}..{}", brief(commits.from), brief(commits.to));
}

std::string verdict_text(const Change& change) {
  if (change.cause == "code") return change.regressed() ? "regressed" : "improved";
  const bool is_new = change.cause != "machine" && change.cause != "settings";
  return fmt::format("{}, {}{}", change.regressed() ? "slower" : "faster", is_new ? "new " : "", change.cause);
}

}  // namespace lab::history
