#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <set>

#include "harness/judge/atlas_differences.h"
#include "harness/report/article_marks.h"
#include "harness/report/atlas_census.h"
#include "harness/report/atlas_names.h"
#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using judge::AtlasAnswer;
using results::Article;
using results::BufferRow;
using results::DriverColumn;
using results::ImageRow;

/// A line of a graph: columns with equal answers.
struct AtlasLine {
  std::string label;
  judge::SameAnswers group;
  const DriverColumn& column() const { return *group.columns.front(); }
};

/// A value of one answer: the graph's y.
using AnswerValue = std::function<std::uint64_t(std::size_t answer, const AtlasLine& line)>;

bool asked_here(const judge::SameAnswers& group) {
  return std::ranges::any_of(group.columns, [](const DriverColumn* column) { return is_of_this_machine(*column); });
}

/// Groups with a column that was asked on this machine first, then those that differ most.
std::vector<AtlasLine> atlas_lines(std::span<const DriverColumn> atlas, judge::AnswersOf answers_of) {
  std::vector<judge::SameAnswers> groups = judge::same_answers(atlas, answers_of);
  const auto here = std::stable_partition(groups.begin(), groups.end(), asked_here);
  // Without a column of this machine, the first of the atlas begins.
  const auto fixed = std::max<std::ptrdiff_t>(here - groups.begin(), 1);
  std::vector<AtlasLine> lines;
  for (const std::size_t at : judge::most_different_first(groups, static_cast<std::size_t>(fixed)))
    lines.push_back({labelled(groups[at].columns), std::move(groups[at])});
  return lines;
}

json::array indices(const judge::SameAnswers& group, std::span<const DriverColumn> atlas) {
  json::array found;
  for (const DriverColumn* column : group.columns) found.push_back(column - atlas.data());
  return found;
}

/// Fills in the chart's rows of the first kMostLines lines, and all lines as choices. `points` are the answers' other
/// fields, in the order of the answers; refused answers have no row.
void add_lines(Chart& chart, std::span<const AtlasLine> lines, const json::array& points, const AnswerValue& value,
               std::span<const DriverColumn> atlas) {
  json::array rows, choices;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    json::array values;
    for (std::size_t at = 0; at < lines[i].group.answers.size(); ++at) {
      // Refused; an alignment of 0 breaks a rule and has no place on a logarithmic axis.
      if (const AtlasAnswer& answer = lines[i].group.answers[at]; answer.size == 0 || answer.alignment == 0) {
        values.emplace_back(nullptr);
        continue;
      }
      values.push_back(value(at, lines[i]));
      if (i >= kMostLines) continue;
      json::object row = points.at(at).as_object();
      row["driver"] = lines[i].label;
      row["order"] = i;
      row["value"] = values.back();
      rows.push_back(std::move(row));
    }
    choices.push_back(json::object{
        {"driver", lines[i].label}, {"columns", indices(lines[i].group, atlas)}, {"values", std::move(values)}});
  }
  chart.data["rows"] = std::move(rows);
  if (lines.size() > kMostLines)
    chart.choices = {{"most", kMostLines}, {"points", points}, {"lines", std::move(choices)}};
}

std::uint64_t texel_bytes(const Article* article) {
  return article == nullptr ? results::ImageSweep{}.texel_bytes : article->sweep.texel_bytes;
}

std::string named(const ImageRow& row) {
  return fmt::format("{}x{}", row.width, row.height);
}

/// The line with the most answers has every point that another may have.
const AtlasLine& longest(const std::vector<AtlasLine>& lines) {
  return *std::max_element(lines.begin(), lines.end(), [](const AtlasLine& a, const AtlasLine& b) {
    return a.group.answers.size() < b.group.answers.size();
  });
}

std::uint64_t size_of(std::size_t at, const AtlasLine& line) {
  return line.group.answers[at].size;
}

std::uint64_t alignment_of(std::size_t at, const AtlasLine& line) {
  return line.group.answers[at].alignment;
}

