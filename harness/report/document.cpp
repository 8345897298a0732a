#include "harness/report/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
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

/// Adds the elements of one type below `section`.
template <typename One>
void collect_elements(const Section& section, std::vector<const One*>& all) {
  for (const Element& element : section.elements)
    if (const One* one = std::get_if<One>(&element)) all.push_back(one);
  for (const Section& inner : section.sections) collect_elements(inner, all);
}

/// Where links may lead: to every section, table, figure and matrix below `section`.
void collect_ids(const Section& section, const std::string& page,
                 std::map<std::string, std::string, std::less<>>& places) {
  places.emplace(section.id, page);
  const auto add = [&](std::string_view kind, const std::string& name) {
    places.emplace(fmt::format("{}-{}", kind, identifier(name)), page);
  };
  for (const Element& element : section.elements) {
    if (const Table* table = std::get_if<Table>(&element)) add("table", table->name);
    if (const Folds* folds = std::get_if<Folds>(&element)) add("list", folds->name);
    if (const Matrix* matrix = std::get_if<Matrix>(&element)) add("matrix", matrix->name);
    if (const FarmGrid* grid = std::get_if<FarmGrid>(&element)) places.emplace(identifier(grid->name), page);
    if (const PictureComparison* one = std::get_if<PictureComparison>(&element)) add("figure", one->name);
    if (const Pictures* group = std::get_if<Pictures>(&element))
      for (const Picture& picture : group->pictures) add("figure", picture.name);
    if (const Charts* group = std::get_if<Charts>(&element))
      for (const Chart& chart : group->charts) {
        add("figure", chart.name);
        if (chart.table) add("table", chart.table->name);
      }
  }
  for (const Section& inner : section.sections) collect_ids(inner, page, places);
}

template <typename Member, typename MembersOf>
std::vector<const Member*> of_all_pages(const Document& document, MembersOf members_of) {
  std::vector<const Member*> all;
  for (const Page& page : document.pages) {
    const std::vector<const Member*> members = members_of(page);
    all.insert(all.end(), members.begin(), members.end());
  }
  return all;
}

/// Whether it consists of others, and has none.
bool is_empty(const Element& element) {
  if (const List* list = std::get_if<List>(&element)) return list->items.empty();
  if (const Folds* folds = std::get_if<Folds>(&element)) return folds->folds.empty();
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

std::vector<std::string> first_of(const boost::json::array& rows, const std::vector<std::string>& kept) {
  std::vector<std::string> all, first;
  for (const boost::json::value& row : rows)
    if (const std::string variant(row.at("variant").as_string()); std::ranges::find(all, variant) == all.end())
      all.push_back(variant);
  if (all.size() < kManyRows) return {};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i < kFirstRows || std::ranges::find(kept, all[i]) != kept.end()) first.push_back(all[i]);
  return first;
}

std::vector<const Section*> sections_of(const Document& document) {
  std::vector<const Section*> sections;
  for (const Page& page : document.pages)
    for (const Section& section : page.sections) sections.push_back(&section);
  return sections;
}

std::map<std::string, std::string, std::less<>> places_of(const Document& document) {
  std::map<std::string, std::string, std::less<>> places;
  for (const Page& page : document.pages) {
    places.emplace(page.name, page.name);
    for (const Section& section : page.sections) collect_ids(section, page.name, places);
  }
  return places;
}

std::vector<const Chart*> charts_of(const Page& page) {
  std::vector<const Chart*> charts;
  for (const Section& section : page.sections) collect(section, &Charts::charts, charts);
  return charts;
}

std::vector<const Chart*> charts_of(const Document& document) {
  return of_all_pages<Chart>(document, [](const Page& page) { return charts_of(page); });
}

std::vector<const Matrix*> matrices_of(const Page& page) {
  std::vector<const Matrix*> matrices;
  for (const Section& section : page.sections) collect_elements(section, matrices);
  return matrices;
}

std::vector<const Matrix*> matrices_of(const Document& document) {
  return of_all_pages<Matrix>(document, [](const Page& page) { return matrices_of(page); });
}

std::vector<const FarmGrid*> grids_of(const Document& document) {
  std::vector<const FarmGrid*> grids;
  for (const Section* section : sections_of(document)) collect_elements(*section, grids);
  return grids;
}

std::vector<const Picture*> pictures_of(const Document& document) {
  std::vector<const Picture*> pictures;
  for (const Section* section : sections_of(document)) {
    collect(*section, &PictureComparison::pictures, pictures);
    collect(*section, &Pictures::pictures, pictures);
  }
  std::set<std::string_view> names;
  std::erase_if(pictures, [&](const Picture* picture) { return !names.insert(picture->name).second; });
  return pictures;
}

}  // namespace lab::report
