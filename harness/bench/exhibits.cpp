#include "harness/bench/exhibits.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::bench {

LAB_JSON_STRUCT(SeriesLine, name, y)
LAB_JSON_STRUCT(Series, x_title, y_title, x, lines)

namespace {

std::string malformed(const Series& series) {
  for (const SeriesLine& line : series.lines) {
    if (line.y.size() != series.x.size())
      return fmt::format("line '{}': expected {} values, found {}", line.name, series.x.size(), line.y.size());
    if (!std::ranges::all_of(line.y, [](double y) { return std::isfinite(y); }))
      return fmt::format("line '{}': a value is not finite", line.name);
  }
  return "";
}

}  // namespace

void ExhibitFiles::fail(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
}

bool ExhibitFiles::begin(std::string_view name, ExhibitKind kind, std::size_t size, std::size_t most) {
  const auto found = std::ranges::find(declared_, name, &ExhibitInfo::name);
  if (found == declared_.end() || found->kind != kind)
    fail(fmt::format("exhibit '{}' was written, but is not declared as such", name));
  else if (std::ranges::find(written_, name) != written_.end())
    fail(fmt::format("exhibit '{}' was written twice", name));
  else if (size == 0 || size > most)
    fail(fmt::format("exhibit '{}': expected 1 to {} values, found {}", name, most, size));
  written_.emplace_back(name);
  return problem_.empty();
}

void ExhibitFiles::write(std::string_view name, ExhibitKind kind, const std::string& content) {
  const Expected<void> written = write_file(folder_ / exhibit_file({std::string(name), "", kind}), content);
  if (!written) fail(written.error().what);
}

void ExhibitFiles::latency(std::string_view name, std::span<const std::uint32_t> nanoseconds) {
  if (!begin(name, ExhibitKind::kLatency, nanoseconds.size(), kMostLatencies)) return;
  std::string content;
  content.reserve(nanoseconds.size() * 4);
  for (const std::uint32_t value : nanoseconds)
    for (int shift = 0; shift < 32; shift += 8) content += static_cast<char>(value >> shift & 0xff);
  write(name, ExhibitKind::kLatency, content);
}

void ExhibitFiles::series(std::string_view name, const Series& series) {
  if (!begin(name, ExhibitKind::kSeries, series.x.size() * series.lines.size(), kMostPoints)) return;
  if (const std::string problem = malformed(series); !problem.empty())
    return fail(fmt::format("exhibit '{}': {}", name, problem));
  write(name, ExhibitKind::kSeries, json::serialize(to_json(series)) + "\n");
}

void ExhibitFiles::image(std::string_view name, const Picture& picture) {
  const std::size_t pixels = std::size_t{picture.width} * picture.height;
  if (!begin(name, ExhibitKind::kImage, pixels, kMostPixels)) return;
  if ((picture.channels != 1 && picture.channels != 3) || picture.pixels.size() != pixels * picture.channels)
    return fail(fmt::format("exhibit '{}': expected {} x {} pixels of 1 or 3 bytes, found {} bytes", name,
                            picture.width, picture.height, picture.pixels.size()));
  write(name, ExhibitKind::kImage, png_of(picture));
}

void ExhibitFiles::events(std::string_view name, std::span<const Event> events,
                          const std::map<std::string, double>& figures, const EventAxes& axes) {
  if (!begin(name, ExhibitKind::kEvents, events.size(), kMostEvents)) return;
  std::string lines;
  for (const Event& event : events) {
    // Trace Event Format counts microseconds.
    const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1000; };
    json::object line{
        {"name", event.name},  {"ph", event.length == 0 ? "i" : "X"}, {"pid", 1},
        {"tid", event.thread}, {"ts", microseconds(event.begin)},     {"dur", microseconds(event.length)}};
    if (!event.args.empty()) line["args"] = to_json(event.args);
    lines += fmt::format("{}{}", lines.empty() ? "" : ",\n", json::serialize(line));
  }
  std::string other;
  if (!figures.empty()) other += fmt::format(", \"otherData\": {}", json::serialize(to_json(figures)));
  if (!axes.time.empty())
    other += fmt::format(
        ", \"axes\": {}",
        json::serialize(json::object{{"row", axes.row}, {"time", axes.time}, {"microseconds", axes.microseconds}}));
  write(name, ExhibitKind::kEvents, fmt::format("{{\"traceEvents\": [\n{}\n]{}}}\n", lines, other));
}

Expected<void> ExhibitFiles::finish() const {
  if (!problem_.empty()) return Error{problem_, ""};
  for (const ExhibitInfo& exhibit : declared_)
    if (std::ranges::find(written_, exhibit.name) == written_.end())
      return Error{fmt::format("exhibit '{}' was declared and not written", exhibit.name), ""};
  return {};
}

}  // namespace lab::bench