std::set<std::uint64_t> alignments(const AtlasLine& line) {
  std::set<std::uint64_t> found;
  for (const AtlasAnswer& answer : line.group.answers)
    if (answer.size != 0) found.insert(answer.alignment);
  return found;
}

/// "4 KiB or 64 KiB"
std::string in_bytes(const std::set<std::uint64_t>& values) {
  std::vector<std::string> texts;
  for (const std::uint64_t value : values) texts.push_back(bytes(value));
  return fmt::format("{}", fmt::join(texts, " or "));
}

/// "16 B to 64 KiB", or the one value.
std::string span_of(const std::set<std::uint64_t>& values) {
  if (values.empty()) return "nothing";
  const std::string low = bytes(*values.begin()), high = bytes(*values.rbegin());
  return low == high ? low : fmt::format("{} to {}", low, high);
}

/// "5 of 20 different tables are drawn, ..." or "".
std::string choice_note(std::size_t lines, std::span<const DriverColumn> atlas) {
  if (lines <= kMostLines) return "";
  return fmt::format(
      " {} of {} different tables are drawn: {}the most different. The filter of the matrix draws others.", kMostLines,
      lines,
      std::ranges::any_of(atlas, is_of_this_machine) ? "those of drivers of this machine, then "
                                                     : "the first of the atlas, then ");
}

/// Adds the marks that `marks_of` makes of the article, which may be null.
void add_article(Chart& chart, const Article* article, json::array (*marks_of)(const Article&)) {
  json::array marks = article == nullptr ? json::array{} : marks_of(*article);
  chart.words = {{"article", article == nullptr ? "" : article_label(*article)}};
  if (!marks.empty()) chart.note += " Diamonds: the values that the article states.";
  chart.data["article"] = std::move(marks);
}

/// The columns that were drawn, for readers who cannot see them.
std::string drawn(const std::vector<AtlasLine>& lines) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) labels.push_back(lines[i].label);
  return fmt::format("{}", fmt::join(labels, "; "));
}

std::size_t columns_in(const std::vector<AtlasLine>& lines) {
  std::size_t count = 0;
  for (const AtlasLine& line : lines) count += line.group.columns.size();
  return count;
}

constexpr const char* kImagesNote =
    "RGBA8 images of 1x1 to 4096x4096. Within each width, heights rise from left to right.";

json::array image_points(const std::vector<AtlasLine>& lines) {
  json::array points;
  for (const ImageRow& row : longest(lines).column().images)
    points.push_back(
        json::object{{"position", image_position(row.width, row.height)}, {"width", row.width}, {"what", named(row)}});
  return points;
}

Chart storage_graph(const std::vector<AtlasLine>& lines, const json::array& points, const Article* article,
                    std::span<const DriverColumn> atlas) {
  Chart chart("image_storage", "image-storage");
  std::set<std::uint64_t> smallest;
  for (const AtlasLine& line : lines) {
    std::set<std::uint64_t> sizes;
    for (const AtlasAnswer& answer : line.group.answers)
      if (answer.size != 0) sizes.insert(answer.size);
    if (!sizes.empty()) smallest.insert(*sizes.begin());
  }
  chart.title = fmt::format("The smallest image takes {}{}", span_of(smallest),
                            smallest.size() == 1 ? "" : ", depending on the driver and the chip");
  chart.note = fmt::format("{} Dotted: width x height x {} bytes.{}", kImagesNote, texel_bytes(article),
                           choice_note(lines.size(), atlas));
  chart.text = fmt::format("Line graph of image storage by image size for {}. {}.", drawn(lines), chart.title);
  add_lines(chart, lines, points, size_of, atlas);
  json::array tight;
  for (const ImageRow& row : longest(lines).column().images)
    tight.push_back(json::object{{"position", image_position(row.width, row.height)},
                                 {"width", row.width},
                                 {"value", row.width * row.height * texel_bytes(article)}});
  chart.data["tight"] = std::move(tight);
  add_article(chart, article, storage_marks);
  return chart;
}

