#include "harness/report/openmetrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/printable.h"
#include "harness/base/utc.h"

namespace lab::report {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// A label's value, printable and escaped.
std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : printable(std::string(text))) {
    if (c == '\n')
      all += "\\n";
    else
      all += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return all;
}

/// The samples of one name: the format wants them together.
class Gauge {
 public:
  /// `unit`: the end of the name, or "". `help` has no quotes.
  Gauge(std::string_view name, std::string_view unit, std::string_view help) : name_(name) {
    text_ = fmt::format("# HELP {0} {2}\n# TYPE {0} gauge\n{1}", name,
                        unit.empty() ? "" : fmt::format("# UNIT {} {}\n", name, unit), help);
  }
  void add(const Labels& labels, double value) {
    if (!std::isfinite(value)) return;
    std::string list;
    for (const auto& [label, text] : labels)
      list += fmt::format("{}{}=\"{}\"", list.empty() ? "" : ",", label, escaped(text));
    text_ += list.empty() ? fmt::format("{} {}\n", name_, value) : fmt::format("{}{{{}}} {}\n", name_, list, value);
    is_empty_ = false;
  }
  /// "" without a sample.
  std::string text() const { return is_empty_ ? "" : text_; }

 private:
  std::string name_, text_;
  bool is_empty_ = true;
};

std::optional<double> seconds(const std::string& started) {
  const std::optional<std::time_t> time = seconds_of(started);
  return time ? std::optional(static_cast<double>(*time)) : std::nullopt;
}

/// Why a session is in no series: one of a few words, because each is a series of the reader.
std::string reason_of(const results::SessionRecord& session) {
  if (session.wrong_clock) return "wrong clock";
  if (session.contradicted) return "contradiction";
  return session.skipped;
}

