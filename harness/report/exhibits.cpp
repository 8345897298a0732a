#include "harness/report/exhibits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/report/charts.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/lines.h"
#include "harness/report/replay.h"

namespace lab::report {

namespace {

using results::Exhibit;
using results::ExhibitKind;
using results::Result;

struct FileLine {
  std::string name;
  std::vector<double> y;
};
LAB_JSON_STRUCT(FileLine, name, y)

struct FileSeries {
  std::string x_title, y_title;
  std::vector<double> x;
  std::vector<FileLine> lines;
};
LAB_JSON_STRUCT(FileSeries, x_title, y_title, x, lines)

struct FileEvent {
  std::string name;
  unsigned tid = 0;
  double ts = 0, dur = 0;  ///< microseconds
  std::map<std::string, std::int64_t> args;
};
void fields(FieldReader& f, FileEvent& event) {
  f("name", event.name);
  f("tid", event.tid);
  f("ts", event.ts);
  f("dur", event.dur);
  f.added("args", event.args);
}

/// What the rows are and what the time is (bench::EventAxes).
struct FileAxes {
  std::string row = "thread", time = {};
  double microseconds = 1;  ///< of one unit of `time`
};
LAB_JSON_STRUCT(FileAxes, row, time, microseconds)

struct FileEvents {
  std::vector<FileEvent> traceEvents;
  FileAxes axes;
};
void fields(FieldReader& f, FileEvents& file) {
  f("traceEvents", file.traceEvents);
  f.added("axes", file.axes);
}

/// The unit of the axis of time, which counts microseconds.
AxisUnit event_axis(const FileAxes& axes, double end) {
  if (!axes.time.empty()) return {axes.microseconds, axes.time};
  AxisUnit unit = time_axis(1000 * end, 1000 * end);
  unit.size /= 1000;
  return unit;
}

/// The quantiles of a latency distribution, as a summary names them and as the chart does.
constexpr std::array<std::pair<const char*, const char*>, 4> kQuantiles{
    {{results::kP50, "half"}, {results::kP99, "99 %"}, {results::kP999, "99.9 %"}, {results::kWorst, "all"}}};

/// The exhibits of one name of one workload, the reference's first.
struct ExhibitGroup {
  std::string workload;
  const bench::ExhibitInfo* info = nullptr;
  std::vector<const Exhibit*> exhibits;
  std::optional<results::LatencyLimit> limit = {};