Chart alignment_graph(const std::vector<AtlasLine>& lines, const json::array& points, const Article* article,
                      std::span<const DriverColumn> atlas) {
  Chart chart("image_alignment", "image-alignment");
  std::set<std::uint64_t> all;
  std::size_t several = 0;
  for (const AtlasLine& line : lines) {
    const std::set<std::uint64_t> own = alignments(line);
    all.insert(own.begin(), own.end());
    if (own.size() > 1) several += line.group.columns.size();
  }
  const std::size_t columns = columns_in(lines);
  chart.title = fmt::format("Images are aligned to {}; {} of {} {} more than one alignment", span_of(all),
                            several == 0 ? "none" : whole(several), counted(columns, "driver column"),
                            several == 1 ? "uses" : "use");
  chart.note = kImagesNote + choice_note(lines.size(), atlas);
  chart.text = fmt::format("Line graph of image alignment by image size for {}. {}.", drawn(lines), chart.title);
  add_lines(chart, lines, points, alignment_of, atlas);
  add_article(chart, article, alignment_marks);
  return chart;
}

json::array buffer_points(const std::vector<AtlasLine>& lines) {
  json::array points;
  for (const BufferRow& row : longest(lines).column().buffers) points.push_back(json::object{{"length", row.length}});
  return points;
}

constexpr const char* kBuffersNote = "Storage buffers of 1 byte to 800 MB.";

Chart buffer_alignment_graph(const std::vector<AtlasLine>& lines, std::span<const DriverColumn> atlas) {
  Chart chart("buffer_alignment", "buffer-alignment");
  std::set<std::uint64_t> all;
  std::vector<std::string> varying;
  for (const AtlasLine& line : lines) {
    const std::set<std::uint64_t> own = alignments(line);
    all.insert(own.begin(), own.end());
    if (own.size() > 1) varying.push_back(line.label);
  }
  chart.title = fmt::format(
      "Buffers are aligned to {}, {}", in_bytes(all),
      varying.empty() ? "whatever their length" : fmt::format("depending on the length on {}", enumerated(varying)));
  chart.note = kBuffersNote + choice_note(lines.size(), atlas);
  chart.text = fmt::format("Line graph of buffer alignment by buffer length for {}. {}.", drawn(lines), chart.title);
  add_lines(chart, lines, buffer_points(lines), alignment_of, atlas);
  return chart;
}

Chart buffer_storage_graph(const std::vector<AtlasLine>& lines, const Article* article,
                           std::span<const DriverColumn> atlas) {
  Chart chart("buffer_storage", "buffer-storage");
  const auto extra = [](std::size_t at, const AtlasLine& line) {
    const std::uint64_t size = line.group.answers[at].size, length = line.column().buffers[at].length;
    return size < length ? 0 : size - length;  // a smaller size breaks a rule, which is listed elsewhere
  };
  std::uint64_t most = 0;
  for (const AtlasLine& line : lines)
    for (std::size_t at = 0; at < line.group.answers.size(); ++at)
      if (line.group.answers[at].size != 0) most = std::max(most, extra(at, line));
  chart.title = most == 0 ? "Every buffer takes exactly its length"
                          : fmt::format("No buffer takes more than {} beyond its length", counted(most, "byte"));
  chart.note = kBuffersNote + choice_note(lines.size(), atlas);
  chart.text = fmt::format("Line graph of extra storage by buffer length for {}. {}.", drawn(lines), chart.title);
  add_lines(chart, lines, buffer_points(lines), extra, atlas);
  add_article(chart, article, buffer_storage_marks);
  return chart;
}

std::vector<AtlasLine> lines_with_answers(std::span<const DriverColumn> atlas, judge::AnswersOf answers_of) {
  std::vector<AtlasLine> lines = atlas_lines(atlas, answers_of);
  std::erase_if(lines, [](const AtlasLine& line) { return alignments(line).empty(); });
  return lines;
}

/// The colour class of a grid cell.
int factor_class(double factor) {
  constexpr double kBounds[] = {1.0, 2.0, 8.0, 64.0, 512.0};
  return static_cast<int>(std::lower_bound(std::begin(kBounds), std::end(kBounds), factor) - std::begin(kBounds));
}