std::string machines_text(const FarmMetrics& metrics) {
  Gauge last("lab_machine_last_session_timestamp_seconds", "seconds", "Start of the machine's last session.");
  Gauge count("lab_machine_sessions", "", "Sessions of the machine.");
  Gauge silence("lab_machine_silence_seconds", "seconds",
                "For how long a machine is silent, in whole days; 0 if it is not.");
  Gauge doubtful("lab_machine_doubtful_sessions", "", "Sessions of the machine that are in no series, by reason.");
  std::map<std::string, std::map<std::string, double>> reasons;
  for (const results::SessionRecord& session : metrics.sessions)
    if (const std::string reason = reason_of(session); !reason.empty()) ++reasons[session.machine][reason];
  for (const judge::FarmMachine& machine : metrics.farm.machines) {
    if (machine.retired) continue;
    const Labels labels{{"machine", machine.id}, {"class", machine.class_name}};
    if (const auto time = seconds(machine.last)) last.add(labels, *time);
    count.add(labels, static_cast<double>(machine.sessions));
    silence.add(labels, 86'400.0 * static_cast<double>(machine.silent_days));
    std::map<std::string, double>& of = reasons[machine.id];
    of.try_emplace(judge::kUnfitSession, 0);
    for (const auto& [reason, sessions] : of) doubtful.add({{"machine", machine.id}, {"reason", reason}}, sessions);
  }
  return last.text() + count.text() + silence.text() + doubtful.text();
}

std::string alarms_text(const FarmMetrics& metrics) {
  Gauge count("lab_alarms", "", "Alarms by what was said of them last.");
  Gauge raised("lab_alarm_raised_timestamp_seconds", "seconds", "When an alarm that still waits was raised.");
  Gauge ratio("lab_alarm_ratio", "ratio", "Time after over time before of an alarm that still waits.");
  std::array<double, results::kAlarmSteps.size()> counts{};
  for (const results::FarmAlarm& alarm : metrics.alarms) {
    ++counts[static_cast<std::size_t>(alarm.state)];
    if (!alarm.is_open()) continue;
    if (const auto time = seconds(alarm.raised)) raised.add({{"alarm", alarm.id}}, *time);
    const auto change = std::ranges::find(metrics.farm.changes, alarm.id, &judge::FarmChange::alarm);
    if (change != metrics.farm.changes.end()) ratio.add({{"alarm", alarm.id}}, change->ratio);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) count.add({{"state", results::kAlarmSteps[i]}}, counts[i]);
  return count.text() + raised.text() + ratio.text();
}

/// The series that are still measured.
std::vector<const LatestPoint*> current(const FarmMetrics& metrics) {
  std::map<std::string_view, std::string> oldest;  // by machine
  for (const judge::FarmMachine& machine : metrics.farm.machines)
    if (const auto last = seconds_of(machine.last); last && !machine.retired)
      oldest[machine.id] = utc(*last - std::time_t{kStaleDays} * 86'400);
  std::map<std::pair<std::string_view, std::string_view>, const LatestPoint*> newest;
  for (const LatestPoint& one : metrics.latest) {
    const auto since = oldest.find(one.series.machine);
    if (since != oldest.end() && one.point.started >= since->second)
      newest[{one.series.machine, one.series.benchmark}] = &one;  // later versions are later in the list
  }
  std::vector<const LatestPoint*> list;
  for (const auto& [name, one] : newest) list.push_back(one);
  return list;
}

std::string series_text(const FarmMetrics& metrics) {
  Gauge time("lab_benchmark_seconds", "seconds", "Time of an operation in the last session: the median.");
  Gauge time_low("lab_benchmark_low_seconds", "seconds", "The lower end of its interval, which has 95 % coverage.");
  Gauge time_high("lab_benchmark_high_seconds", "seconds", "The upper end of its interval.");
  Gauge value("lab_benchmark_value", "", "Another metric in the last session, in its own unit: the median.");
  Gauge value_low("lab_benchmark_low_value", "", "The lower end of its interval, which has 95 % coverage.");
  Gauge value_high("lab_benchmark_high_value", "", "The upper end of its interval.");
  Gauge count("lab_benchmark_sessions", "", "Sessions in the series.");
  Gauge last("lab_benchmark_last_session_timestamp_seconds", "seconds", "Start of the series' last session.");
  Gauge ratio("lab_benchmark_change_ratio", "ratio", "Level after over level before of the last change.");
  Gauge changed("lab_benchmark_change_timestamp_seconds", "seconds",
                "Start of the first session after the last change.");
  for (const LatestPoint* const one : current(metrics)) {
    const std::string version = fmt::format("{}", one->series.version);
    Labels labels{{"machine", one->series.machine}, {"benchmark", one->series.benchmark}, {"version", version}};
    const Labels plain = labels;
    const bool is_time = one->point.metric->kind == bench::MetricKind::kTime;
    const double scale = is_time ? 1e9 : 1;
    if (!is_time) labels.emplace_back("unit", one->point.metric->unit);
    (is_time ? time : value).add(labels, one->point.median / scale);
    if (one->point.interval) {
      (is_time ? time_low : value_low).add(labels, one->point.interval->low / scale);
      (is_time ? time_high : value_high).add(labels, one->point.interval->high / scale);
    }
    count.add(plain, static_cast<double>(one->findings.sessions));
    if (const auto start = seconds(one->point.started)) last.add(plain, *start);
    const auto change = std::ranges::max_element(one->findings.changes, {}, &judge::LevelChange::index);
    if (change == one->findings.changes.end()) continue;
    ratio.add(plain, change->ratio);
    if (const auto start = seconds(change->started)) changed.add(plain, *start);
  }
  std::string text;
  for (const Gauge* const gauge :
       {&time, &time_low, &time_high, &value, &value_low, &value_high, &count, &last, &ratio, &changed})
    text += gauge->text();
  return text;
}

}  // namespace

std::string to_openmetrics(const FarmMetrics& metrics) {
  return machines_text(metrics) + alarms_text(metrics) + series_text(metrics) + "# EOF\n";
}

}  // namespace lab::report
