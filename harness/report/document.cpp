#include "harness/report/document.h"

#include <algorithm>

namespace lab::report {

namespace {

void collect(const Section& section, std::vector<const Chart*>& charts) {
  for (const Element& element : section.elements)
    if (const Charts* group = std::get_if<Charts>(&element))
      for (const Chart& chart : group->charts) charts.push_back(&chart);
  for (const Section& inner : section.sections) collect(inner, charts);
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool fine =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    name += fine ? c : '-';
  }
  return name;
}

void Table::drop_empty_columns() {
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return !row[i].text.empty(); })) continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::vector<TableCell>& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Chart::Chart(std::string specification, std::string_view unique_name)
    : spec(std::move(specification)), name(identifier(unique_name)) {}

std::vector<const Chart*> charts_of(const Document& document) {
  std::vector<const Chart*> charts;
  for (const Section& section : document.sections) collect(section, charts);
  return charts;
}

}  // namespace lab::report
