#include "harness/report/farm_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "harness/base/utc.h"
#include "harness/report/farm_parts.h"
#include "harness/stats/quantile.h"

namespace lab::report {

namespace {

namespace json = boost::json;

/// The place of the day of `started` in `nights`; their number if it is none of them.
std::size_t night_of(const std::vector<std::string>& nights, std::string_view started) {
  const std::string_view day = started.substr(0, 10);
  const auto found = std::ranges::lower_bound(nights, day);
  return found != nights.end() && *found == day ? static_cast<std::size_t>(found - nights.begin()) : nights.size();
}

/// The character of a change in a cell; of one whose machine gives no verdicts, too.
char kind_of(const judge::LevelChange& change, bool has_verdicts) {
  if (!has_verdicts || !change.may_be_code()) return 'e';
  return change.regressed() ? 'r' : 'i';
}

std::map<std::string_view, const judge::FarmMachine*> machines_of(const FarmView& view) {
  std::map<std::string_view, const judge::FarmMachine*> machines;
  for (const judge::FarmMachine& machine : view.farm.machines) machines[machine.id] = &machine;
  return machines;
}

char cell_of(const judge::FarmSeries* series, const std::vector<std::string>& nights, bool has_verdicts) {
  if (series == nullptr || nights.empty() || series->findings.last < nights.front()) return '.';
  char shown = 'o';
  for (const judge::LevelChange& change : series->findings.changes) {
    if (change.started < nights.front()) continue;
    // The latest one, but a regression stays in sight.
    if (const char kind = kind_of(change, has_verdicts); shown != 'r') shown = kind;
  }
  return shown;
}

/// A line of some pixels shows no more. The nearest number, so that its text is short, too.
double four_digits(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

}  // namespace

GridRows grid_rows(const FarmView& view, int nights) {
  GridRows rows;
  std::string last;
  for (const judge::FarmMachine& machine : view.farm.machines) last = std::max(last, machine.last);
  if (const std::optional<std::time_t> seconds = seconds_of(last))
    for (int back = nights; back-- > 0;) rows.nights.push_back(utc(*seconds - back * kDay).substr(0, 10));
  std::vector<const judge::FarmMachine*> machines;
  for (const judge::FarmMachine& machine : view.farm.machines) machines.push_back(&machine);
  std::ranges::stable_sort(machines, {}, &judge::FarmMachine::class_name);
  std::map<std::string_view, std::size_t> columns;
  for (const judge::FarmMachine* const machine : machines) {
    columns[machine->id] = rows.machines.size();
    rows.machines.push_back(machine->id);
    rows.has_verdicts.push_back(machine->hosts.empty());
  }
  std::set<std::string_view> alarmed;
  for (const results::FarmAlarm& alarm : view.alarms)
    if (alarm.is_open()) alarmed.insert(alarm.benchmarks.begin(), alarm.benchmarks.end());
  struct Row {
    bool is_calm = true;
    std::string changed;  ///< when it last did in these nights
    std::vector<const judge::FarmSeries*> cells;
  };
  std::map<std::string_view, Row> found;
  for (const judge::FarmSeries& series : view.series) {
    const auto column = columns.find(series.key.machine);
    if (column == columns.end()) continue;
    Row& row = found[series.key.benchmark];
    row.cells.resize(rows.machines.size());
    row.cells[column->second] = &series;  // later versions come later
    row.is_calm = !alarmed.contains(series.key.benchmark);
    for (const judge::LevelChange& change : series.findings.changes)
      if (!rows.nights.empty() && change.started >= rows.nights.front())
        row.changed = std::max(row.changed, change.started);
  }
  std::vector<std::pair<std::string_view, Row*>> order;
  for (auto& [benchmark, row] : found) order.emplace_back(benchmark, &row);
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
    return std::tie(a.second->is_calm, b.second->changed) < std::tie(b.second->is_calm, a.second->changed);
  });
  for (auto& [benchmark, row] : order) {
    rows.benchmarks.emplace_back(benchmark);
    rows.cells.push_back(std::move(row->cells));
  }
  return rows;
}

json::object farm_grid(const FarmView& view, const GridRows& rows) {
  const std::map<std::string_view, const judge::FarmMachine*> known = machines_of(view);
  std::map<std::string_view, std::set<std::size_t>> doubtful;
  for (const results::SessionRecord& session : view.sessions)
    if (!session.skipped.empty() || session.contradicted)
      if (const std::size_t night = night_of(rows.nights, session.started); night < rows.nights.size())
        doubtful[session.machine].insert(night);
  json::array machines, cells;
  for (const std::string& id : rows.machines) {
    const judge::FarmMachine& machine = *known.at(id);
    machines.push_back(json::object{{"id", id},
                                    {"class", machine.class_name},
                                    {"silent_days", machine.silent_days},
                                    {"retired", machine.retired},
                                    {"doubtful", json::value_from(doubtful[id])}});
  }
  for (const std::vector<const judge::FarmSeries*>& row : rows.cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += cell_of(row[i], rows.nights, rows.has_verdicts[i]);
    cells.emplace_back(line);
  }
  return {{"now", utc(view.now)},
          {"nights", json::value_from(rows.nights)},
          {"machines", std::move(machines)},
          {"benchmarks", json::value_from(rows.benchmarks)},
          {"cells", std::move(cells)}};
}

json::object farm_sparks(const GridRows& rows, std::size_t from, std::size_t to,
                         std::span<const results::TimedSeries> levels) {
  json::array told;
  std::size_t next = 0;
  for (std::size_t row = from; row < to; ++row) {
    json::array cells, changes;
    for (std::size_t column = 0; column < rows.machines.size(); ++column) {
      const judge::FarmSeries* const series = rows.cells[row][column];
      if (series == nullptr) {
        cells.emplace_back(nullptr);
        continue;
      }
      const results::TimedSeries& values = levels[next++];
      std::vector<std::vector<double>> of_night(rows.nights.size());
      std::vector<double> shown;
      for (std::size_t i = 0; i < values.started.size(); ++i)
        if (const std::size_t night = night_of(rows.nights, values.started[i]); night < rows.nights.size()) {
          of_night[night].push_back(values.medians[i]);
          shown.push_back(values.medians[i]);
        }
      if (shown.empty()) {
        cells.emplace_back(nullptr);
        continue;
      }
      const double middle = stats::median(shown);
      json::array line;
      for (std::vector<double>& night : of_night) {
        if (night.empty()) {
          line.emplace_back(nullptr);
          continue;
        }
        line.emplace_back(four_digits(stats::median(night) / middle));
      }
      cells.emplace_back(std::move(line));
      for (const judge::LevelChange& change : series->findings.changes)
        if (const std::size_t night = night_of(rows.nights, change.started); night < rows.nights.size())
          changes.push_back(json::array{column, night, std::string(1, kind_of(change, rows.has_verdicts[column]))});
    }
    told.push_back(json::object{{"row", row}, {"cells", std::move(cells)}, {"changes", std::move(changes)}});
  }
  return {{"rows", std::move(told)}};
}

}  // namespace lab::report
