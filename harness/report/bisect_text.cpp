#include "harness/report/bisect_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "harness/base/fit.h"
#include "harness/base/terminal.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// "answer" in the JSON.
const std::map<judge::BisectVerdict::Outcome, std::string_view> kAnswers{
    {judge::BisectVerdict::Outcome::kCulprit, "culprit"},
    {judge::BisectVerdict::Outcome::kSuspects, "candidates"},
    {judge::BisectVerdict::Outcome::kNone, "none"},
    {judge::BisectVerdict::Outcome::kUndecided, "undecided"}};

constexpr double kLeastLayout = 0.5;   ///< of the noise: offsets between builds from which on they are shown
constexpr double kLeastOther = 0.05;   ///< probability of another culprit: a smaller one is none
constexpr double kLargestShare = 1e4;  ///< a larger share is shown as a factor

/// The absolute size of a change: two digits, whole per cents from 10 %, a factor above kLargestShare.
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

std::string layout_sentence(const judge::BisectVerdict& verdict, const CommitNames& names) {
  const std::string builds =
      fmt::format("layout alone makes builds differ by {} (standard deviation)", size_text(1 + verdict.layout));
  const std::string commits = counted(verdict.suspects.size(), "commit");
  if (verdict.null > 0.5)
    return fmt::format("no culprit can be named: {}, which explains the ends with {}; otherwise one of {}{}", builds,
                       probability_text(verdict.null), commits,
                       verdict.most > 1 ? "; the ends do not differ" + at_most(verdict) : "");
  const std::string who = verdict.suspects.size() == 1
                              ? names(verdict.suspects.front().commit) + " is likely the culprit"
                              : fmt::format("one of {} is the culprit", commits);
  return fmt::format("{} ({}): {}; {}, which hides more", who, probability_text(verdict.probability),
                     change_text(verdict.ratio), builds);
}

/// "1a2b3c4d5e6f "subject"", or how many commits it may be.
std::string suspects_name(const std::vector<std::string>& commits, const CommitNames& names) {
  if (commits.size() == 1) return names(commits.front());
  return fmt::format("one of {} up to {}", counted(commits.size(), "commit"), names(commits.back()));
}

/// Several culprits, in commit order.
std::string culprits_sentence(const judge::BisectVerdict& verdict, const CommitNames& names) {
  std::string text = fmt::format("{} changed it: ", counted(verdict.culprits.size(), "commit"));
  for (const judge::BisectCulprit& culprit : verdict.culprits) {
    std::string what = change_text(culprit.ratio);
    if (!culprit.taken_back.empty()) what += ", which takes back " + results::short_commit(culprit.taken_back);
    text += fmt::format("{}{} ({}): {}", &culprit == &verdict.culprits.front() ? "" : "; ",
                        suspects_name(culprit.commits, names), probability_text(culprit.probability), what);
  }
  return text;
}

/// What is known of other culprits: a line a side.
std::string sides_text(const judge::BisectVerdict& verdict, const CommitNames& names) {
  std::string text;
  for (const judge::BisectSide& side : verdict.sides) {
    const std::string between = fmt::format("after {} up to {}", results::short_commit(side.from), names(side.to));
    if (!side.is_tested)
      text += fmt::format("not tested: whether a commit {} changed it, too\n", between);
    else if (side.other > kLeastOther)
      text += fmt::format("{}: {} that another commit changed it, too\n", between, probability_text(side.other));
    else
      text += fmt::format("{}: no other change that stayed ({}); the two ends differ by {} at most\n", between,
                          probability_text(1 - side.other), size_text(side.most));
  }
  return text;
}

/// What the model names and its check does not: a line a step.
std::string unconfirmed_text(const judge::BisectVerdict& verdict, const CommitNames& names) {
  std::string text;
  for (const judge::UnconfirmedStep& step : verdict.unconfirmed) {
    const std::string measured =
        step.pairs == 0 ? "not measured yet in turns with the commit before it"
                        : fmt::format("{} of it and of the commit before it, in turns, do not confirm that",
                                      counted(2 * step.pairs, "measurement"));
    text +=
        fmt::format("not named: {}, {}: {}\n", suspects_name(step.commits, names), change_text(step.ratio), measured);
  }
  return text;
}

}  // namespace

