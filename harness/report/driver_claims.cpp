#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/driver_verdict.h"
#include "harness/report/atlas_census.h"
#include "harness/report/atlas_names.h"
#include "harness/report/claims.h"
#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using judge::ColumnOutcome;
using judge::driver_of;
using judge::DriverVerdict;
using judge::JudgedDriverClaim;
using judge::JudgedDriverClaims;
using results::Article;
using results::ClaimScope;
using results::DriverColumn;

TableCell verdict_cell(DriverVerdict verdict) {
  static const std::map<DriverVerdict, Emphasis> kColours{
      {DriverVerdict::kHolds, Emphasis::kGood},      {DriverVerdict::kGeneralises, Emphasis::kGood},
      {DriverVerdict::kDiffers, Emphasis::kWeak},    {DriverVerdict::kInPart, Emphasis::kWeak},
      {DriverVerdict::kDoesNotHold, Emphasis::kBad}, {DriverVerdict::kDoesNotGeneralise, Emphasis::kBad},
      {DriverVerdict::kNotSeen, Emphasis::kOpen},    {DriverVerdict::kOpen, Emphasis::kOpen}};
  return {std::string(judge::to_string(verdict)), kColours.at(verdict)};
}

TableCell claim_cell(const JudgedDriverClaim& judged) {
  const std::string& note = judged.driver_claim->note;
  TableCell cell = note.empty() ? judged.claim->text : fmt::format("{}. {}", judged.claim->text, note);
  cell.details = basis_of(*judged.claim);
  return cell;
}

/// At most `most` of the texts, and how many more there are.
std::string some_of(const std::vector<std::string>& texts, std::size_t most) {
  if (texts.size() <= most) return fmt::format("{}", fmt::join(texts, ", "));
  return fmt::format("{} and {} more",
                     fmt::join(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(most), ", "),
                     texts.size() - most);
}

struct Figure {
  std::string text;
  std::vector<std::string> columns;  ///< that have it
};

std::vector<Figure> figures_of(const std::vector<ColumnOutcome>& columns) {
  std::vector<Figure> figures;
  for (const ColumnOutcome& one : columns) {
    auto same = std::find_if(figures.begin(), figures.end(),
                             [&](const Figure& figure) { return figure.text == one.outcome.found; });
    if (same == figures.end()) same = figures.insert(same, {one.outcome.found, {}});
    same->columns.push_back(one.column->name);
  }
  return figures;
}

