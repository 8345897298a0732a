#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "harness/base/fit.h"
#include "harness/report/farm_pages.h"
#include "harness/report/farm_parts.h"
#include "harness/report/format.h"
#include "harness/report/history_text.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

constexpr std::size_t kMostComparedRows = 500;

std::string side_text(const ComparedSeries& one, const ComparedSeries::Side& side) {
  const stats::Estimate value{side.medians.size(), stats::median(side.medians), side.interval};
  std::string text = one.is_time ? duration_with_interval(value) : with_interval(value);
  if (side.medians.size() > 1) text += fmt::format(", {} sessions", side.medians.size());
  return text;
}

/// Whether the intervals that the sessions have lie apart; "" if a side has none.
std::string apart_text(const ComparedSeries& one) {
  if (!one.a.interval || !one.b.interval) return "";
  const bool apart = one.a.interval->high < one.b.interval->low || one.b.interval->high < one.a.interval->low;
  return apart ? "apart" : "overlap";
}

constexpr std::size_t kMostChoices = 300;

Section machine_choices(const FarmView& view, const std::string& a) {
  Section section{"machines", "Machines"};
  Table table{"machines", "Machines of the farm", {{"Machine", kName}, {"Class", kText}, {"Last session", kName}}};
  for (const judge::FarmMachine& one : view.farm.machines) {
    if (one.id == a || table.rows.size() == kMostChoices) continue;
    TableCell machine(shown_name(one.id));
    machine.link = a.empty() ? compare_address(one.id) : compare_address(a, one.id);
    table.rows.push_back({std::move(machine), shown_name(one.class_name), one.last.substr(0, 10)});
  }
  section.add(std::move(table));
  return section;
}

Section commit_choices(const FarmView& view, const std::string& a) {
  struct Measured {
    std::size_t sessions = 0;
    std::set<std::string_view> machines = {};
    std::string_view last = {};
  };
  std::map<std::string_view, Measured> commits;
  for (const results::SessionRecord& session : view.sessions)
    if (session.commit && *session.commit != a) {
      Measured& one = commits[*session.commit];
      ++one.sessions;
      one.machines.insert(session.machine);
      one.last = std::max(one.last, std::string_view(session.started));
    }
  std::vector<std::pair<std::string_view, const Measured*>> order;
  for (const auto& [sha, one] : commits) order.emplace_back(sha, &one);
  std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& one) { return one.second->last; });
  Section section{"commits", "Commits"};
  Table table{"commits",
              fmt::format("Measured commits, the latest first{}",
                          order.size() > kMostChoices ? fmt::format(": {} of {}", kMostChoices, order.size()) : ""),
              {{"Commit", kName}, {"Last session", kName}, {"Sessions", kNumber}, {"Machines", kNumber}}};
  for (const auto& [sha, one] : order) {
    if (table.rows.size() == kMostChoices) break;
    TableCell commit(short_name(std::string(sha)));
    commit.link = a.empty() ? compare_address(sha) : compare_address(a, sha);
    table.rows.push_back(
        {std::move(commit), std::string(one->last.substr(0, 10)), whole(one->sessions), whole(one->machines.size())});
  }
  section.add(std::move(table));
  return section;
}

}  // namespace

Document compare_choice_page(const FarmView& view, const std::string& a, bool of_machines) {
  const std::string name = of_machines ? shown_name(a) : short_name(a);
  Document document =
      a.empty() ? live_document("Compare", "Choose the first of two machines or two commits.")
                : live_document(fmt::format("Compare {}", name), fmt::format("Choose what is compared with {}.", name));
  std::vector<Section>& sections = document.pages.front().sections;
  if (a.empty() || of_machines) add(sections, machine_choices(view, a));
  if (a.empty() || !of_machines) add(sections, commit_choices(view, a));
  return document;
}

Document compare_page(const ComparedFarm& compared) {
  const auto name = [&](const std::string& side) { return compared.of_machines ? shown_name(side) : short_name(side); };
  const std::string a = name(compared.a), b = name(compared.b);
  Document document = live_document(fmt::format("{} and {}", a, b), "");
  std::vector<Section>& sections = document.pages.front().sections;
  const auto address = [&](const std::string& side) {
    return compared.of_machines ? machine_address(side) : commit_address(side);
  };
  Section section{"comparison", "Comparison"};
  std::vector<const ComparedSeries*> order;
  for (const ComparedSeries& one : compared.series) order.push_back(&one);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const ComparedSeries* one) { return std::abs(std::log(one->ratio)); });
  if (order.empty()) {
    document.lead = compared.nothing;
  } else {
    std::vector<double> ratios;
    for (const ComparedSeries* const one : order) ratios.push_back(one->ratio);
    document.lead = fmt::format(
        "{} of both: the median ratio {} to {} is {}; the farthest from 1 is {}.",
        counted(order.size(), compared.of_machines ? "benchmark" : "series", compared.of_machines ? "" : "series"), b,
        a, number(stats::median(ratios)), number(order.front()->ratio));
    Table table{"compared",
                fmt::format("{} Sorted by the size of the difference{}",
                            compared.of_machines
                                ? "The median ratio over the last nights that both measured, and its range."
                                : "Medians of each commit's sessions on the same machine. No verdict: sessions of two "
                                  "nights differ by more than their intervals say.",
                            order.size() > kMostComparedRows
                                ? fmt::format("; the first {} of {}", kMostComparedRows, order.size())
                                : ""),
                {{"Benchmark", kBenchmark}}};
    if (!compared.of_machines) table.columns.push_back({"Machine", kName});
    table.columns.push_back({fmt::format("{} / {}", b, a), kNumber});
    table.columns.push_back({a, kNumber});
    table.columns.push_back({b, kNumber});
    table.columns.push_back(
        {compared.of_machines ? "Range over nights" : "Intervals", compared.of_machines ? kNumber : kShort});
    for (const ComparedSeries* const one : order) {
      if (table.rows.size() == kMostComparedRows) break;
      std::vector<TableCell> row{benchmark_cell(one->series)};
      if (!compared.of_machines) row.push_back(machine_cell(one->series.machine));
      row.emplace_back(number(one->ratio));
      row.emplace_back(side_text(*one, one->a));
      row.emplace_back(side_text(*one, one->b));
      row.emplace_back(!compared.of_machines ? apart_text(*one)
                       : one->range          ? range(number(one->range->first), number(one->range->second))
                                             : "");
      table.rows.push_back(std::move(row));
    }
    section.add(std::move(table));
  }
  section.add(Paragraph{"",
                        Emphasis::kPlain,
                        {{a, address(compared.a)},
                         {b, address(compared.b)},
                         {"the other way round", compare_address(compared.b, compared.a)}}});
  add(sections, std::move(section));
  return document;
}

}  // namespace lab::report