CommitNames::CommitNames(const results::BisectQuestion& question) {
  for (const results::Commit& commit : question.commits) commits_[commit.sha] = commit;
}

std::string CommitNames::operator()(const std::string& sha) const {
  const auto found = commits_.find(sha);
  return fmt::format("{} \"{}\"", results::short_commit(sha), found == commits_.end() ? "" : found->second.subject);
}

bool CommitNames::is_merge(const std::string& sha) const {
  const auto found = commits_.find(sha);
  return found != commits_.end() && found->second.merge;
}

std::string probability_text(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share > 0.99 && share < 1 ? 2 : 0);
}

std::string levels_text(const judge::BisectVerdict& verdict) {
  if (verdict.levels <= 1) return "";
  return fmt::format("measurements of one and the same commit lie on two levels, {} apart, {} of all on the upper one",
                     size_text(verdict.levels), probability_text(verdict.upper_share));
}

std::string answer_sentence(const judge::BisectVerdict& verdict, const results::BisectQuestion& question) {
  const CommitNames names(question);
  const std::string probability = probability_text(verdict.probability);
  if (verdict.culprits.size() > 1) return culprits_sentence(verdict, names);
  switch (verdict.outcome) {
    case judge::BisectVerdict::Outcome::kCulprit:
      return fmt::format("{} is the culprit ({}): {}", names(verdict.suspects.front().commit), probability,
                         change_text(verdict.ratio));
    case judge::BisectVerdict::Outcome::kSuspects:
      if (verdict.hidden_by_layout) return layout_sentence(verdict, names);
      return fmt::format("one of {} commits is the culprit ({}): {}; the commits between them cannot be measured",
                         verdict.suspects.size(), probability, change_text(verdict.ratio));
    case judge::BisectVerdict::Outcome::kNone:
      return fmt::format("no culprit: {} and {} do not differ{} ({})", names(question.commits.front().sha),
                         names(question.commits.back().sha), at_most(verdict), probability);
    case judge::BisectVerdict::Outcome::kUndecided:
      break;
  }
  if (!verdict.unconfirmed.empty())
    return fmt::format("undecided: {} out, which measurements in turns have not confirmed",
                       verdict.unconfirmed.size() == 1
                           ? suspects_name(verdict.unconfirmed.front().commits, names) + " stands"
                           : counted(verdict.unconfirmed.size(), "commit") + " stand");
  return fmt::format("undecided: no difference {}, otherwise one of {}; the ends do not differ{}",
                     probability_text(verdict.null), counted(verdict.suspects.size(), "commit"), at_most(verdict));
}

std::string posterior_text(const results::BisectEntry& entry, std::size_t measurements, std::size_t credible_set_size,
                           const CommitNames& names) {
  std::string text = fmt::format("{} measured, ", measurements);
  if (entry.most.empty() || entry.null > entry.most.front().probability)
    text += fmt::format("no difference {}", probability_text(entry.null));
  else
    text += fmt::format("{} hold{} 90 %, likeliest {} {}", counted(credible_set_size, "commit"),
                        credible_set_size == 1 ? "s" : "", names(entry.most.front().commit),
                        probability_text(entry.most.front().probability));
  return text;
}

