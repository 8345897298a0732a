#include "harness/simulate/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/stats/change_points.h"
#include "harness/stats/hindsight.h"

namespace lab::simulate {

namespace {

/// All numbers of a field; false if anything else is in it.
template <typename T>
bool parse_numbers(const std::string& field, std::vector<T>& numbers) {
  std::istringstream stream(field);
  for (T number; stream >> number;) numbers.push_back(number);
  return stream.eof();
}

template <typename Changes>
std::vector<std::size_t> indices(const Changes& changes) {
  std::vector<std::size_t> all;
  for (const auto& change : changes) all.push_back(change.index);
  return all;
}

}  // namespace

Expected<std::vector<Case>> parse_cases(std::string_view text) {
  std::vector<Case> cases;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    std::string name, starts, values;
    Case one;
    const bool complete = std::getline(fields, name, '|') && std::getline(fields, starts, '|') &&
                          std::getline(fields, values) && parse_numbers(starts, one.starts) &&
                          parse_numbers(values, one.values) && !one.values.empty();
    if (!complete) return Error{fmt::format("line {}: expected 'name | starts | values'", number), ""};
    one.name = name.substr(0, name.find_last_not_of(' ') + 1);
    cases.push_back(std::move(one));
  }
  return cases;
}

Expected<std::vector<Case>> read_cases(const std::filesystem::path& root) {
  const std::filesystem::path path = root / "harness/simulate/cases.txt";
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  Expected<std::vector<Case>> cases = parse_cases(*text);
  if (!cases) return in_context(path.string(), cases.error());
  return cases;
}

bool is_right(const Case& one, std::vector<std::size_t> found) {
  std::ranges::sort(found);
  return std::ranges::equal(found, one.starts, stats::is_same_change);
}

void report_cases(const ResultSink& report) {
  constexpr double kGoal = 25;
  const Expected<std::vector<Case>> all = read_cases(root_dir());
  if (!all) {
    report({all.error().what, 0, Goal::kAtLeast, kGoal, 0, "series"});
    return;
  }
  double right = 0, right_by_alarms = 0;
  for (const Case& one : *all) {
    right += is_right(one, indices(stats::look_back(one.values).changes));
    right_by_alarms += is_right(one, indices(stats::find_change_points(one.values)));
  }
  report({"cases.txt: right in hindsight", right, Goal::kAtLeast, kGoal, all->size(), "series"});
  report({"cases.txt: right by alarms", right_by_alarms, Goal::kNone, 0, all->size(), "series"});
}

}  // namespace lab::simulate