double factor_of(const ImageRow& row, std::uint64_t bytes) {
  return static_cast<double>(row.size) / static_cast<double>(row.width * row.height * bytes);
}

json::object grid_cell(const ImageRow& row, std::uint64_t texel_bytes) {
  return {{"width", row.width},
          {"height", row.height},
          {"image", named(row)},
          {"storage", bytes(row.size)},
          {"alignment", bytes(row.alignment)},
          {"factor", number(factor_of(row, texel_bytes))}};
}

Chart overhead_grid(const AtlasLine& line, std::uint64_t texel_bytes) {
  Chart chart("image_grid", "image-overhead-" + line.column().name);
  std::size_t tight = 0;
  json::array rows;
  for (const ImageRow& row : line.column().images) {
    if (row.size == 0) continue;
    const double factor = factor_of(row, texel_bytes);
    json::object cell = grid_cell(row, texel_bytes);
    cell["class"] = factor_class(factor);
    cell["shown"] = factor >= 1000   ? fmt::format("{:.0f}k", factor / 1000)
                    : factor >= 9.95 ? fmt::format("{:.0f}", factor)
                                     : fmt::format("{:.2g}", factor);
    rows.push_back(std::move(cell));
    tight += factor == 1.0 ? 1 : 0;
  }
  chart.title =
      fmt::format("{}: {} of {} images take exactly the bytes of their texels", line.label, tight, rows.size());
  chart.note = fmt::format("Storage as a multiple of width x height x {} bytes; 1: no overhead.", texel_bytes);
  chart.text = fmt::format("Grid of image widths by heights. {}.", chart.title);
  chart.data = {{"rows", std::move(rows)}};
  return chart;
}

Chart alignment_grid(const AtlasLine& line, std::uint64_t texel_bytes) {
  Chart chart("image_grid", "image-alignment-" + line.column().name);
  const std::set<std::uint64_t> found = alignments(line);
  json::array rows;
  for (const ImageRow& row : line.column().images) {
    if (row.size == 0) continue;
    json::object cell = grid_cell(row, texel_bytes);
    const auto rank = std::distance(found.begin(), found.find(row.alignment));
    cell["class"] = std::min<std::ptrdiff_t>(5, rank * 5 / std::max<std::ptrdiff_t>(1, std::ssize(found) - 1));
    cell["shown"] = row.alignment >= 1024 ? fmt::format("{}K", row.alignment / 1024) : fmt::format("{}", row.alignment);
    rows.push_back(std::move(cell));
  }
  chart.title = fmt::format("{}: images are aligned to {}", line.label, in_bytes(found));
  chart.note = "Alignment of each image in bytes; K: 1024.";
  chart.text = fmt::format("Grid of image widths by heights. {}.", chart.title);
  chart.data = {{"rows", std::move(rows)}};
  return chart;
}

}  // namespace

std::vector<Chart> image_graphs(std::span<const DriverColumn> atlas, const Article* article) {
  const std::vector<AtlasLine> lines = lines_with_answers(atlas, judge::article_images);
  if (lines.empty()) return {};
  const json::array points = image_points(lines);
  return {alignment_graph(lines, points, article, atlas), storage_graph(lines, points, article, atlas)};
}

std::vector<Chart> buffer_graphs(std::span<const DriverColumn> atlas, const Article* article) {
  const std::vector<AtlasLine> lines = lines_with_answers(atlas, judge::article_buffers);
  if (lines.empty()) return {};
  return {buffer_alignment_graph(lines, atlas), buffer_storage_graph(lines, article, atlas)};
}

std::vector<Chart> image_grids(std::span<const DriverColumn> atlas, const Article* article) {
  std::vector<Chart> charts;
  std::vector<AtlasLine> lines = lines_with_answers(atlas, judge::article_images);
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  for (const AtlasLine& line : lines) {
    charts.push_back(overhead_grid(line, texel_bytes(article)));
    if (alignments(line).size() > 1) charts.push_back(alignment_grid(line, texel_bytes(article)));
  }
  return charts;
}

}  // namespace lab::report
