#include "harness/report/atlas_lines.h"

#include <algorithm>

#include "harness/report/atlas_census.h"
#include "harness/report/atlas_names.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::DriverColumn;

bool asked_here(const judge::SameAnswers& group) {
  return std::any_of(group.columns.begin(), group.columns.end(),
                     [](const DriverColumn* column) { return is_of_this_machine(*column); });
}

json::array indices(const judge::SameAnswers& group, std::span<const DriverColumn> atlas) {
  json::array found;
  for (const DriverColumn* column : group.columns) found.push_back(column - atlas.data());
  return found;
}

}  // namespace

std::vector<AtlasLine> atlas_lines(std::span<const DriverColumn> atlas, judge::AnswersOf answers_of) {
  std::vector<judge::SameAnswers> groups = judge::same_answers(atlas, answers_of);
  const auto here = std::stable_partition(groups.begin(), groups.end(), asked_here);
  // Without a column of this machine, the first of the atlas begins.
  const auto fixed = std::max<std::ptrdiff_t>(here - groups.begin(), 1);
  std::vector<AtlasLine> lines;
  for (const std::size_t at : judge::most_different_first(groups, static_cast<std::size_t>(fixed)))
    lines.push_back({labelled(groups[at].columns), std::move(groups[at])});
  return lines;
}

void add_lines(Chart& chart, std::span<const AtlasLine> lines, std::size_t most, const json::array& points,
               const AnswerValue& value, std::span<const DriverColumn> atlas) {
  json::array rows, choices;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    json::array values;
    for (std::size_t at = 0; at < lines[i].group.answers.size(); ++at) {
      // Refused; an alignment of 0 breaks a rule and has no place on a logarithmic axis.
      if (const judge::AtlasAnswer& answer = lines[i].group.answers[at]; answer.size == 0 || answer.alignment == 0) {
        values.emplace_back(nullptr);
        continue;
      }
      values.push_back(value(at, lines[i]));
      if (i >= most) continue;
      json::object row = points.at(at).as_object();
      row["driver"] = lines[i].label;
      row["order"] = i;
      row["value"] = values.back();
      rows.push_back(std::move(row));
    }
    choices.push_back(json::object{
        {"driver", lines[i].label}, {"columns", indices(lines[i].group, atlas)}, {"values", std::move(values)}});
  }
  chart.data["rows"] = std::move(rows);
  if (lines.size() > most) chart.choices = {{"most", most}, {"points", points}, {"lines", std::move(choices)}};
}

}  // namespace lab::report
