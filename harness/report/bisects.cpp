#include "harness/report/bisects.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <map>

#include "harness/report/bisect_text.h"
#include "harness/report/charts.h"
#include "harness/report/format.h"
#include "harness/results/commit.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::BisectVerdict;
using results::BisectEntry;
using results::ParsedBisectRecord;

/// Commits with separate colours in the probability plot (--c1 to --c5, which colour-blind readers can distinguish);
/// the others are one grey area.
constexpr std::size_t kDrawn = 5;
constexpr const char* kNoDifference = "no difference";
constexpr const char* kOthers = "all other commits";

Emphasis emphasis_of(const BisectVerdict& verdict) {
  switch (verdict.outcome) {
    case BisectVerdict::Outcome::kCulprit:
      return verdict.ratio > 1 ? Emphasis::kBad : Emphasis::kGood;
    case BisectVerdict::Outcome::kSuspects:
      return Emphasis::kWeak;
    case BisectVerdict::Outcome::kNone:
      return Emphasis::kGood;
    case BisectVerdict::Outcome::kUndecided:
      break;
  }
  return Emphasis::kOpen;
}

/// The commits that were among the likeliest in any entry; those of the last entry first.
std::vector<std::string> drawn_commits(const ParsedBisectRecord& record) {
  std::vector<std::string> commits;
  const auto take = [&](const BisectEntry& entry) {
    for (const results::Suspect& suspect : entry.most)
      if (commits.size() < kDrawn && std::find(commits.begin(), commits.end(), suspect.commit) == commits.end())
        commits.push_back(suspect.commit);
  };
  for (auto entry = record.entries.rbegin(); entry != record.entries.rend(); ++entry) take(*entry);
  return commits;
}

/// The plot's areas from the bottom: the commits drawn, no difference, all others.
std::vector<std::pair<std::string, double>> shares(const BisectEntry& entry, const std::vector<std::string>& drawn,
                                                   const report::CommitNames& names) {
  std::vector<std::pair<std::string, double>> parts;
  double left = 1 - entry.null;
  for (const std::string& commit : drawn) {
    const auto found = std::find_if(entry.most.begin(), entry.most.end(),
                                    [&](const results::Suspect& suspect) { return suspect.commit == commit; });
    const double share = found == entry.most.end() ? 0 : found->probability;
    left -= share;
    parts.emplace_back(names(commit), share);
  }
  parts.emplace_back(kNoDifference, entry.null);
  parts.emplace_back(kOthers, std::max(0.0, left));
  return parts;
}

Chart belief_chart(const ParsedBisectRecord& record, const BisectVerdict& verdict, const std::string& name) {
  Chart chart("posterior", name + "-belief");
  const std::vector<std::string> drawn = drawn_commits(record);
  const report::CommitNames names(record.question);
  json::array rows;
  int measurement = 0;
  // The plot draws each entry as a step; the last step needs an end point.
  const auto add = [&](const BisectEntry& entry, double at) {
    std::size_t rank = 0;
    for (const auto& [candidate, probability] : shares(entry, drawn, names))
      rows.push_back(json::object{{"at", at},
                                  {"measurement", measurement},
                                  {"benchmark", record.question.benchmark},
                                  {"candidate", candidate},
                                  {"probability", probability},
                                  {"rank", rank++}});
  };
  const BisectEntry* last = nullptr;
  for (const BisectEntry& entry : record.entries) {
    if (!entry.value) continue;
    ++measurement;
    add(entry, measurement - 0.5);
    last = &entry;
  }
  if (last != nullptr) add(*last, measurement + 0.5);
  chart.title = capitalized(answer_sentence(verdict, record.question));
  chart.note =
      "The probabilities after each measurement. The larger an area, the more likely its commit is the culprit.";
  chart.text = fmt::format("Areas of probability over {}. {}.",
                           counted(static_cast<std::size_t>(measurement), "measurement"), chart.title);
  chart.data = {{"rows", std::move(rows)}};
  json::array candidates, colours;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    candidates.emplace_back(names(drawn[i]));
    colours.emplace_back(fmt::format("var(--c{})", i + 1));
  }
  for (const auto& [candidate, colour] : {std::pair(kNoDifference, "var(--c6)"), std::pair(kOthers, "var(--rest)")}) {
    candidates.emplace_back(candidate);
    colours.emplace_back(colour);
  }
  chart.values = {{"candidates", candidates}, {"colours", colours}};
  return chart;
}