std::string to_text(const judge::BisectVerdict& verdict, const results::BisectQuestion& question,
                    const CommitNames& names) {
  std::string text = fmt::format("{}\n", answer_sentence(verdict, question));
  if (verdict.outcome == judge::BisectVerdict::Outcome::kCulprit && names.is_merge(verdict.suspects.front().commit))
    text += fmt::format("it is a merge; to bisect its branch: --good $(git merge-base {0}^1 {0}^2) --bad {0}^2\n",
                        results::short_commit(verdict.suspects.front().commit));
  constexpr std::size_t kNamed = 20;
  text += sides_text(verdict, names) + unconfirmed_text(verdict, names);
  if (!verdict.unfinished.empty()) text += fmt::format("ended early: {}\n", verdict.unfinished);
  if (verdict.suspects.size() > 1)
    for (std::size_t i = 0; i < std::min(kNamed, verdict.suspects.size()); ++i)
      text += fmt::format("  {:>7}  {}\n", probability_text(verdict.suspects[i].probability),
                          names(verdict.suspects[i].commit));
  if (verdict.suspects.size() > kNamed) text += fmt::format("  and {} more\n", verdict.suspects.size() - kNamed);
  text += fmt::format(
      "{} of {} in {}; noise per measurement {:.2g} %{}{}\n", counted(verdict.measurements, "measurement"),
      counted(verdict.measured_commits, "commit"), duration_text(verdict.seconds), 100 * verdict.noise,
      verdict.layout < kLeastLayout * verdict.noise ? ""
                                                    : fmt::format(", between builds {:.2g} %", 100 * verdict.layout),
      verdict.skipped.empty() ? "" : fmt::format("; {} skipped", counted(verdict.skipped.size(), "commit")));
  if (const std::string levels = levels_text(verdict); !levels.empty()) text += levels + "\n";
  return text;
}

std::string to_json(const judge::BisectVerdict& verdict, const results::BisectQuestion& question,
                    const std::filesystem::path& record) {
  json::array candidates;
  for (const results::Suspect& each : verdict.suspects)
    candidates.push_back(json::object{{"commit", each.commit}, {"probability", each.probability}});
  json::array skipped;
  for (const judge::SkippedCommit& each : verdict.skipped)
    skipped.push_back(json::object{{"commit", each.commit}, {"reason", each.reason}});
  json::array culprits, sides, unconfirmed;
  for (const judge::UnconfirmedStep& each : verdict.unconfirmed)
    unconfirmed.push_back(
        json::object{{"commits", json::value_from(each.commits)}, {"ratio", each.ratio}, {"pairs", each.pairs}});
  for (const judge::BisectCulprit& each : verdict.culprits)
    culprits.push_back(
        json::object{{"commits", json::value_from(each.commits)},
                     {"probability", each.probability},
                     {"ratio", each.ratio},
                     {"takes_back", each.taken_back.empty() ? json::value(nullptr) : json::value(each.taken_back)}});
  for (const judge::BisectSide& each : verdict.sides)
    sides.push_back(json::object{{"from", each.from},
                                 {"to", each.to},
                                 {"other_probability", each.other},
                                 {"largest_ratio", each.most},
                                 {"tested", each.is_tested}});
  const bool named = verdict.outcome == judge::BisectVerdict::Outcome::kCulprit;
  const json::object object{
      {"culprit", named ? json::value(verdict.suspects.front().commit) : json::value(nullptr)},
      {"probability", verdict.probability},
      {"candidates", std::move(candidates)},
      {"measurements", verdict.measurements},
      {"answer", kAnswers.at(verdict.outcome)},
      {"culprits", std::move(culprits)},
      {"sides", std::move(sides)},
      {"unconfirmed", std::move(unconfirmed)},
      {"unfinished", verdict.unfinished.empty() ? json::value(nullptr) : json::value(verdict.unfinished)},
      {"null_probability", verdict.null},
      {"ratio",
       verdict.outcome == judge::BisectVerdict::Outcome::kNone ? json::value(nullptr) : json::value(verdict.ratio)},
      {"noise", verdict.noise},
      {"layout", verdict.layout},
      {"levels_ratio", verdict.levels},
      {"upper_level_share", verdict.upper_share},
      {"hidden_by_layout", verdict.hidden_by_layout},
      {"largest_ratio", verdict.most},
      {"good", question.commits.front().sha},
      {"bad", question.commits.back().sha},
      {"commits", question.commits.size() - 1},
      {"measured_commits", verdict.measured_commits},
      {"skipped", std::move(skipped)},
      {"seconds", verdict.seconds},
      {"record", record.string()}};
  return json::serialize(object) + "\n";
}

}  // namespace lab::report
