#include "harness/report/openmetrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lab::report {

namespace {

using testing::HasSubstr;
using testing::Not;

LatestPoint latest(const std::string& machine, const std::string& benchmark, int version, bench::MetricKind kind) {
  LatestPoint one;
  one.series = {machine, benchmark, version};
  one.findings.sessions = 60;
  one.point.started = "2026-03-01T02:00:00Z";
  one.point.median = 2500;
  one.point.interval = stats::Interval{2000, 3000};
  bench::Metric metric;
  metric.unit = kind == bench::MetricKind::kTime ? "ns per operation" : "bytes";
  metric.kind = kind;
  one.point.metric = std::make_shared<const bench::Metric>(metric);
  return one;
}

judge::FarmMachine seen(const std::string& id, std::size_t silent_days, bool retired = false) {
  judge::FarmMachine machine;
  machine.id = id;
  machine.class_name = "EPYC";
  machine.sessions = 60;
  machine.last = "2026-03-01T02:00:00Z";
  machine.silent_days = silent_days;
  machine.retired = retired;
  return machine;
}

FarmMetrics two_machines() {
  FarmMetrics metrics;
  metrics.farm.machines = {seen("farm-1", 0), seen("farm-2", 31)};
  metrics.latest = {latest("farm-1", "a/b/c", 1, bench::MetricKind::kTime),
                    latest("farm-2", "a/b/c:bytes", 1, bench::MetricKind::kMemory)};
  judge::LevelChange change;
  change.index = 40;
  change.ratio = 1.5;
  change.started = "2026-02-20T02:00:00Z";
  metrics.latest[0].findings.changes = {change};
  metrics.alarms.resize(1);
  metrics.alarms[0].id = "2026-02-20";
  metrics.alarms[0].raised = "2026-02-23T02:00:00Z";
  metrics.farm.changes.resize(1);
  metrics.farm.changes[0].alarm = "2026-02-20";
  metrics.farm.changes[0].ratio = 1.5;
  results::SessionRecord unfit, wrong;
  unfit.machine = wrong.machine = "farm-2";
  unfit.skipped = judge::kUnfitSession;
  wrong.skipped = "the clock of farm-2 was wrong";
  wrong.wrong_clock = true;
  metrics.sessions = {unfit, wrong, unfit};
  return metrics;
}

TEST(OpenMetrics, has_machines_alarms_and_the_last_session_of_each_series) {
  EXPECT_EQ(to_openmetrics(two_machines()),
            R"(# HELP lab_machine_last_session_timestamp_seconds Start of the machine's last session.
# TYPE lab_machine_last_session_timestamp_seconds gauge
# UNIT lab_machine_last_session_timestamp_seconds seconds
lab_machine_last_session_timestamp_seconds{machine="farm-1",class="EPYC"} 1772330400
lab_machine_last_session_timestamp_seconds{machine="farm-2",class="EPYC"} 1772330400
# HELP lab_machine_sessions Sessions of the machine.
# TYPE lab_machine_sessions gauge
lab_machine_sessions{machine="farm-1",class="EPYC"} 60
lab_machine_sessions{machine="farm-2",class="EPYC"} 60
# HELP lab_machine_silence_seconds For how long a machine is silent, in whole days; 0 if it is not.
# TYPE lab_machine_silence_seconds gauge
# UNIT lab_machine_silence_seconds seconds
lab_machine_silence_seconds{machine="farm-1",class="EPYC"} 0
lab_machine_silence_seconds{machine="farm-2",class="EPYC"} 2678400
# HELP lab_machine_doubtful_sessions Sessions of the machine that are in no series, by reason.
# TYPE lab_machine_doubtful_sessions gauge
lab_machine_doubtful_sessions{machine="farm-1",reason="unfit session"} 0
lab_machine_doubtful_sessions{machine="farm-2",reason="unfit session"} 2
lab_machine_doubtful_sessions{machine="farm-2",reason="wrong clock"} 1
# HELP lab_alarms Alarms by what was said of them last.
# TYPE lab_alarms gauge
lab_alarms{state="raised"} 1
lab_alarms{state="acknowledged"} 0
lab_alarms{state="explained"} 0
lab_alarms{state="fixed"} 0
# HELP lab_alarm_raised_timestamp_seconds When an alarm that still waits was raised.
# TYPE lab_alarm_raised_timestamp_seconds gauge
# UNIT lab_alarm_raised_timestamp_seconds seconds
lab_alarm_raised_timestamp_seconds{alarm="2026-02-20"} 1771812000
# HELP lab_alarm_ratio Time after over time before of an alarm that still waits.
# TYPE lab_alarm_ratio gauge
# UNIT lab_alarm_ratio ratio
lab_alarm_ratio{alarm="2026-02-20"} 1.5
# HELP lab_benchmark_seconds Time of an operation in the last session: the median.
# TYPE lab_benchmark_seconds gauge
# UNIT lab_benchmark_seconds seconds
lab_benchmark_seconds{machine="farm-1",benchmark="a/b/c",version="1"} 2.5e-06
# HELP lab_benchmark_low_seconds The lower end of its interval, which has 95 % coverage.
# TYPE lab_benchmark_low_seconds gauge
# UNIT lab_benchmark_low_seconds seconds
lab_benchmark_low_seconds{machine="farm-1",benchmark="a/b/c",version="1"} 2e-06
# HELP lab_benchmark_high_seconds The upper end of its interval.
# TYPE lab_benchmark_high_seconds gauge
# UNIT lab_benchmark_high_seconds seconds
lab_benchmark_high_seconds{machine="farm-1",benchmark="a/b/c",version="1"} 3e-06
# HELP lab_benchmark_value Another metric in the last session, in its own unit: the median.
# TYPE lab_benchmark_value gauge
lab_benchmark_value{machine="farm-2",benchmark="a/b/c:bytes",version="1",unit="bytes"} 2500
# HELP lab_benchmark_low_value The lower end of its interval, which has 95 % coverage.
# TYPE lab_benchmark_low_value gauge
lab_benchmark_low_value{machine="farm-2",benchmark="a/b/c:bytes",version="1",unit="bytes"} 2000
# HELP lab_benchmark_high_value The upper end of its interval.
# TYPE lab_benchmark_high_value gauge
lab_benchmark_high_value{machine="farm-2",benchmark="a/b/c:bytes",version="1",unit="bytes"} 3000
# HELP lab_benchmark_sessions Sessions in the series.
# TYPE lab_benchmark_sessions gauge
lab_benchmark_sessions{machine="farm-1",benchmark="a/b/c",version="1"} 60
lab_benchmark_sessions{machine="farm-2",benchmark="a/b/c:bytes",version="1"} 60
# HELP lab_benchmark_last_session_timestamp_seconds Start of the series' last session.
# TYPE lab_benchmark_last_session_timestamp_seconds gauge
# UNIT lab_benchmark_last_session_timestamp_seconds seconds
lab_benchmark_last_session_timestamp_seconds{machine="farm-1",benchmark="a/b/c",version="1"} 1772330400
lab_benchmark_last_session_timestamp_seconds{machine="farm-2",benchmark="a/b/c:bytes",version="1"} 1772330400
# HELP lab_benchmark_change_ratio Level after over level before of the last change.
# TYPE lab_benchmark_change_ratio gauge
# UNIT lab_benchmark_change_ratio ratio
lab_benchmark_change_ratio{machine="farm-1",benchmark="a/b/c",version="1"} 1.5
# HELP lab_benchmark_change_timestamp_seconds Start of the first session after the last change.
# TYPE lab_benchmark_change_timestamp_seconds gauge
# UNIT lab_benchmark_change_timestamp_seconds seconds
lab_benchmark_change_timestamp_seconds{machine="farm-1",benchmark="a/b/c",version="1"} 1771552800
# EOF
)");
}

TEST(OpenMetrics, leaves_out_what_is_no_longer_measured) {
  FarmMetrics metrics = two_machines();
  metrics.farm.machines[1].retired = true;
  LatestPoint old = latest("farm-1", "a/b/old", 1, bench::MetricKind::kTime);
  old.point.started = "2025-11-01T02:00:00Z";
  metrics.latest.insert(metrics.latest.begin() + 1, {latest("farm-1", "a/b/c", 2, bench::MetricKind::kTime), old});
  const std::string text = to_openmetrics(metrics);
  EXPECT_THAT(text, Not(HasSubstr("farm-2")));
  EXPECT_THAT(text, Not(HasSubstr("a/b/old")));
  EXPECT_THAT(text, Not(HasSubstr("version=\"1\"")));
  EXPECT_THAT(text, HasSubstr("lab_benchmark_seconds{machine=\"farm-1\",benchmark=\"a/b/c\",version=\"2\"} 2.5e-06\n"));
}

TEST(OpenMetrics, escapes_hostile_names) {
  FarmMetrics metrics;
  metrics.farm.machines = {seen("a\"b\\c\nd\x1b[2J\xe2\x80\xae\xff", 0)};
  EXPECT_THAT(to_openmetrics(metrics),
              HasSubstr("lab_machine_sessions{machine=\"a\\\"b\\\\c\\nd?[2J????\",class=\"EPYC\"} 60\n"));
}

}  // namespace

}  // namespace lab::report