/// The first and the last position of the suspects; none without suspects.
std::optional<std::pair<std::size_t, std::size_t>> suspected(const BisectVerdict& verdict,
                                                             const std::map<std::string, std::size_t>& position) {
  if (verdict.outcome == BisectVerdict::Outcome::kNone || verdict.suspects.empty()) return std::nullopt;
  std::size_t first = position.size(), last = 0;
  for (const results::Suspect& suspect : verdict.suspects) {
    first = std::min(first, position.at(suspect.commit));
    last = std::max(last, position.at(suspect.commit));
  }
  return std::pair(first, last);
}

/// Where the level may have changed: each culprit, or all suspects together.
std::vector<std::pair<std::size_t, std::size_t>> changes_of(const BisectVerdict& verdict,
                                                            const std::map<std::string, std::size_t>& position) {
  std::vector<std::pair<std::size_t, std::size_t>> changes;
  for (const judge::BisectCulprit& culprit : verdict.culprits)
    changes.emplace_back(position.at(culprit.commits.front()), position.at(culprit.commits.back()));
  if (const auto range = suspected(verdict, position); changes.empty() && range) changes.push_back(*range);
  return changes;
}

/// The medians before, between and after the changes. With several commits for one, their own values count for neither.
json::array levels_of(const std::vector<std::pair<std::size_t, double>>& values,
                      const std::vector<std::pair<std::size_t, std::size_t>>& changes, std::size_t last) {
  json::array levels;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    const std::size_t to = i < changes.size() ? changes[i].first : last + 1;
    std::vector<double> inside;
    for (const auto& [position, value] : values)
      if (position >= from && position < to) inside.push_back(value);
    if (!inside.empty())
      levels.push_back(json::object{{"from", from}, {"to", to - 1}, {"level", stats::median(inside)}});
    if (i < changes.size()) from = changes[i].first == changes[i].second ? changes[i].first : changes[i].second + 1;
  }
  return levels;
}

Chart measured_chart(const ParsedBisectRecord& record, const BisectVerdict& verdict, const std::string& name) {
  Chart chart("bisect_levels", name + "-measured");
  std::map<std::string, std::size_t> position;
  for (const results::Commit& commit : record.question.commits) position.emplace(commit.sha, position.size());
  const report::CommitNames names(record.question);
  json::array rows, skipped, candidates;
  std::vector<std::pair<std::size_t, double>> values;
  for (const BisectEntry& entry : record.entries) {
    if (!position.contains(entry.commit)) continue;
    const std::size_t at = position.at(entry.commit);
    if (entry.value) {
      values.emplace_back(at, *entry.value);
      rows.push_back(json::object{{"position", at},
                                  {"benchmark", record.question.benchmark},
                                  {"value", *entry.value},
                                  {"commit", names(entry.commit)}});
    } else if (!entry.skip.empty()) {
      skipped.push_back(json::object{{"position", at}, {"commit", names(entry.commit)}, {"reason", entry.skip}});
    }
  }
  const std::size_t last = record.question.commits.size() - 1;
  const auto changes = changes_of(verdict, position);
  for (const auto& [first, last_suspect] : changes)
    candidates.push_back(
        json::object{{"from", static_cast<double>(first) - 0.5}, {"to", static_cast<double>(last_suspect) + 0.5}});
  chart.title = fmt::format("{} of {} commits were measured, {}", whole(verdict.measured_commits), whole(last + 1),
                            counted(verdict.measurements, "time"));
  chart.note =
      "Points: measurements. Grey: the levels before and after. Shaded: where the culprit may be. Ticks below: commits "
      "that could not be measured.";
  chart.text = fmt::format("Plot of {} by commit.", counted(rows.size(), "measurement"));
  chart.data = {{"rows", std::move(rows)},
                {"levels", levels_of(values, changes, last)},
                {"skipped", std::move(skipped)},
                {"candidates", std::move(candidates)}};
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const auto& [at, value] : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const bool times = !record.question.benchmark.empty();
  const AxisUnit unit = times ? time_axis(least, most) : AxisUnit{};
  chart.words = {{"axis", times ? unit.name + " per operation" : "measured"}};
  set_unit(chart, unit);
  return chart;
}

