#include "harness/results/alarm.h"

#include <fmt/format.h>

#include <tuple>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::results {

LAB_JSON_STRUCT(AlarmBisect, answer, (culprit), (probability), (ratio), (candidates), (reason))

template <typename F>
void fields(F& f, Alarm& a) {
  std::tuple series(a.machine, a.benchmark, a.version);
  f("series", series);
  std::tie(a.machine, a.benchmark, a.version) = series;
  f("session", a.session);
  f("ratio", a.ratio);
  f("low", a.low);
  f("high", a.high);
  f("nights", a.nights);
  f("commits", a.commits);
  f("told", a.reported);
  f("bisect", a.bisect);
  f("tries", a.tries);
  f.added("asked", a.rejected_culprits);
  f.added("ended", a.ended);
  f.added("doubt", a.doubt);
  f.added("withdrawn", a.withdrawn);
}

namespace {

struct AlarmFile {
  std::vector<Alarm> alarms;
};
/// What every version of the file has.
struct AlarmFileVersion {
  int version = 1;
};

LAB_JSON_STRUCT(AlarmFile, alarms)
LAB_JSON_STRUCT(AlarmFileVersion, (version))

}  // namespace

Expected<AlarmBisect> parse_bisect_answer(std::string_view line) {
  const Expected<json::value> value = parse_json(line, "bisect");
  if (!value) return value.error();
  return from_json<AlarmBisect>(*value, "bisect");
}

int alarms_version(std::string_view text) {
  const Expected<AlarmFileVersion> file = parse_struct<AlarmFileVersion>(text, "state");
  return file ? file->version : 0;
}

Expected<std::vector<Alarm>> parse_alarms(std::string_view text, std::string_view name) {
  Expected<AlarmFile> file = parse_struct<AlarmFile>(text, name);
  if (!file) return file.error();
  return std::move(file->alarms);
}

std::string serialize(const std::vector<Alarm>& alarms) {
  std::string lines;
  for (const Alarm& alarm : alarms)
    lines += fmt::format("{}\n {}", lines.empty() ? "" : ",", json::serialize(lab::to_json(alarm)));
  return fmt::format("{{\"version\": {}, \"alarms\": [{}\n]}}\n", kAlarmsVersion, lines);
}

}  // namespace lab::results
