#include "harness/report/document.h"

#include <algorithm>
#include <set>

namespace lab::report {

namespace {

/// Adds the members of every Group below `section`.
template <typename Group, typename Member>
void collect(const Section& section, std::vector<Member> Group::*members, std::vector<const Member*>& all) {
  for (const Element& element : section.elements)
    if (const Group* group = std::get_if<Group>(&element))
      for (const Member& member : group->*members) all.push_back(&member);
  for (const Section& inner : section.sections) collect(inner, members, all);
}

void collect_matrices(const Section& section, std::vector<const Matrix*>& all) {
  for (const Element& element : section.elements)
    if (const Matrix* matrix = std::get_if<Matrix>(&element)) all.push_back(matrix);
  for (const Section& inner : section.sections) collect_matrices(inner, all);
}

/// Whether it consists of others, and has none.
bool is_empty(const Element& element) {
  if (const List* list = std::get_if<List>(&element)) return list->items.empty();
  if (const Table* table = std::get_if<Table>(&element)) return table->rows.empty();
  if (const Charts* group = std::get_if<Charts>(&element)) return group->charts.empty();
  const Pictures* group = std::get_if<Pictures>(&element);
  return group != nullptr && group->pictures.empty();
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

void Section::add(Element element) {
  if (!is_empty(element)) elements.push_back(std::move(element));
}

void add(std::vector<Section>& sections, Section section) {
  if (!section.elements.empty() || !section.sections.empty()) sections.push_back(std::move(section));
}

Chart::Chart(std::string specification, std::string_view unique_name)
    : spec(std::move(specification)), name(identifier(unique_name)) {}

std::vector<const Chart*> charts_of(const Document& document) {
  std::vector<const Chart*> charts;
  for (const Section& section : document.sections) collect(section, &Charts::charts, charts);
  return charts;
}

std::vector<const Matrix*> matrices_of(const Document& document) {
  std::vector<const Matrix*> matrices;
  for (const Section& section : document.sections) collect_matrices(section, matrices);
  return matrices;
}

std::vector<const Picture*> pictures_of(const Document& document) {
  std::vector<const Picture*> pictures;
  for (const Section& section : document.sections) {
    collect(section, &PictureComparison::pictures, pictures);
    collect(section, &Pictures::pictures, pictures);
  }
  std::set<std::string_view> names;
  std::erase_if(pictures, [&](const Picture* picture) { return !names.insert(picture->name).second; });
  return pictures;
}

}  // namespace lab::report
