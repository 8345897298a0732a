#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/fit.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_parts.h"
#include "harness/report/farm_text.h"
#include "harness/report/format.h"
#include "harness/report/history.h"
#include "harness/report/history_text.h"

namespace lab::report {

namespace {

constexpr std::size_t kMostCommitRows = 200;

/// The places of commits in their order.
class CommitOrder {
 public:
  explicit CommitOrder(std::span<const std::string> commits) {
    for (std::size_t i = 0; i < commits.size(); ++i) places_.emplace(commits[i], i);
  }
  /// Whether the change may have come with `sha`. Outside the order only the range's last commit is known.
  bool has(const results::CommitRange& range, const std::string& sha) const {
    if (range.to == sha) return true;
    if (!range.from || !range.to) return false;
    const auto from = places_.find(*range.from), to = places_.find(*range.to), here = places_.find(sha);
    if (from == places_.end() || to == places_.end() || here == places_.end()) return false;
    return from->second < here->second && here->second < to->second;
  }

 private:
  std::map<std::string_view, std::size_t> places_;
};

Table farm_changes_table(const FarmView& view, const CommitOrder& order, const std::string& sha) {
  Table table{"commit-changes",
              "What the machines show together, the latest first",
              {{"Verdict", kVerdict},
               {"Since", kName},
               {"Change", kNumber},
               {"Benchmarks", kText},
               {"Where", kText},
               {"Commits", kName}}};
  for (const judge::FarmChange& one : view.farm.changes) {
    if (!order.has(one.commits, sha) || !one.is_confirmed) continue;
    TableCell since(one.started.substr(0, 10));
    if (!one.alarm.empty()) since.link = alarm_address(one.alarm);
    table.rows.push_back({{verdict_text(one), one.is_alarm()  ? Emphasis::kBad
                                              : one.regressed ? Emphasis::kWeak
                                                              : Emphasis::kGood},
                          std::move(since),
                          size_text(one),
                          first_names(shown_names(one.benchmarks)),
                          where_text(one),
                          commits_cell(one.commits)});
    table.benchmarks.push_back(one.benchmarks);
  }
  return table;
}

}  // namespace

Document commit_page(const FarmView& view, const std::string& sha) {
  const CommitOrder order(view.commits);
  Document document = live_document(fmt::format("Commit {}", short_name(sha)), "");
  std::vector<Section>& sections = document.pages.front().sections;
  std::vector<judge::SeriesHistory> changed;
  for (const judge::FarmSeries& one : view.series) {
    judge::SeriesHistory history{one.key, {}, {}};
    for (const judge::LevelChange& change : one.findings.changes)
      if (order.has(change.commits, sha)) history.findings.changes.push_back(change);
    if (!history.findings.changes.empty()) changed.push_back(std::move(history));
  }
  std::size_t regressions = 0;
  std::set<std::string_view> shared;  // names of several hosts: none of their changes counts
  for (const judge::FarmMachine& one : view.farm.machines)
    if (!one.hosts.empty()) shared.insert(one.id);
  std::erase_if(changed, [&](const judge::SeriesHistory& one) { return shared.contains(one.series.machine); });
  for (const judge::SeriesHistory& one : changed)
    regressions += std::ranges::count_if(one.findings.changes, &judge::LevelChange::is_code_regression) > 0;
  std::vector<const results::SessionRecord*> measured;
  for (const results::SessionRecord& session : view.sessions)
    if (session.commit == sha) measured.push_back(&session);
  const std::string sessions =
      measured.empty() ? "no session measured it" : fmt::format("{} measured it", counted(measured.size(), "session"));
  document.lead = changed.empty()
                      ? fmt::format("No series changed with it; {}.", sessions)
                      : fmt::format("{} may have changed with it, {} of them for the worse by the code; {}.",
                                    counted(changed.size(), "series", "series"), whole(regressions), sessions);
  Section together{"together", "What changed"};
  together.add(farm_changes_table(view, order, sha));
  add(sections, std::move(together));
  Section alone{"history", "In each series"};
  Table table = changes_table(changed, {.with_machine = true, .link = series_address});
  if (table.rows.size() > kMostCommitRows) {
    table.caption += fmt::format(". The first {} of {} are here", kMostCommitRows, table.rows.size());
    table.rows.resize(kMostCommitRows);
  }
  alone.add(std::move(table));
  add(sections, std::move(alone));
  if (const auto place = std::ranges::find(view.commits, sha); place != view.commits.end()) {
    Section neighbours{"neighbours", "Its neighbours"};
    Paragraph links{"By the order of first parents:"};
    if (place != view.commits.begin())
      links.links.push_back({"before: " + short_name(*(place - 1)), commit_address(*(place - 1))});
    if (place + 1 != view.commits.end())
      links.links.push_back({"after: " + short_name(*(place + 1)), commit_address(*(place + 1))});
    if (place != view.commits.begin())
      links.links.push_back({"compared with the one before", compare_address(*(place - 1), sha)});
    neighbours.add(std::move(links));
    add(sections, std::move(neighbours));
  }
  Section nights{"nights", "Sessions that measured it"};
  if (!measured.empty())
    nights.add(Paragraph{"", Emphasis::kPlain, {{"compared with another commit", compare_address(sha)}}});
  Table list{
      "sessions", "Every session of this commit, by machine", {{"Night", kName}, {"Machine", kName}, {"Doubt", kText}}};
  for (const results::SessionRecord* const one : measured)
    if (list.rows.size() < kMostCommitRows)
      list.rows.push_back({night_cell(*one), machine_cell(one->machine), doubt_of(*one)});
  nights.add(std::move(list));
  add(sections, std::move(nights));
  return document;
}

}  // namespace lab::report
