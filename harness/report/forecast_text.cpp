#include "harness/report/forecast_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "harness/base/fit.h"
#include "harness/judge/comparison.h"
#include "harness/stats/power.h"
#include "harness/stats/spread.h"

namespace lab::report {

namespace {

namespace json = boost::json;

std::string pilot_advice(const judge::Forecast& forecast, const std::vector<std::string>& filters) {
  std::string text =
      fmt::format("No result in {} has {} processes of any of these benchmarks, so their noise is not known.\n",
                  forecast.folder.string(), stats::kLeastForSpread);
  if (forecast.blocks > 0)
    if (const std::string hopeless = hopeless_sentence(forecast.blocks, forecast.rows.size(), forecast.fewest_blocks);
        !hopeless.empty())
      return fmt::format("{}But {}.\n", text, hopeless);
  text += "A short session is enough: python3 make.py run --processes 6 --budget 60";
  for (const std::string& filter : filters) text += fmt::format(" --filter '{}'", filter);
  return text + "\n";
}

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "unknown";
}

std::string table(const judge::Forecast& forecast, std::size_t width) {
  std::vector<std::vector<std::string>> cells;
  for (const judge::ForecastRow& row : forecast.rows)
    cells.push_back(
        {row.benchmark, percent(row.noise), std::to_string(forecast.blocks), percent(row.detectable_change)});
  const std::string text = table_text(
      {{"benchmark", false, true}, {"noise", true}, {"processes", true}, {"smallest change", true}}, cells, width);
  const std::string hopeless = hopeless_sentence(forecast.blocks, forecast.rows.size(), forecast.fewest_blocks);
  if (!hopeless.empty()) return fmt::format("{}\n{}.\n", text, wrapped_after(hopeless, width, 0));
  const std::string terms = fmt::format(
      "The noise between processes is from {}. {:.0f} % of sessions find the smallest change against a base, in a "
      "table of {} rows and with a threshold of {:.2g} %.",
      *forecast.pilot, 100 * stats::kPower, forecast.rows.size(), 100 * judge::kThreshold);
  return fmt::format("{}\n{}\n", text, wrapped_after(terms, width, 0));
}

}  // namespace

std::string hopeless_sentence(int blocks, std::size_t rows, std::size_t fewest_blocks) {
  if (static_cast<std::size_t>(std::max(0, blocks)) >= fewest_blocks) return "";
  return fmt::format("{} of each arm cannot tell any change from chance in a table of {}; --processes {} can",
                     counted(static_cast<std::size_t>(blocks), "process", "processes"), counted(rows, "row"),
                     fewest_blocks);
}

std::string to_text(const judge::Forecast& forecast, const std::vector<std::string>& filters, std::size_t width) {
  return forecast.pilot ? table(forecast, width) : pilot_advice(forecast, filters);
}

std::string to_json(const judge::Forecast& forecast) {
  json::array list;
  for (const judge::ForecastRow& row : forecast.rows)
    list.push_back(json::object{{"benchmark", row.benchmark},
                                {"noise", json::value_from(row.noise)},
                                {"processes", forecast.pilot ? json::value(forecast.blocks) : json::value(nullptr)},
                                {"smallest_change", json::value_from(row.detectable_change)}});
  const json::object plan{{"machine", forecast.machine},
                          {"budget_seconds", forecast.budget_seconds},
                          {"pilot", json::value_from(forecast.pilot)},
                          {"power", stats::kPower},
                          {"threshold", judge::kThreshold},
                          {"fewest_processes", forecast.fewest_blocks},
                          {"rows", std::move(list)}};
  return json::serialize(plan) + "\n";
}

}  // namespace lab::report
