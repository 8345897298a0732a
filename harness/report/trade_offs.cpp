#include "harness/report/trade_offs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "harness/judge/summary.h"
#include "harness/report/choice.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/sweeps.h"
#include "harness/results/metrics.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using bench::Better;
using results::Result;
using results::TradeOff;
using results::VariantCard;
using results::WorkloadInfo;

/// One point of one workload in one variant.
struct Point {
  const WorkloadInfo* workload = nullptr;
  std::string benchmark;
  std::optional<double> at;  ///< of the sweep's axis
  double x = 0, y = 0;
  std::vector<stats::Datum> xs = {}, ys = {};  ///< of its processes, unscaled
  bool on_front = false;

  /// "6": what stands beside it.
  std::string label() const { return at ? thousands(fmt::format("{}", *at)) : ""; }
  /// "still_plain with 6 samples"
  std::string name() const {
    return at ? fmt::format("{} with {}", workload->name, point_phrase(*workload->axis, *at)) : workload->name;
  }
};

struct VariantPoints {
  const VariantCard* variant = nullptr;
  std::vector<Point> points;  ///< by workload, in the order of its axis
};

/// Three significant digits, also of small errors.
std::string shown(double value) {
  return value == 0 || std::abs(value) >= 1 ? number(value) : significant(value, 3);
}

/// The title of a metric without its unit: "RMS error" of "RMS error, grey levels"; "1,024" has no unit.
std::string quantity(const results::Metric& metric) {
  return uncapitalized(metric.title.substr(0, metric.title.find(", ")));
}

/// The length of an axis, and whether it is logarithmic: where its points span more than a decade.
struct Extent {
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// With room for marks at both ends.
  json::array domain() const {
    constexpr double kRoom = 0.06;
    if (log) {
      const double share = std::pow(high / low, kRoom);
      return {low / share, high * share};
    }
    const double room = high > low ? kRoom * (high - low) : std::max(0.1 * std::abs(high), 1e-9);
    return {low - room, high + room};
  }
  json::object scale() const {
    json::object scale{{"type", log ? "log" : "linear"}, {"nice", false}, {"domain", domain()}};
    if (!log) scale["zero"] = false;
    return scale;
  }
  std::string title(const std::string& text) const { return log ? text + " (log scale)" : text; }

  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool log = false;
};

json::object row_of(const VariantPoints& one, const Point& point, std::size_t order) {
  return {{"variant", one.variant->name},
          {"benchmark", point.benchmark},
          {"workload", point.workload->name},
          {"label", point.label()},
          {"what", point.name()},
          {"order", order},
          {"x", point.x},
          {"y", point.y},
          {"shown_x", shown(point.x)},
          {"shown_y", shown(point.y)},
          {"front", point.on_front}};
}

/// The ratio of two points' cost as text, with its interval; "" if it is not known to be below 1.
std::string share_of_cost(const results::Metric& x, const Point& cheap, const Point& dear) {
  if (x.kind == results::MetricKind::kExact) return shown(cheap.x / dear.x);
  const std::optional<stats::Estimate> ratio = stats::estimate_ratio(cheap.xs, dear.xs);
  if (!ratio || !ratio->interval || ratio->interval->high >= 1) return "";
  return fmt::format("{} ({})", shown(ratio->median), range(shown(ratio->interval->low), shown(ratio->interval->high)));
}

/// Whether the quality of a point is known to be no worse than that of another.
bool reaches(const results::Metric& y, const Point& point, const Point& best) {
  if (results::is_worse(y, best.y, point.y)) return false;
  if (y.kind == results::MetricKind::kExact) return true;
  const auto own = judge::estimate(point.ys).interval, other = judge::estimate(best.ys).interval;
  if (!own || !other) return false;
  return y.better == Better::kMore ? own->low >= other->high : own->high <= other->low;
}

class TradeOffChart {
 public:
  TradeOffChart(std::string family, const TradeOff& wanted, const Result& result, const judge::Fitness& fitness)
      : family_(std::move(family)), wanted_(wanted), result_(result), fitness_(fitness) {
    for (const VariantCard& variant : result.variants)
      if (variant.family == family_)
        if (VariantPoints one{&variant, points_of(variant)}; !one.points.empty()) variants_.push_back(std::move(one));
    std::ranges::stable_partition(variants_, [](const VariantPoints& one) { return one.variant->reference; });
    for (VariantPoints& one : variants_) mark_front(one.points);
  }

