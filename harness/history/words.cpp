#include "harness/history/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lab::history {

namespace {

std::string_view noun(std::size_t count) {
  return count == 1 ? " benchmark" : " benchmarks";
}

}  // namespace

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

std::string missing_text(const Judged& judged) {
  if (judged.nights_missing == 0) return "";
  return fmt::format("too young to tell{}: {} more night{}", judged.reason == kSeeds ? " since its seed changed" : "",
                     judged.nights_missing, judged.nights_missing == 1 ? "" : "s");
}

void Unchanged::add(const Findings& findings) {
  if (findings.judged.nights_missing > 0) return add(findings.judged);
  quiet += findings.changes.empty() && findings.metric_changes.empty();
}

void Unchanged::add(const Judged& young_one) {
  const std::size_t missing = young_one.nights_missing;
  fewest_missing = young == 0 ? missing : std::min(fewest_missing, missing);
  most_missing = std::max(most_missing, missing);
  ++young;
}

std::string young_text(const Unchanged& unchanged, std::string_view what) {
  if (unchanged.young == 0) return "";
  const std::string nights = unchanged.fewest_missing == unchanged.most_missing
                                 ? fmt::format("{}", unchanged.most_missing)
                                 : fmt::format("{} to {}", unchanged.fewest_missing, unchanged.most_missing);
  return fmt::format("{}{} too young to tell ({} more night{})", unchanged.young,
                     what, nights, unchanged.most_missing == 1 ? "" : "s");
}

std::string unchanged_text(const Unchanged& unchanged) {
  const std::size_t quiet = unchanged.quiet;
  if (quiet == 0) return young_text(unchanged, noun(unchanged.young));
  return fmt::format("{}{} without a change after {} first {} nights{}{}", quiet, noun(quiet),
                     quiet == 1 ? "its" : "their", stats::ChangePointDetector::kFewest,
                     unchanged.young > 0 ? ", " : "", young_text(unchanged, ""));
}

}  // namespace lab::history