  std::string chart_name(std::string_view family) const {
    return fmt::format("{}-{}-{}", family, workload, info->name);
  }
};

std::string variant_of(const Exhibit& exhibit) {
  return std::string(results::benchmark_parts(exhibit.benchmark).variant);
}

/// By exhibit: the reference first, then the variants that the family's questions name.
std::vector<ExhibitGroup> groups_of(const std::string& family, const results::Family& described, const Result& result) {
  std::set<std::string> asked;
  for (const results::Question& question : described.questions)
    asked.insert(question.between.begin(), question.between.end());
  std::vector<ExhibitGroup> groups;
  for (const Exhibit& exhibit : result.exhibits) {
    const results::BenchmarkParts parts = results::benchmark_parts(exhibit.benchmark);
    if (parts.family != family) continue;
    auto found = std::ranges::find_if(groups, [&](const ExhibitGroup& group) {
      return group.workload == parts.workload && group.info->name == exhibit.info.name;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), {std::string(parts.workload), &exhibit.info, {}});
    found->exhibits.push_back(&exhibit);
  }
  const auto rank = [&](const Exhibit* exhibit) {
    const results::VariantCard* const variant = results::find_variant(result, exhibit->benchmark);
    return variant == nullptr ? 2 : variant->reference ? 0 : asked.contains(variant->name) ? 1 : 2;
  };
  for (ExhibitGroup& group : groups) std::ranges::stable_sort(group.exhibits, {}, rank);
  return groups;
}

std::string folder_of(const Exhibit& exhibit) {
  return std::filesystem::path(exhibit.file).parent_path().string();
}

template <typename T>
std::optional<T> parsed(const Exhibit& exhibit, const ExhibitContents& contents) {
  const auto found = contents.find(exhibit.file);
  if (found == contents.end()) return std::nullopt;
  const Expected<json::value> value = parse_printable_json(found->second, exhibit.file);
  Expected<T> read = value ? from_json<T>(*value) : Expected<T>(value.error());
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

double summary_value(const Exhibit& exhibit, const char* name) {
  const auto found = exhibit.summary.find(name);
  return found == exhibit.summary.end() ? 0 : found->second;
}

/// How many worst calls stay below the limit, which do not, and how far the longest is from it.
std::string limit_sentence(const results::LatencyLimit& limit, std::vector<const Exhibit*> exhibits) {
  const auto worst = [](const Exhibit* one) { return summary_value(*one, results::kWorst); };
  std::ranges::stable_sort(exhibits, std::ranges::greater(), worst);
  std::vector<std::string> over;
  for (const Exhibit* one : exhibits)
    if (worst(one) >= limit.ns) over.push_back(variant_of(*one));
  const double longest = worst(exhibits.front());
  if (longest <= 0) return "";
  return fmt::format("The worst call of {} of {} stays below {}{}: the longest, {} of {}, is {}.",
                     exhibits.size() - over.size(), counted(exhibits.size(), "variant"), limit.title,
                     over.empty() ? "" : fmt::format(", that of {} does not", enumerated(over)), duration(longest),
                     variant_of(*exhibits.front()),
                     over.empty() ? fmt::format("{} times shorter", number(limit.ns / longest))
                                  : fmt::format("{} times as long", number(longest / limit.ns)));
}

/// How often the sequence was timed, and what that gives.
std::string passes_sentence(const std::vector<const Exhibit*>& exhibits) {
  const auto [least, most] =
      std::ranges::minmax(exhibits | std::views::transform([](const Exhibit* one) { return one->processes; }));
  if (most <= 1) return "One process makes the sequence once.";
  return fmt::format(
      "{} processes repeat one sequence, and an operation's time is the least over them, so that interruptions by the "
      "machine do not count.",
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
}

/// Latencies of all variants: a row each, sorted by p99.9.
std::vector<Chart> latency_charts(const std::string& family, ExhibitGroup group, const ExhibitContents&,
                                  const judge::Fitness& fitness) {
  std::erase_if(group.exhibits, [](const Exhibit* one) { return summary_value(*one, results::kP50) <= 0; });
  if (group.exhibits.empty()) return {};
  std::ranges::stable_sort(group.exhibits, {}, [](const Exhibit* one) { return summary_value(*one, results::kP999); });
  json::array rows, ranges, limit;
  if (group.limit) limit.push_back(json::object{{"value", group.limit->ns}, {"title", group.limit->title}});
  for (const Exhibit* one : group.exhibits) {
    ranges.push_back(json::object{{"variant", variant_of(*one)},
                                  {"benchmark", one->benchmark},
                                  {"low", summary_value(*one, results::kP50)},
                                  {"high", summary_value(*one, results::kWorst)}});
    for (const auto& [name, shown] : kQuantiles)
      rows.push_back(json::object{{"variant", variant_of(*one)},
                                  {"benchmark", one->benchmark},
                                  {"quantile", shown},
                                  {"value", summary_value(*one, name)},
                                  {"shown", duration(summary_value(*one, name))}});
  }
  const Exhibit& best = *group.exhibits.front();
  Chart chart("latency", group.chart_name(family));
  chart.title = fitness.fit ? fmt::format("{}: with {}, 99.9 % take at most {}", group.info->title, variant_of(best),
                                          duration(summary_value(best, results::kP999)))
                            : fmt::format("{}: {}", group.info->title, not_judged(fitness));
  chart.note = fmt::format(
      "Half, 99 %, 99.9 % and all operations of {} end within this time. {} The longest time in any process was {}.{}",
      group.workload, passes_sentence(group.exhibits),
      duration(std::ranges::max(group.exhibits | std::views::transform([](const Exhibit* one) {
                                  return summary_value(*one, results::kRawWorst);
                                }))),
      group.limit && fitness.fit ? " " + limit_sentence(*group.limit, group.exhibits) : "");
  chart.text = fmt::format("Dot plot of quantiles by variant. {}.", chart.title);
  chart.data = {{"rows", std::move(rows)}, {"ranges", std::move(ranges)}, {"limit", std::move(limit)}};
  chart.values = {{"legend_offset", group.limit ? 22 : 8}};  // above the title of the limit
  const auto values_of = [&](const char* name) {
    return group.exhibits | std::views::transform([name](const Exhibit* one) { return summary_value(*one, name); });
  };
  set_unit(chart, time_axis(std::ranges::min(values_of(results::kP50)), std::ranges::max(values_of(results::kWorst))));
  return {std::move(chart)};
}

/// Keeps the first variant's lines (the reference's), and of the others a few whose last values are spread evenly over
/// those of all. Returns how many variants there were.
std::size_t keep_few(std::vector<Line>& lines) {
  std::vector<std::string> variants;
  std::map<std::string, double> last;
  for (const Line& line : lines) {
    if (!last.contains(line.benchmark)) variants.push_back(line.benchmark);
    last[line.benchmark] = line.points.empty() ? 0 : line.points.back().y;
  }
  const std::size_t count = variants.size();
  if (count <= kShownSeries) return count;
  std::ranges::stable_sort(variants.begin() + 1, variants.end(), {},
                           [&](const std::string& each) { return last[each]; });
  std::set<std::string> kept{variants.front()};
  for (std::size_t i = 0; i + 1 < kShownSeries; ++i) kept.insert(variants[1 + i * (count - 2) / (kShownSeries - 2)]);
  std::erase_if(lines, [&](const Line& line) { return !kept.contains(line.benchmark); });
  return count;
}

/// The series of variants as lines of one chart.
std::vector<Chart> series_charts(const std::string& family, const ExhibitGroup& group,
                                 const ExhibitContents& contents) {
  std::vector<Line> lines;
  LineAxes axes;
  for (const Exhibit* one : group.exhibits) {
    const std::optional<FileSeries> series = parsed<FileSeries>(*one, contents);
    if (!series) continue;
    axes.x_title = series->x_title;
    axes.y_title = series->y_title;
    for (const FileLine& line : series->lines) {
      const std::string name =
          series->lines.size() == 1 ? variant_of(*one) : fmt::format("{}: {}", variant_of(*one), line.name);
      Line& drawn = lines.emplace_back(Line{name, one->benchmark, {}});
      const std::size_t points = std::min(series->x.size(), line.y.size());
      const std::size_t step = (points + kShownPoints - 1) / kShownPoints;
      for (std::size_t i = step == 0 ? 0 : (points - 1) % step; i < points; i += step)  // with the last one
        drawn.points.push_back({series->x[i], line.y[i], {}});
    }
  }
  if (lines.empty()) return {};
  const std::size_t variants = keep_few(lines);
  Chart chart = line_chart(group.chart_name(family), lines, axes);
  chart.title = group.info->title;
  chart.note = fmt::format("{}. Horizontal: {}. In {}, from a pass that is not timed.", capitalized(axes.y_title),
                           axes.x_title, group.workload);
  if (variants > kShownSeries)
    chart.note += fmt::format(
        " {} of {} variants are shown: the reference, and others whose last values are spread over those of all. The "
        "folder {} has all.",
        kShownSeries, variants, folder_of(*group.exhibits.front()));
  chart.text = fmt::format("Lines of {} over {}, one for each variant.", axes.y_title, axes.x_title);
  return {std::move(chart)};
}

/// The note of one of several charts of a group.
std::string apart_note(const ExhibitGroup& group, const Exhibit& exhibit, std::string_view what) {
  const std::size_t all = group.exhibits.size();
  return fmt::format("{}{}", what,
                     all > kShownApart ? fmt::format("{}{} of {} variants are shown; the folder {} has all.",
                                                     what.empty() ? "" : " ", kShownApart, all, folder_of(exhibit))
                                       : "");
}

Chart apart_chart(const char* spec, const std::string& family, const ExhibitGroup& group, const Exhibit& exhibit) {
  Chart chart(spec, fmt::format("{}-{}", group.chart_name(family), variant_of(exhibit)));
  chart.title = fmt::format("{}: {}", variant_of(exhibit), group.info->title);
  return chart;
}

/// None if the events are not those of a tree of blocks.
std::optional<Chart> replay_of(const std::string& family, const ExhibitGroup& group, const Exhibit& exhibit,
                               const FileEvents& file) {
  std::vector<ReplayEvent> events;
  for (const FileEvent& event : file.traceEvents) events.push_back({event.name, event.args});
  std::optional<Chart> chart =
      replay_chart(fmt::format("{}-{}", group.chart_name(family), variant_of(exhibit)), exhibit.benchmark, events);
  if (!chart) return std::nullopt;
  chart->title = fmt::format("{}: {}", variant_of(exhibit), group.info->title);
  chart->note =
      apart_note(group, exhibit,
                 fmt::format("Rows: block sizes. {} events, as the design reported them; the page replays them, "
                             "and still frames show some. The file {} has all.",
                             whole(events.size()), exhibit.file));
  return chart;
}

std::vector<Chart> event_charts(const std::string& family, const ExhibitGroup& group, const ExhibitContents& contents) {
  std::vector<Chart> charts;
  json::array names;  // of all of them, so that one has the same colour beside another
  for (const Exhibit* one : group.exhibits) {
    if (charts.size() == kShownApart) break;
    std::optional<FileEvents> file = parsed<FileEvents>(*one, contents);
    if (!file || file->traceEvents.empty()) continue;
    std::ranges::stable_sort(file->traceEvents, {}, &FileEvent::ts);
    if (std::optional<Chart> replay = replay_of(family, group, *one, *file)) {
      charts.push_back(std::move(*replay));
      continue;
    }
    const std::size_t shown = std::min(kShownEvents, file->traceEvents.size());
    json::array rows;
    std::set<unsigned> threads;
    for (const FileEvent& event : file->traceEvents | std::views::take(shown)) {
      threads.insert(event.tid);
      if (std::ranges::find(names, json::value(event.name)) == names.end()) names.push_back(json::value(event.name));
      rows.push_back(json::object{{"name", event.name},
                                  {"benchmark", one->benchmark},
                                  {"thread", event.tid},
                                  {"begin", event.ts},
                                  {"end", event.ts + event.dur}});
    }
    Chart& chart = charts.emplace_back(apart_chart("events", family, group, *one));
    const std::size_t all = file->traceEvents.size();
    const std::string count = shown < all ? fmt::format("The first {} of {} events", whole(shown), whole(all))
                              : all == 1  ? "One event"
                                          : fmt::format("All {} events", whole(all));
    const std::string what = fmt::format("{}; the profilers of browsers open the file {}.", count, one->file);
    chart.note = apart_note(group, *one, what);
    chart.text = fmt::format("Bars of what each {} did over time, in {}.", file->axes.row, one->benchmark);
    double end = 0;
    for (const json::value& row : rows) end = std::max(end, row.at("end").as_double());
    chart.values = {{"row_height", threads.size() > kHighRows ? 14 : 30}};
    chart.data = {{"rows", std::move(rows)}};
    chart.words = {{"row", file->axes.row}};
    set_unit(chart, event_axis(file->axes, end));
  }
  for (Chart& chart : charts)
    if (chart.spec == "events") chart.values.emplace_back("names", names);
  return charts;
}

/// The exhibit of this picture of a comparison; null if there is none.
const Exhibit* exhibit_of(const std::string& family, const results::ComparedImage& image, const Result& result) {
  const results::VariantCard* const reference = results::find_reference(result, family);
  const std::string variant = image.variant.empty() && reference != nullptr ? reference->name : image.variant;
  const std::string benchmark = results::benchmark_name(family, variant, image.workload);
  const auto found = std::ranges::find_if(result.exhibits, [&](const Exhibit& one) {
    return one.benchmark == benchmark && one.info.name == image.exhibit && one.info.kind == ExhibitKind::kImage;
  });
  return found == result.exhibits.end() ? nullptr : &*found;
}

std::string picture_name(const std::string& family, const Exhibit& exhibit) {
  return identifier(fmt::format("{}-{}-{}-{}", family, results::benchmark_parts(exhibit.benchmark).workload,
                                exhibit.info.name, variant_of(exhibit)));
}

/// Width and height, from the header of a PNG; 0 without one.
std::pair<unsigned, unsigned> size_of_png(std::string_view png) {
  constexpr std::size_t kWidth = 16, kHeight = 20, kEnd = 24;
  if (png.size() < kEnd || png.substr(12, 4) != "IHDR") return {};
  const auto number_at = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png[at + i]);
    return value;
  };
  return {number_at(kWidth), number_at(kHeight)};
}

/// None if the file is missing.
std::optional<Picture> picture_of(const std::string& family, const Exhibit& exhibit, const std::string& title,
                                  const ExhibitContents& contents) {
  const auto png = contents.find(exhibit.file);
  if (png == contents.end()) return std::nullopt;
  const auto [width, height] = size_of_png(png->second);
  return Picture{picture_name(family, exhibit),
                 title,
                 "",
                 fmt::format("{}, made by {}", exhibit.info.title, exhibit.benchmark),
                 png->second,
                 width,
                 height};
}

/// " From session 20260802T231500Z-1a2b3c4d5e6f." in a picture of several sessions (judge/picture.h), or "": the
/// exhibits of a group are of one.
std::string origin_of(const Exhibit& exhibit) {
  return exhibit.session.empty() ? "" : fmt::format(" From session {}.", exhibit.session);
}

using MakeCharts = std::vector<Chart> (*)(const std::string&, ExhibitGroup, const ExhibitContents&,
                                          const judge::Fitness&);

/// In the order of ExhibitKind.
constexpr std::array<MakeCharts, 4> kMakers{
    latency_charts,
    [](const std::string& family, ExhibitGroup group, const ExhibitContents& contents, const judge::Fitness&) {
      return series_charts(family, group, contents);
    },
    nullptr,  // a picture is no chart
    [](const std::string& family, ExhibitGroup group, const ExhibitContents& contents, const judge::Fitness&) {
      return event_charts(family, group, contents);
    }};

/// Two workloads may make pictures of one title.
void tell_apart(std::vector<std::pair<Picture, std::string>>& pictures_on) {
  std::map<std::string, int> counts;
  for (const auto& [picture, workload] : pictures_on) ++counts[picture.title];
  for (auto& [picture, workload] : pictures_on)
    if (counts.at(picture.title) > 1) picture.title += ", on " + workload;
}

}  // namespace

std::vector<Chart> exhibit_charts(const std::string& family, const results::Family& described, const Result& result,
                                  const ExhibitContents& contents, const judge::Fitness& fitness) {
  std::vector<Chart> charts;
  for (ExhibitGroup& group : groups_of(family, described, result)) {
    if (described.choice && described.choice->latency == group.info->name)
      group.limit = described.choice->latency_limit;
    const std::string origin = origin_of(*group.exhibits.front());
    if (const MakeCharts make = kMakers[static_cast<std::size_t>(group.info->kind)]; make != nullptr)
      for (Chart& chart : make(family, std::move(group), contents, fitness)) {
        chart.note += origin;
        charts.push_back(std::move(chart));
      }
  }
  return charts;
}

std::vector<PictureComparison> picture_comparisons(const std::string& family, const results::Family& described,
                                                   const Result& result, const ExhibitContents& contents) {
  std::vector<PictureComparison> comparisons;
  for (const results::ImageComparison& wanted : described.comparisons) {
    PictureComparison made{identifier(fmt::format("{}-{}", family, wanted.name)), wanted.title, wanted.note, {}};
    for (const results::ComparedImage& image : wanted.images) {
      const Exhibit* const exhibit = exhibit_of(family, image, result);
      std::optional<Picture> picture =
          exhibit == nullptr ? std::nullopt : picture_of(family, *exhibit, image.title, contents);
      if (picture && picture->width != 0) made.pictures.push_back(std::move(*picture));
    }
    if (!made.pictures.empty()) comparisons.push_back(std::move(made));
  }
  return comparisons;
}

std::vector<Picture> exhibit_pictures(const std::string& family, const results::Family& described, const Result& result,
                                      const ExhibitContents& contents) {
  std::set<std::string> compared;
  for (const PictureComparison& comparison : picture_comparisons(family, described, result, contents))
    for (const Picture& picture : comparison.pictures) compared.insert(picture.name);
  std::vector<std::pair<Picture, std::string>> pictures_on;
  for (ExhibitGroup& group : groups_of(family, described, result)) {
    if (group.info->kind != ExhibitKind::kImage) continue;
    std::erase_if(group.exhibits, [&](const Exhibit* one) { return compared.contains(picture_name(family, *one)); });
    for (const Exhibit* one : group.exhibits | std::views::take(kShownApart))
      if (std::optional<Picture> picture =
              picture_of(family, *one, fmt::format("{}: {}", variant_of(*one), group.info->title), contents)) {
        picture->note = apart_note(group, *one, "") + origin_of(*one);
        pictures_on.emplace_back(std::move(*picture), results::benchmark_parts(one->benchmark).workload);
      }
  }
  tell_apart(pictures_on);
  std::vector<Picture> pictures;
  for (auto& [picture, workload] : pictures_on) pictures.push_back(std::move(picture));
  return pictures;
}

}  // namespace lab::report