  std::optional<Chart> chart() const {
    if (variants_.empty()) return std::nullopt;
    const VariantPoints& first = variants_.front();
    Chart chart("trade_off", fmt::format("{}-{}", family_, wanted_.name));
    chart.title = title();
    chart.note = note();
    chart.text = text();
    for (const VariantPoints& one : variants_) chart.variants.push_back(one.variant->name);
    Extent x, y;
    json::array rows, workloads, colours, shapes;
    for (const VariantPoints& one : variants_)
      for (std::size_t i = 0; i < one.points.size(); ++i) {
        const Point& point = one.points[i];
        x.add(point.x);
        y.add(point.y);
        rows.push_back(row_of(one, point, i));
      }
    for (Extent* const extent : {&x, &y}) extent->log = extent->low > 0 && extent->high > 10 * extent->low;
    for (const std::string& workload : wanted_.workloads) {
      // Six colours and six shapes: the seventh workload has the first one's colour and the second one's shape.
      constexpr std::array kShapes{"circle", "square", "triangle-up", "diamond", "cross", "triangle-down"};
      const std::size_t at = workloads.size();
      if (std::ranges::none_of(first.points, [&](const Point& point) { return point.workload->name == workload; }))
        continue;
      workloads.push_back(json::value(workload));
      colours.push_back(json::value(fmt::format("var(--c{})", at % kShapes.size() + 1)));
      shapes.push_back(json::value(kShapes[(at + at / kShapes.size()) % kShapes.size()]));
    }
    json::array bands, lines, titles, inks;
    for (const results::AxisMark& mark : wanted_.marks) {
      if (x.log && mark.x <= 0) continue;
      x.add(mark.x);
      lines.push_back(json::object{{"x", mark.x}, {"title", mark.title}});
      titles.push_back(json::value(mark.title));
      inks.push_back(titles.size() % 2 == 1 ? "var(--ink)" : "var(--muted)");
      if (!mark.to) continue;
      x.add(*mark.to);
      lines.push_back(json::object{{"x", *mark.to}, {"title", mark.title}});
      bands.push_back(json::object{{"x", mark.x}, {"to", *mark.to}, {"title", mark.title}});
    }
    chart.data = {{"rows", std::move(rows)}, {"bands", std::move(bands)}, {"lines", std::move(lines)}};
    chart.words = {{"x_title", x.title(wanted_.x_axis)}, {"y_title", y.title(wanted_.y_axis)}};
    chart.values = {{"x_scale", x.scale()},          {"y_scale", y.scale()},        {"workloads", std::move(workloads)},
                    {"colours", std::move(colours)}, {"shapes", std::move(shapes)}, {"titles", std::move(titles)},
                    {"inks", std::move(inks)}};
    chart.table = table();
    return chart;
  }

 private:
  std::vector<Point> points_of(const VariantCard& variant) const {
    std::vector<Point> points;
    for (const std::string& name : wanted_.workloads) {
      const std::string benchmark = results::benchmark_name(family_, variant.name, name);
      const WorkloadInfo* const workload = results::find_workload(result_, benchmark);
      if (workload == nullptr) continue;
      const auto add = [&](std::optional<double> at) {
        // A metric that is costly is missing in some processes.
        const auto values = [&](const std::string& metric) {
          return at ? judge::metric_values_at(result_, benchmark, *at, metric)
                    : judge::metric_values(result_, benchmark, metric);
        };
        std::vector<stats::Datum> x = values(wanted_.x), y = values(wanted_.y);
        if (x.empty() || y.empty()) return;
        const double x_median = judge::median_of(x), y_median = judge::median_of(y);
        points.push_back({workload, benchmark, at, x_median * wanted_.x_scale, y_median * wanted_.y_scale, std::move(x),
                          std::move(y)});
      };
      if (!workload->axis) add(std::nullopt);
      if (workload->axis)
        for (const bench::AxisPoint& point : workload->axis->points) add(point.at);
    }
    return points;
  }

  results::Metric metric(const std::string& name) const {
    const WorkloadInfo& workload = *variants_.front().points.front().workload;
    return results::find_metric(workload, name)
        .value_or(results::Metric{name, name, "", results::MetricKind::kExact, Better::kLess, false});
  }

  /// Whether the session may judge both axes.
  bool is_judged() const {
    const auto exact = [&](const std::string& name) { return metric(name).kind == results::MetricKind::kExact; };
    return fitness_.fit || (exact(wanted_.x) && exact(wanted_.y));
  }

  void mark_front(std::vector<Point>& points) const {
    if (!is_judged()) return;
    const auto cost = [](Better better, double value) { return better == Better::kMore ? -value : value; };
    const Better x = metric(wanted_.x).better, y = metric(wanted_.y).better;
    if (x == Better::kNeither || y == Better::kNeither) return;
    std::vector<std::pair<double, double>> costs;
    for (const Point& point : points) costs.emplace_back(cost(x, point.x), cost(y, point.y));
    for (const std::size_t at : pareto_front(costs)) points[at].on_front = true;
  }

