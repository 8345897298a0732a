#include "harness/judge/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/judge/condense.h"

namespace lab::judge {

template <typename F>
void fields(F& f, LevelChange& c) {
  std::optional<double> low, high;
  if (c.interval) low = c.interval->low, high = c.interval->high;
  std::size_t nights = c.nights();  // written for scripts, not read
  f("index", c.index);
  f("detected_at", c.detected_at);
  f("before", c.before);
  f("after", c.after);
  f("ratio", c.ratio);
  f("more_is_better", c.more_is_better);
  f("low", low);
  f("high", high);
  f("confidence", c.confidence);
  f("nights", nights);
  f("started", c.started);
  f("earliest", c.earliest);
  f("latest", c.latest);
  f("commits", c.commits);
  f("cause", c.cause);
  f("changed", c.changed);
  f("in_hindsight", c.in_hindsight);
  if (low && high) c.interval = stats::Interval{*low, *high};
}

LAB_JSON_STRUCT(MetricChange, index, metric, before, after, commits, started)
LAB_JSON_STRUCT(JudgedRange, nights_missing, from, reason)
LAB_JSON_STRUCT(SeriesPattern, switching, drifting, noise_ratio, noise_at, noise_started)
LAB_JSON_STRUCT(SeriesFindings, sessions, first, last, median, changes, metric_changes, judged, pattern, seen)

namespace {

/// Two contexts with the same key give the same findings.
std::string key_of(const stats::DetectorContext& context) {
  if (!context.shared) return fmt::format("{}", context.series);
  const stats::SharedNoise& shared = *context.shared;
  return fmt::format("{} {} {} {} {}", context.series, shared.autocorrelation, shared.sigma, shared.worth,
                     fmt::join(shared.shape, " "));
}

results::MachineRules rules_of(std::span<const std::vector<double>> medians) {
  std::vector<std::vector<double>> logs(medians.begin(), medians.end());
  for (std::vector<double>& series : logs)
    for (double& median : series) median = std::log(median);
  const stats::DetectorContext context{logs.size(), shared_noise(logs)};
  return {key_of(context), [context](std::span<const results::SeriesPoint> points) {
            return json::serialize(to_json(find(points, context)));
          }};
}

}  // namespace

SeriesFindings find(std::span<const results::SeriesPoint> points, const stats::DetectorContext& context) {
  SeriesFindings findings{points.size(),
                          points.front().started,
                          points.back().started,
                          points.back().median,
                          find_changes(points, context),
                          find_metric_changes(points),
                          {},
                          pattern_of(points),
                          {}};
  findings.judged = judged_of(points, findings.changes);
  findings.seen = smallest_seen(points, findings.changes);
  return findings;
}

json::value change_json(const LevelChange& change) {
  return to_json(change);
}

json::value change_json(const MetricChange& change) {
  return to_json(change);
}

results::StoreRules store_rules() {
  return {kFindingsVersion, condense, rules_of};
}

SeriesFindings parse_findings(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "findings");
  const Expected<SeriesFindings> findings = value ? from_json<SeriesFindings>(*value) : SeriesFindings{};
  return findings ? *findings : SeriesFindings{};
}

}  // namespace lab::judge