/// The figures; with `named`, each with its columns.
std::string figures_text(const std::vector<ColumnOutcome>& columns, bool named) {
  std::vector<std::string> texts;
  for (const Figure& figure : figures_of(columns))
    texts.push_back(named ? fmt::format("{} ({})", figure.text, fmt::join(figure.columns, ", ")) : figure.text);
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

std::string found_on(const JudgedDriverClaim& judged) {
  if (judged.verdict == DriverVerdict::kDiffers)
    return fmt::format("Holds: {}. Not: {}", figures_text(judged.with(true), true),
                       figures_text(judged.with(false), true));
  const std::string figures =
      figures_text(judged.columns, judged.verdict != DriverVerdict::kHolds && figures_of(judged.columns).size() > 1);
  return judged.too_few.empty() ? figures : fmt::format("{}. Only {}", figures, judged.too_few);
}

std::string platform_of(const JudgedDriverClaim& judged, const Article& article) {
  return judged.platform.empty() ? "some of the surveyed" : article.platforms.at(judged.platform).what;
}

namespace {

/// "nvk (2 of 14: <column>, <column>): 512; lavapipe-22.3.6: 64": columns of a claim by driver, with their figures.
std::string by_driver(const std::vector<ColumnOutcome>& some, const std::vector<ColumnOutcome>& all) {
  constexpr std::size_t kMost = 3;
  std::map<std::string, std::vector<ColumnOutcome>> groups;
  for (const ColumnOutcome& one : some) groups[driver_of(*one.column)].push_back(one);
  std::vector<std::string> texts;
  for (const auto& [driver, group] : groups) {
    const auto count = std::count_if(all.begin(), all.end(), [&, name = driver](const ColumnOutcome& one) {
      return driver_of(*one.column) == name;
    });
    std::vector<std::string> names, figures;
    for (const ColumnOutcome& one : group) names.push_back(one.column->name);
    for (const Figure& figure : figures_of(group)) figures.push_back(figure.text);
    const std::string who = count == 1 ? names.front()
                            : std::ssize(group) == count
                                ? fmt::format("{} (all {})", driver, count)
                                : fmt::format("{} ({} of {}: {})", driver, group.size(), count, some_of(names, kMost));
    texts.push_back(fmt::format("{}: {}", who, some_of(figures, kMost)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

Table surveyed_table(const JudgedDriverClaims& judged, const Article& article) {
  Table table{"claims-" + article.name,
              fmt::format("The claims ({}, {}) on the platforms that the article surveyed", article.source.author,
                          article.source.year),
              {{"Verdict", kVerdict}, {"Claim", kText}, {"Platform", kText}, {"Read as", kText}, {"Found", kText}}};
  for (const JudgedDriverClaim& one : judged.surveyed)
    table.rows.push_back({verdict_cell(one.verdict), claim_cell(one), platform_of(one, article),
                          one.columns.front().outcome.reading, found_on(one)});
  return table;
}

std::string_view scope_text(ClaimScope scope) {
  static const std::map<ClaimScope, std::string_view> kTexts{{ClaimScope::kEachPlatform, "other drivers"},
                                                             {ClaimScope::kEachDriver, "every driver"},
                                                             {ClaimScope::kMostDrivers, "most drivers"},
                                                             {ClaimScope::kSomeDriver, "some driver"}};
  return kTexts.at(scope);
}

/// Where an example was seen, otherwise the exceptions; then the columns that cannot decide or have no data.
std::string detail(const JudgedDriverClaim& judged) {
  const std::vector<ColumnOutcome> holds = judged.with(true), fails = judged.with(false),
                                   open = judged.with(std::nullopt);
  std::vector<std::string> texts;
  if (judged.driver_claim->scope == ClaimScope::kSomeDriver && !holds.empty())
    texts.push_back("Seen on " + by_driver(holds, judged.columns));
  else if (!fails.empty())
    texts.push_back((judged.driver_claim->scope == ClaimScope::kSomeDriver ? "Found: " : "Not on ") +
                    by_driver(fails, judged.columns));
  if (!judged.too_few.empty()) texts.push_back("Only " + judged.too_few);
  if (!open.empty()) texts.push_back("Open on " + by_driver(open, judged.columns));
  if (judged.silent() == judged.columns.size())
    texts.push_back(capitalized(judged.columns.front().outcome.found));
  else if (judged.silent() != 0)
    texts.push_back(fmt::format("No answer from {}", counted(judged.silent(), "column")));
  return fmt::format("{}", fmt::join(texts, ". "));
}

Table elsewhere_table(const JudgedDriverClaims& judged, const Article& article) {
  Table table{"claims-" + article.name + "-elsewhere",
              "Whether the claims hold on other drivers",
              {{"Verdict", kVerdict},
               {"Claim", kText},
               {"About", kText},
               {"Read as", kText, true},
               {"Drivers", kShort},
               {"Columns", kShort, true},
               {"Exceptions and examples", kText}}};
  for (const JudgedDriverClaim& one : judged.elsewhere) {
    const std::size_t holds = one.with(true).size(), answered = holds + one.with(false).size();
    const judge::DriverCounts drivers = one.drivers();
    table.rows.push_back({verdict_cell(one.verdict), claim_cell(one), std::string(scope_text(one.driver_claim->scope)),
                          one.columns.front().outcome.reading, fmt::format("{} of {}", drivers.holds, drivers.answered),
                          fmt::format("{} of {}", holds, answered), detail(one)});
  }
  return table;
}

/// What no column answers, as one sentence; "" if every platform has a column.
std::string missing_text(const JudgedDriverClaims& judged) {
  if (judged.missing.empty()) return "";
  std::string text = fmt::format("{} about {}", counted(judged.unanswered, "claim"), enumerated(judged.missing));
  if (judged.partly != 0)
    text += fmt::format(", and {} part in {} about the surveyed platforms",
                        judged.missing.size() == 1 ? "its" : "their", counted(judged.partly, "claim"));
  return text + ": no column of these drivers. python3 make.py probe --import accepts the article's raw data.";
}

std::string method_text(std::span<const DriverColumn> atlas) {
  std::string text =
      "Each claim is checked as the column \"Read as\" says. On a platform that the article surveyed it holds or does "
      "not, or differs between versions of the driver; a claim about all platforms generalises to other "
      "drivers or does not. A claim is open where the columns cannot decide. Columns of one driver are not independent "
      "of each other, so no verdict about drivers in general comes from one driver, and none on a platform from one "
      "column of a simulated device. A driver counts if the claim holds on more than half of its columns. ";
  text += columns_phrase(atlas) + ".";
  const auto changed = static_cast<std::size_t>(std::count_if(
      atlas.begin(), atlas.end(), [](const DriverColumn& column) { return !column.environment.empty(); }));
  if (changed != 0) text += fmt::format(" {} with other settings of the driver left out.", counted(changed, "column"));
  return text;
}

/// The platforms of the article that have columns, with them.
List platforms(const Article& article, std::span<const DriverColumn> atlas) {
  List list;
  for (const auto& [name, platform] : article.platforms) {
    std::vector<std::string> names;
    for (const DriverColumn* column : judge::columns_like(platform.columns, atlas)) names.push_back(labelled(*column));
    if (!names.empty()) list.items.push_back(fmt::format("{} ({}): {}", platform.what, name, fmt::join(names, ", ")));
  }
  return list;
}

Table policy_table(const Article& article) {
  Table table{"policy-" + article.name,
              fmt::format("What the article proposes ({}, {})", article.source.author, article.source.year),
              {{"Part", kShort}, {"Rule", kText}}};
  for (const results::PolicyRule& rule : article.policy) table.rows.push_back({rule.part, rule.rule});
  return table;
}

}  // namespace

bool is_about_drivers(const Article& article) {
  return std::any_of(article.claims.begin(), article.claims.end(), [](const results::Claim& claim) {
    return std::holds_alternative<results::DriverClaim>(claim.kind);
  });
}

Section driver_claims_section(const Article& article, std::span<const DriverColumn> atlas,
                              std::span<const results::MemoryFindings> memory, bool disturbed) {
  const JudgedDriverClaims judged = judge::judge_driver_claims(article, atlas, memory, disturbed);
  Section section{"claims-" + article.name,
                  fmt::format("The claims of {} ({})", article.source.author, article.source.year),
                  {Paragraph{method_text(atlas)}}};
  section.add(platforms(article, atlas));
  section.add(surveyed_table(judged, article));
  section.add(elsewhere_table(judged, article));
  if (std::string missing = missing_text(judged); !missing.empty()) section.add(Paragraph{std::move(missing)});
  section.add(open_claims_table(article));
  section.add(policy_table(article));
  return section;
}

}  // namespace lab::report