Table skipped_table(const BisectVerdict& verdict, const report::CommitNames& names, const std::string& name) {
  Table table{name + "-skipped", "Commits that could not be measured", {{"Commit", kName}, {"Why", kText}}};
  for (const judge::SkippedCommit& skipped : verdict.skipped)
    table.rows.push_back({names(skipped.commit), skipped.reason});
  return table;
}

std::string probability_text(double share) {
  return share > 0 && share < 0.005 ? "below 1 %" : report::probability_text(share);
}

/// The suspects that hold the answer's probability, then the other commits in the probability plot.
Table suspects_table(const ParsedBisectRecord& record, const BisectVerdict& verdict, const report::CommitNames& names,
                     const std::string& name) {
  Table table{name + "-candidates", "Possible culprits", {{"Commit", kName}, {"Probability", kNumber}}};
  std::vector<results::Suspect> suspects = verdict.suspects;
  const auto measured = std::find_if(record.entries.rbegin(), record.entries.rend(),
                                     [](const BisectEntry& entry) { return entry.value.has_value(); });
  if (measured != record.entries.rend())
    for (const results::Suspect& other : measured->most)
      if (std::none_of(suspects.begin(), suspects.end(),
                       [&](const results::Suspect& suspect) { return suspect.commit == other.commit; }))
        suspects.push_back(other);
  for (const results::Suspect& suspect : suspects)
    table.rows.push_back({names(suspect.commit), probability_text(suspect.probability)});
  return table;
}

Section one(const ParsedBisectRecord& record) {
  const results::BisectQuestion& question = record.question;
  const report::CommitNames names(question);
  const BisectVerdict verdict = judge::conclude(question, record.entries, kBisectProbability);
  // A benchmark may have several bisects: the bad end makes the name unique.
  const std::string name =
      identifier(fmt::format("bisect-{}-{}", question.benchmark.empty() ? "command" : question.benchmark,
                             results::short_commit(question.commits.back().sha)));
  Section section{name, question.benchmark.empty() ? question.command : question.benchmark};
  section.add(Paragraph{capitalized(answer_sentence(verdict, question)) + ".", emphasis_of(verdict)});
  section.add(Paragraph{fmt::format("Between {} and {}: {} of {} commits, noise per measurement {:.2g} %.",
                                    names(question.commits.front().sha), names(question.commits.back().sha),
                                    counted(verdict.measurements, "measurement"), whole(verdict.measured_commits),
                                    100 * verdict.noise)});
  if (const std::string levels = levels_text(verdict); !levels.empty())
    section.add(Paragraph{capitalized(levels) + "; the noise is that within a level."});
  if (verdict.measurements > 0)
    section.add(Charts{{belief_chart(record, verdict, name), measured_chart(record, verdict, name)}});
  if (Table suspects = suspects_table(record, verdict, names, name); suspects.rows.size() > 1)
    section.add(std::move(suspects));
  section.add(skipped_table(verdict, names, name));
  return section;
}

}  // namespace

Section bisects_section(std::span<const ParsedBisectRecord> records) {
  Section section{"bisects", "Bisects"};
  for (const ParsedBisectRecord& record : records) section.sections.push_back(one(record));
  return section;
}

}  // namespace lab::report
