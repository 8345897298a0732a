#include "harness/judge/history.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/base/json_fields.h"
#include "harness/judge/condense.h"

namespace lab::stats {

template <typename F>
void fields(F& f, Interval& i) {
  f("low", i.low);
  f("high", i.high);
}

}  // namespace lab::stats

namespace lab::judge {

template <typename F>
void fields(F& f, CommitRange& c) {
  f("from", c.from);
  f("to", c.to);
}

template <typename F>
void fields(F& f, Change& c) {
  f("index", c.index);
  f("detected_at", c.detected_at);
  f("earliest", c.earliest);
  f("latest", c.latest);
  f("started", c.started);
  f("before", c.before);
  f("after", c.after);
  f("ratio", c.ratio);
  f("interval", c.interval);
  f("confidence", c.confidence);
  f("commits", c.commits);
  f("cause", c.cause);
  f("changed", c.changed);
}

template <typename F>
void fields(F& f, MetricChange& m) {
  f("index", m.index);
  f("started", m.started);
  f("metric", m.metric);
  f("before", m.before);
  f("after", m.after);
  f("commits", m.commits);
}

template <typename F>
void fields(F& f, Judged& j) {
  f("nights_missing", j.nights_missing);
  f("from", j.from);
  f("reason", j.reason);
}

template <typename F>
void fields(F& f, Findings& x) {
  f("sessions", x.sessions);
  f("first", x.first);
  f("last", x.last);
  f("median", x.median);
  f("changes", x.changes);
  f("metric_changes", x.metric_changes);
  f("judged", x.judged);
}

namespace {

results::MachineRules rules_of(std::span<const std::vector<double>> medians) {
  std::vector<std::vector<double>> logs(medians.begin(), medians.end());
  for (std::vector<double>& series : logs)
    for (double& median : series) median = std::log(median);
  const stats::DetectorContext context{logs.size(), common_autocorrelation(logs)};
  return {fmt::format("{} {}", context.series, context.autocorrelation.value_or(-1)),
          [context](std::span<const results::SeriesPoint> points) {
            return json::serialize(to_json(find(points, context)));
          }};
}

}  // namespace

Findings find(std::span<const results::SeriesPoint> points, const stats::DetectorContext& context) {
  Findings findings{points.size(),
                    points.front().started,
                    points.back().started,
                    points.back().median,
                    find_changes(points, context),
                    find_metric_changes(points),
                    {}};
  findings.judged = judged_of(points, findings.changes);
  return findings;
}

results::StoreRules store_rules() {
  return {kFindingsVersion, condense, rules_of};
}

Findings parse_findings(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "findings");
  const Expected<Findings> findings = value ? from_json<Findings>(*value) : Findings{};
  return findings ? *findings : Findings{};
}

}  // namespace lab::judge
