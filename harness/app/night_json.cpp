#include <boost/json.hpp>

#include "harness/app/night.h"
#include "harness/base/json_fields.h"

namespace lab::app {

namespace {

json::value json_of(const results::Alarm& alarm) {
  const bool has_culprit = alarm.bisect && alarm.bisect->culprit;
  return json::object{{"benchmark", alarm.benchmark},
                      {"version", alarm.version},
                      {"session", alarm.session},
                      {"ratio", lab::to_json(alarm.ratio)},
                      {"low", to_json(alarm.low)},
                      {"high", to_json(alarm.high)},
                      {"commits", to_json(alarm.commits)},
                      {"culprit", has_culprit ? to_json(alarm.bisect->culprit) : json::value(nullptr)},
                      {"doubt", to_json(alarm.doubt)},
                      {"ended", to_json(alarm.ended)},
                      {"withdrawn", to_json(alarm.withdrawn)}};
}

json::array json_of(const std::vector<results::Alarm>& alarms) {
  json::array array;
  for (const results::Alarm& alarm : alarms) array.push_back(json_of(alarm));
  return array;
}

json::value path_or_null(const std::filesystem::path& path) {
  return path.empty() ? json::value(nullptr) : json::value(path.string());
}

}  // namespace

std::string night_json(const NightSummary& night) {
  json::array sessions;
  for (const std::filesystem::path& session : night.sessions) sessions.push_back(path_or_null(session));
  json::value object =
      json::object{{"verdict", name_of(night.verdict)},
                   {"status", static_cast<int>(night.verdict)},
                   {"line", night.line},
                   {"machine", night.machine.empty() ? json::value(nullptr) : json::value(night.machine)},
                   {"regressions", json_of(night.regressions)},
                   {"recoveries", json_of(night.recoveries)},
                   {"unfit", to_json(night.unfit)},
                   {"sessions", std::move(sessions)},
                   {"report", path_or_null(night.report)},
                   {"history", path_or_null(night.history)},
                   {"junit", path_or_null(night.junit)},
                   {"seconds", to_json(night.seconds)}};
  make_printable(object);
  return json::serialize(object);
}

}  // namespace lab::app
