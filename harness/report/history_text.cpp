#include "harness/report/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lab::report {

namespace {

std::string_view noun(std::size_t count) {
  return count == 1 ? " benchmark" : " benchmarks";
}

/// "4", or "4 to 9".
std::string from_to(std::size_t least, std::size_t most) {
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string change_text(double ratio) {
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string commits_text(const judge::CommitRange& commits) {
  const auto brief = [](const std::string& commit) { return commit.empty() ? "no git" : commit.substr(0, 12); };
  return commits.from == commits.to ? brief(commits.to) : fmt::format("{}..{}", brief(commits.from), brief(commits.to));
}

std::string verdict_text(const judge::Change& change) {
  if (change.cause == "code") return change.regressed() ? "regressed" : "improved";
  const bool is_new = change.cause != "machine" && change.cause != "settings";
  return fmt::format("{}, {}{}", change.regressed() ? "slower" : "faster", is_new ? "new " : "", change.cause);
}

std::string missing_text(const judge::Judged& judged) {
  if (judged.nights_missing == 0) return "";
  return fmt::format("too young to tell{}: {} more night{}", judged.reason == judge::kSeedsReason ? " since its seed changed" : "",
                     judged.nights_missing, judged.nights_missing == 1 ? "" : "s");
}

std::string quiet_text(const judge::Judged& judged, std::size_t nights) {
  if (judged.nights_missing > 0) return missing_text(judged);
  return fmt::format("no change from night {} to {}", judged.from + 1, nights + 1 - stats::ChangePointDetector::kPlain);
}

void Unchanged::add(const judge::Findings& findings) {
  if (findings.judged.nights_missing > 0) return add(findings.judged);
  if (!findings.changes.empty() || !findings.metric_changes.empty()) return;
  const std::size_t before = findings.judged.from;
  fewest_before = quiet == 0 ? before : std::min(fewest_before, before);
  most_before = std::max(most_before, before);
  ++quiet;
}

void Unchanged::add(const judge::Judged& young_one) {
  const std::size_t missing = young_one.nights_missing;
  fewest_missing = young == 0 ? missing : std::min(fewest_missing, missing);
  most_missing = std::max(most_missing, missing);
  ++young;
}

std::string young_text(const Unchanged& unchanged, std::string_view what) {
  if (unchanged.young == 0) return "";
  return fmt::format("{}{} too young to tell ({} more night{})", unchanged.young, what,
                     from_to(unchanged.fewest_missing, unchanged.most_missing), unchanged.most_missing == 1 ? "" : "s");
}

std::string unchanged_text(const Unchanged& unchanged) {
  const std::size_t quiet = unchanged.quiet;
  if (quiet == 0) return young_text(unchanged, noun(unchanged.young));
  const std::string_view whose = quiet == 1 ? "its" : "their";
  return fmt::format("{}{} without a change after {} first {} nights and before {} last {}{}{}", quiet, noun(quiet),
                     whose, from_to(unchanged.fewest_before, unchanged.most_before), whose,
                     stats::ChangePointDetector::kPlain - 1, unchanged.young > 0 ? ", " : "", young_text(unchanged, ""));
}

}  // namespace lab::report