  /// The point of another workload that gives at least as much as the best of the first workload, for the least. "" if
  /// it is not known to cost less, or there is none.
  std::string finding() const {
    const results::Metric x = metric(wanted_.x), y = metric(wanted_.y);
    if (x.better != Better::kLess || y.better == Better::kNeither) return "";
    const std::vector<Point>& points = variants_.front().points;
    const Point* best = nullptr;
    for (const Point& point : points)
      if (point.workload == points.front().workload && (best == nullptr || results::is_worse(y, point.y, best->y)))
        best = &point;
    const Point* cheapest = nullptr;
    for (const Point& point : points)
      if (point.workload != best->workload && reaches(y, point, *best) &&
          (cheapest == nullptr || point.x < cheapest->x))
        cheapest = &point;
    if (cheapest == nullptr || cheapest->x >= best->x || best->x <= 0) return "";
    const std::string share = share_of_cost(x, *cheapest, *best);
    if (share.empty()) return "";
    return fmt::format("{} reaches the {} of {} at {} of its {}", cheapest->name(), quantity(y), best->name(), share,
                       quantity(x));
  }

  std::string title() const {
    if (!is_judged())
      return fmt::format("{}, {}: {}", wanted_.title, variants_.front().variant->name, not_judged(fitness_));
    const std::string found = finding();
    return fmt::format("{}, {}{}", wanted_.title, variants_.front().variant->name, found.empty() ? "" : ": " + found);
  }

  std::string note() const {
    const auto best = [](Better better, const char* less, const char* more) {
      return better == Better::kLess ? less : more;
    };
    const Better x = metric(wanted_.x).better, y = metric(wanted_.y).better;
    const bool has_front = x != Better::kNeither && y != Better::kNeither && is_judged();
    const bool swept =
        std::ranges::any_of(variants_.front().points, [](const Point& one) { return one.at.has_value(); });
    std::string text;
    if (swept) text += "Numbers, where there is room: the place on the workload's axis, whose points a line joins. ";
    if (has_front)
      text += fmt::format(
          "{} and {} is better. Filled: on the Pareto front of the variant, where no other point is at "
          "least as good in both and better in one. ",
          capitalized(best(x, "left", "right")), best(y, "low", "high"));
    const bool single = std::ranges::all_of(variants_, [](const VariantPoints& one) {
      return std::ranges::all_of(one.points,
                                 [](const Point& point) { return point.xs.size() == 1 && point.ys.size() == 1; });
    });
    text += single ? "Of one process each." : "Medians over processes.";
    if (variants_.size() > 1) text += fmt::format(" The title is about {}.", variants_.front().variant->name);
    return wanted_.note.empty() ? text : fmt::format("{} {}", text, wanted_.note);
  }

  /// The points of the first variant.
  std::string text() const {
    std::vector<std::string> points;
    for (const Point& point : variants_.front().points)
      points.push_back(fmt::format("{}: {}, {}", point.name(), shown(point.x), shown(point.y)));
    return fmt::format("Scatter plot of {} against {}. {}. {}.", wanted_.y_axis, wanted_.x_axis, title(),
                       fmt::join(points, "; "));
  }

  Table table() const {
    Table table{fmt::format("{}-{}", family_, wanted_.name),
                fmt::format("{}: medians over processes", wanted_.title),
                {{"Benchmark", kBenchmark},
                 {"Point", kShort},
                 {wanted_.x_axis, kNumber},
                 {wanted_.y_axis, kNumber},
                 {"Front", kShort}}};
    for (const VariantPoints& one : variants_)
      for (const Point& point : one.points)
        table.rows.push_back({point.benchmark, point.at ? point_phrase(*point.workload->axis, *point.at) : "",
                              shown(point.x), shown(point.y), point.on_front ? "on the front" : ""});
    table.drop_empty_columns();
    return table;
  }

  std::string family_;
  const TradeOff& wanted_;
  const Result& result_;
  const judge::Fitness& fitness_;
  std::vector<VariantPoints> variants_;  ///< the reference first
};

}  // namespace

std::vector<Chart> trade_off_charts(const std::string& family, const results::Family& described, const Result& result,
                                    const judge::Fitness& fitness) {
  std::vector<Chart> charts;
  for (const TradeOff& wanted : described.trade_offs)
    if (std::optional<Chart> chart = TradeOffChart(family, wanted, result, fitness).chart())
      charts.push_back(std::move(*chart));
  return charts;
}

}  // namespace lab::report
