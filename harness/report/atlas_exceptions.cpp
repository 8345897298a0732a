#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/column_rules.h"
#include "harness/report/atlas_names.h"
#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using results::DriverColumn;
using Columns = std::vector<const DriverColumn*>;

/// Rows of equal content share a line; its columns are named together.
class SharedRows {
 public:
  void add(std::vector<std::string> cells, const DriverColumn& column) {
    for (auto& [known, columns] : rows_)
      if (known == cells) {
        columns.push_back(&column);
        return;
      }
    rows_.push_back({std::move(cells), {&column}});
  }
  /// Each row's columns, then its cells.
  void fill(Table& table) const {
    for (const auto& [cells, columns] : rows_) {
      std::vector<TableCell> row{labelled(columns)};
      for (const std::string& cell : cells) row.emplace_back(cell);
      table.rows.push_back(std::move(row));
    }
  }

 private:
  std::vector<std::pair<std::vector<std::string>, Columns>> rows_;
};

std::string listed(const std::set<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// What an image kind is refused for: its format, or what is unusual about it.
std::string refused_kind(const results::ImageKind& kind) {
  std::string text = kind.format;
  if (kind.type != "2d") text += " " + kind.type;
  if (kind.tiling != "optimal") text += " " + kind.tiling;
  if (!kind.flags.empty()) text += " " + kind.flags;
  if (kind.samples > 1) text += fmt::format(" {} samples", kind.samples);
  return text;
}

Table refusals_table(std::span<const DriverColumn> atlas) {
  Table table{"atlas-refusals",
              "What drivers refuse",
              {{"Drivers and chips", kText}, {"Reason", kName}, {"Queries", kNumber}, {"Of", kText}}};
  SharedRows rows;
  for (const DriverColumn& column : atlas) {
    std::map<std::string, std::pair<std::size_t, std::set<std::string>>> reasons;
    for (const results::Refusal& refusal : column.refused) {
      auto& [count, kinds] = reasons[refusal.result];
      ++count;
      kinds.insert(refusal.what);
    }
    for (const results::SweepAnswers& sweep : column.sweeps) {
      const auto note = [&](const results::Needs& needs, const std::string& kind) {
        if (needs.refusal == 0) return;
        auto& [count, kinds] = reasons[sweep.refusals[needs.refusal]];
        ++count;
        kinds.insert(kind);
      };
      for (const results::ImageTable& one : sweep.images)
        for (const results::ImageAnswer& row : one.rows) note(row.needs, refused_kind(one.kind));
      for (const results::BufferTable& one : sweep.buffers)
        for (const results::BufferAnswer& row : one.rows)
          note(row.needs, one.kind.usage + (one.kind.flags.empty() ? "" : " " + one.kind.flags));
    }
    for (const auto& [reason, refused] : reasons)
      rows.add({reason, whole(refused.first), listed(refused.second)}, column);
  }
  rows.fill(table);
  return table;
}

Table contradictions_table(std::span<const DriverColumn> atlas) {
  Table table{"atlas-contradictions",
              "Queries to which a driver gave two answers",
              {{"Drivers and chips", kText},
               {"Answers that differed", kNumber},
               {"The first query", kText},
               {"One answer", kText},
               {"The other", kText}}};
  SharedRows rows;
  for (const DriverColumn& column : atlas) {
    if (column.contradicted == 0) continue;
    const results::Contradiction first =
        column.contradictions.empty() ? results::Contradiction{} : column.contradictions.front();
    rows.add({whole(column.contradicted), first.what, first.first, first.second}, column);
  }
  rows.fill(table);
  return table;
}

Table rules_table(std::span<const DriverColumn> atlas) {
  Table table{"atlas-rules",
              "Rules that a driver's answers break",
              {{"Drivers and chips", kText},
               {"Rule", kText},
               {"From", kShort},
               {"Answers", kNumber},
               {"The first query", kText},
               {"Its answer", kText}}};
  SharedRows rows;
  for (const DriverColumn& column : atlas)
    for (const judge::BrokenRule& broken : judge::broken_rules(column))
      rows.add({broken.rule, broken.of_the_specification ? "the specification" : "expectation", whole(broken.count),
                broken.what, broken.found},
               column);
  rows.fill(table);
  return table;
}

Table dedicated_table(std::span<const DriverColumn> atlas) {
  Table table{"atlas-dedicated",
              "What drivers want in an allocation of its own",
              {{"Drivers and chips", kText}, {"Wish", kShort}, {"Queries", kNumber}, {"The first", kText}}};
  SharedRows rows;
  for (const DriverColumn& column : atlas) {
    std::map<results::Dedicated, std::pair<std::size_t, std::string>> wishes;
    const auto note = [&](const results::Needs& needs, const auto& describe) {
      if (needs.dedicated == results::Dedicated::kNo) return;
      auto& [count, first] = wishes[needs.dedicated];
      if (count++ == 0) first = describe();
    };
    for (const results::SweepAnswers& sweep : column.sweeps) {
      for (const results::ImageTable& one : sweep.images)
        for (const results::ImageAnswer& row : one.rows)
          note(row.needs, [&] { return results::describe(one.kind, row.width, row.height, row.depth); });
      for (const results::BufferTable& one : sweep.buffers)
        for (const results::BufferAnswer& row : one.rows)
          note(row.needs, [&] { return results::describe(one.kind, row.length); });
    }
    for (const auto& [wish, found] : wishes)
      rows.add({results::names_of(wish)[static_cast<std::size_t>(wish)], whole(found.first), found.second}, column);
  }
  rows.fill(table);
  return table;
}

}  // namespace

Section atlas_exceptions_section(std::span<const DriverColumn> atlas) {
  Section section{"vulkan-exceptions", "Refusals, contradictions and broken rules"};
  section.folded = true;
  for (Table table : {rules_table(atlas), contradictions_table(atlas), refusals_table(atlas), dedicated_table(atlas)})
    section.add(std::move(table));
  return section;
}

}  // namespace lab::report
