#include "harness/report/sessions.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/format.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

using judge::Kinship;
using judge::PictureSession;

constexpr std::size_t kMostWorkloadNames = 5;

/// At most kMostWorkloadNames of them.
std::string first_names(const std::vector<std::string>& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kMostWorkloadNames));
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (names.size() > kMostWorkloadNames) text += fmt::format(" and {} more", names.size() - kMostWorkloadNames);
  return text;
}

std::string unfit_phrase(const PictureSession& one) {
  return one.reason == judge::kBlindReason ? "unfit: its control would have missed large changes"
                                           : "unfit: its control found a change where there is none";
}

TableCell fit_cell(const PictureSession& one) {
  if (!one.fit) return {unfit_phrase(one), Emphasis::kBad};
  return one.blind.empty() ? TableCell("fit") : TableCell(fmt::format("fit but for {}", first_names(one.blind)));
}

/// "3 of this commit, 2 fit; 1 of other sources with the same executables, 1 fit. Not all families: 1 of the fit ones"
std::string sessions_phrase(const judge::Picture& picture) {
  std::size_t own = 0, own_fit = 0, others = 0, others_fit = 0, partly = 0;
  for (const PictureSession& one : picture.sessions) {
    const bool is_own = one.kinship == Kinship::kCommit;
    (is_own ? own : others) += 1;
    (is_own ? own_fit : others_fit) += one.fit;
    partly += one.fit && !one.blind.empty();
  }
  std::string text = fmt::format("{} of this commit, {} fit", own, own_fit);
  if (others > 0) text += fmt::format("; {} of other sources with the same executables, {} fit", others, others_fit);
  if (partly > 0) text += fmt::format("; {} of the fit ones not for all families", partly);
  return text;
}

std::string gave_phrase(const PictureSession& one) {
  std::vector<std::string> parts;
  if (one.benchmarks > 0) parts.push_back(counted(one.benchmarks, "benchmark"));
  if (one.exact > 0) parts.push_back(fmt::format("figures without noise of {}", counted(one.exact, "benchmark")));
  if (one.exhibits > 0) parts.push_back(counted(one.exhibits, "exhibit"));
  std::string text = parts.empty() ? "nothing" : enumerated(parts);
  if (!one.alone.empty()) text += fmt::format("; alone: {}", first_names(one.alone));
  return text;
}

std::string without_phrase(const PictureSession& one) {
  std::vector<std::string> parts;
  if (!one.fit) parts.push_back("an unfit session gives no times");
  if (!one.unlike.empty()) parts.push_back(fmt::format("some benchmarks: {}", fmt::join(one.unlike, ", ")));
  if (!one.blind.empty())
    parts.push_back(
        fmt::format("times of {}, in which its control could have missed large changes; another session's "
                    "control could not",
                    first_names(one.blind)));
  if (!one.disturbed.empty())
    parts.push_back(
        fmt::format("other work disturbed {}, which another session has undisturbed", first_names(one.disturbed)));
  if (one.failures > 0) parts.push_back(counted(one.failures, "failure"));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

void add_picture(const judge::Picture& picture, Document& document) {
  if (!picture.several()) return;
  document.facts.emplace_back("Sessions", sessions_phrase(picture));
  const PictureSession& latest = picture.sessions.front();
  if (picture.main == 0) return;
  document.alerts.push_back(
      {fmt::format("The latest session, {}, is {}. The times are those of the fit sessions of its commit.", latest.id,
                   unfit_phrase(latest)),
       "provenance"});
}

Table sessions_table(const judge::Picture& picture) {
  Table table{
      "sessions",
      "Sessions put together. Each gives an estimate of its own; the interval of several includes how much they "
      "differ. Two sessions say little about that difference, so their interval is wider than that of one session; "
      "with "
      "more sessions it becomes narrower",
      {{"Session", kName},
       {"Started", kShort},
       {"Sources", kShort},
       {"Fit", kText},
       {"Gave", kText},
       {"Not used, and why", kText, false, true}}};
  for (const PictureSession& one : picture.sessions) {
    std::string sources = one.source.commit ? results::short_commit(*one.source.commit) : one.source.state;
    if (one.source.state == "dirty") sources += " (dirty)";
    if (one.kinship == Kinship::kExecutable) sources += ", the same executables";
    table.rows.push_back({one.id, one.started, sources, fit_cell(one), gave_phrase(one), without_phrase(one)});
  }
  return table;
}

}  // namespace lab::report
