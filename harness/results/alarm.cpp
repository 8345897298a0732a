#include "harness/results/alarm.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "harness/base/json_fields.h"

namespace lab::results {

template <typename F>
void fields(F& f, BisectAnswer& b) {
  f("answer", b.answer);
  f.added("culprit", b.culprit);
  f.added("probability", b.probability);
  f.added("ratio", b.ratio);
  f.added("candidates", b.candidates);
  f.added("reason", b.reason);
}

template <typename F>
void fields(F& f, AlarmCommits& c) {
  f("from", c.from);
  f("to", c.to);
}

// "series" is an array of three types, which a list of fields cannot describe: see below.
template <typename F>
void fields(F& f, Alarm& a) {
  f("session", a.session);
  f("ratio", a.ratio);
  f("low", a.low);
  f("high", a.high);
  f("nights", a.nights);
  f("commits", a.commits);
  f("told", a.told);
  f("bisect", a.bisect);
  f("tries", a.tries);
  f.added("asked", a.asked);
}

namespace {

Expected<Alarm> alarm_from(const json::value& value, std::string_view path) {
  Expected<Alarm> alarm = from_json<Alarm>(value, path);
  if (!alarm) return alarm;
  const json::value* const series = value.get_object().if_contains("series");
  const json::array* const parts = series != nullptr ? series->if_array() : nullptr;
  if (parts == nullptr || parts->size() != 3 || !(*parts)[0].is_string() || !(*parts)[1].is_string() ||
      !(*parts)[2].is_int64())
    return Error{fmt::format("{}.series: expected machine, benchmark and version", path), "", ExitStatus::kUsage};
  alarm->machine = std::string((*parts)[0].get_string());
  alarm->benchmark = std::string((*parts)[1].get_string());
  alarm->version = static_cast<int>((*parts)[2].get_int64());
  return alarm;
}

}  // namespace

Expected<BisectAnswer> parse_bisect_answer(std::string_view line) {
  const Expected<json::value> value = parse_json(line, "bisect");
  if (!value) return value.error();
  return from_json<BisectAnswer>(*value, "bisect");
}

Expected<std::vector<Alarm>> parse_alarms(std::string_view text, std::string_view name) {
  const Expected<json::value> document = parse_json(text, name);
  if (!document) return document.error();
  const json::object* const object = document->if_object();
  const json::value* const list = object != nullptr ? object->if_contains("alarms") : nullptr;
  if (list == nullptr || !list->is_array())
    return Error{fmt::format("{}: expected an array of alarms", name), "", ExitStatus::kUsage};
  std::vector<Alarm> alarms;
  for (const json::value& value : list->get_array()) {
    Expected<Alarm> alarm = alarm_from(value, fmt::format("{}: alarms[{}]", name, alarms.size()));
    if (!alarm) return alarm.error();
    alarms.push_back(std::move(*alarm));
  }
  return alarms;
}

std::string serialize(const std::vector<Alarm>& alarms) {
  std::string lines;
  for (const Alarm& alarm : alarms) {
    json::object object{{"series", {alarm.machine, alarm.benchmark, alarm.version}}};
    const json::value rest = to_json(alarm);
    for (const auto& [name, value] : rest.get_object()) object[name] = value;
    lines += fmt::format("{}\n {}", lines.empty() ? "" : ",", json::serialize(object));
  }
  return fmt::format("{{\"alarms\": [{}\n]}}\n", lines);
}

}  // namespace lab::results
