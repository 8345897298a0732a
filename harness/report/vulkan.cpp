#include "harness/report/vulkan.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <set>

#include "harness/judge/driver_claim.h"
#include "harness/report/format.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::BufferRow;
using results::DriverColumn;
using results::ImageRow;
using results::ImageSweep;

/// Columns with equal answers share one line of a graph.
struct GraphLine {
  std::string label;
  const DriverColumn* column = nullptr;
};

template <typename Same>
std::vector<GraphLine> lines_of(std::span<const DriverColumn> atlas, const Same& same) {
  std::vector<GraphLine> all;
  for (const DriverColumn& column : atlas) {
    const auto twin =
        std::find_if(all.begin(), all.end(), [&](const GraphLine& one) { return same(*one.column, column); });
    if (twin == all.end())
      all.push_back({column.name, &column});
    else
      twin->label += " and " + column.name;
  }
  return all;
}

std::vector<GraphLine> image_lines(std::span<const DriverColumn> atlas) {
  std::vector<GraphLine> all = lines_of(atlas, [](const DriverColumn& a, const DriverColumn& b) {
    return std::equal(
        a.images.begin(), a.images.end(), b.images.begin(), b.images.end(), [](const ImageRow& x, const ImageRow& y) {
          return x.width == y.width && x.height == y.height && x.size == y.size && x.alignment == y.alignment;
        });
  });
  std::erase_if(all, [](const GraphLine& one) { return one.column->images.empty(); });
  return all;
}

std::vector<GraphLine> buffer_lines(std::span<const DriverColumn> atlas) {
  std::vector<GraphLine> all =
      lines_of(atlas, [](const DriverColumn& a, const DriverColumn& b) { return a.buffers == b.buffers; });
  std::erase_if(all, [](const GraphLine& one) { return one.column->buffers.empty(); });
  return all;
}

std::string named(const ImageRow& row) {
  return fmt::format("{}x{}", row.width, row.height);
}

/// An image's position on the graphs' axis: the logarithm of its width, subdivided by that of its height.
double position(const ImageRow& row) {
  constexpr double kHeights = 13;  // 1 to 4096
  return std::log2(static_cast<double>(row.width)) + std::log2(static_cast<double>(row.height)) / kHeights;
}

json::object image_rows(const std::vector<GraphLine>& all, std::uint64_t ImageRow::*what) {
  json::array rows;
  for (const GraphLine& one : all)
    for (const ImageRow& row : one.column->images)
      if (row.size != 0)
        rows.push_back(json::object{{"driver", one.label},
                                    {"order", &one - all.data()},
                                    {"position", position(row)},
                                    {"width", row.width},
                                    {"image", named(row)},
                                    {"bytes", row.*what},
                                    {"shown", bytes(row.*what)}});
  return {{"rows", std::move(rows)}};
}

json::array tight_rows(const DriverColumn& column, std::uint64_t texel_bytes) {
  json::array rows;
  for (const ImageRow& row : column.images)
    rows.push_back(json::object{
        {"position", position(row)}, {"width", row.width}, {"bytes", row.width * row.height * texel_bytes}});
  return rows;
}

std::set<std::uint64_t> image_alignments(const DriverColumn& column) {
  std::set<std::uint64_t> found;
  for (const ImageRow& row : column.images)
    if (row.size != 0) found.insert(row.alignment);
  return found;
}

/// "4 KiB or 64 KiB"
std::string in_bytes(const std::set<std::uint64_t>& values) {
  std::vector<std::string> texts;
  for (const std::uint64_t value : values) texts.push_back(bytes(value));
  return fmt::format("{}", fmt::join(texts, " or "));
}

std::string drivers_phrase(const std::vector<GraphLine>& all) {
  std::vector<std::string> names;
  for (const GraphLine& one : all) names.push_back(one.label);
  return fmt::format("{}", fmt::join(names, "; "));
}

Chart storage_graph(const std::vector<GraphLine>& all, const ImageSweep& sweep) {
  Chart chart("image_storage", "image-storage");
  const ImageRow* smallest = nullptr;
  std::string least;
  for (const GraphLine& one : all) {
    smallest = nullptr;
    for (const ImageRow& row : one.column->images)
      if (row.size != 0 && (smallest == nullptr || row.size < smallest->size)) smallest = &row;
    if (smallest != nullptr)
      least += fmt::format("{}{} on {}", least.empty() ? "" : ", ", bytes(smallest->size), one.label);
  }
  chart.title = fmt::format("The smallest storage of an image: {}", least);
  chart.note = fmt::format(
      "RGBA8 images of 1x1 to 4096x4096. Within each width, heights rise from left to right. Dotted: width x height x "
      "{} bytes.",
      sweep.texel_bytes);
  chart.text = fmt::format("Line graph of image storage by image size for {}. {}.", drivers_phrase(all), chart.title);
  chart.data = image_rows(all, &ImageRow::size);
  chart.data["tight"] = tight_rows(*all.front().column, sweep.texel_bytes);
  return chart;
}

Chart alignment_graph(const std::vector<GraphLine>& all) {
  Chart chart("image_alignment", "image-alignment");
  std::vector<std::string> found;
  for (const GraphLine& one : all)
    found.push_back(fmt::format("{} on {}", in_bytes(image_alignments(*one.column)), one.label));
  chart.title = fmt::format("Images are aligned to {}", fmt::join(found, ", "));
  chart.note = "RGBA8 images of 1x1 to 4096x4096. Within each width, heights rise from left to right.";
  chart.text = fmt::format("Line graph of image alignment by image size. {}.", chart.title);
  chart.data = image_rows(all, &ImageRow::alignment);
  return chart;
}

/// The colour class of a grid cell.
int factor_class(double factor) {
  constexpr double kBounds[] = {1.0, 2.0, 8.0, 64.0, 512.0};
  return static_cast<int>(std::lower_bound(std::begin(kBounds), std::end(kBounds), factor) - std::begin(kBounds));
}

json::object grid_row(const ImageRow& row, std::uint64_t texel_bytes) {
  const double factor = static_cast<double>(row.size) / static_cast<double>(row.width * row.height * texel_bytes);
  return {{"width", row.width},
          {"height", row.height},
          {"image", named(row)},
          {"storage", bytes(row.size)},
          {"alignment", bytes(row.alignment)},
          {"factor", number(factor)}};
}

/// The storage of each image relative to its texels.
Chart overhead_grid(const GraphLine& one, const ImageSweep& sweep) {
  Chart chart("image_grid", "image-overhead-" + one.column->name);
  std::size_t tight = 0, asked = 0;
  json::array rows;
  for (const ImageRow& row : one.column->images) {
    if (row.size == 0) continue;
    const double factor =
        static_cast<double>(row.size) / static_cast<double>(row.width * row.height * sweep.texel_bytes);
    json::object cell = grid_row(row, sweep.texel_bytes);
    cell["class"] = factor_class(factor);
    cell["shown"] = factor >= 1000   ? fmt::format("{:.0f}k", factor / 1000)
                    : factor >= 9.95 ? fmt::format("{:.0f}", factor)
                                     : fmt::format("{:.2g}", factor);
    rows.push_back(std::move(cell));
    tight += factor == 1.0 ? 1 : 0;
    ++asked;
  }
  chart.title = fmt::format("{}: {} of {} images take exactly the bytes of their texels", one.label, tight, asked);
  chart.note = fmt::format("Storage as a multiple of width x height x {} bytes; 1: no overhead.", sweep.texel_bytes);
  chart.text = fmt::format("Grid of image widths by heights. {}.", chart.title);
  chart.data = {{"rows", std::move(rows)}};
  return chart;
}

/// Only where a driver uses several alignments.
Chart alignment_grid(const GraphLine& one, const ImageSweep& sweep) {
  Chart chart("image_grid", "image-alignment-" + one.column->name);
  const std::set<std::uint64_t> found = image_alignments(*one.column);
  json::array rows;
  for (const ImageRow& row : one.column->images) {
    if (row.size == 0) continue;
    json::object cell = grid_row(row, sweep.texel_bytes);
    const auto rank = std::distance(found.begin(), found.find(row.alignment));
    cell["class"] = std::min<std::ptrdiff_t>(5, rank * 5 / std::max<std::ptrdiff_t>(1, std::ssize(found) - 1));
    cell["shown"] = row.alignment >= 1024 ? fmt::format("{}K", row.alignment / 1024) : fmt::format("{}", row.alignment);
    rows.push_back(std::move(cell));
  }
  chart.title = fmt::format("{}: images are aligned to {}", one.label, in_bytes(found));
  chart.note = "Alignment of each image in bytes; K: 1024.";
  chart.text = fmt::format("Grid of image widths by heights. {}.", chart.title);
  chart.data = {{"rows", std::move(rows)}};
  return chart;
}

Chart buffer_graph(const std::vector<GraphLine>& all) {
  Chart chart("buffer_lines", "buffer-storage");
  json::array rows;
  std::uint64_t most = 0;
  std::set<std::uint64_t> alignments;
  for (const GraphLine& one : all)
    for (const BufferRow& row : one.column->buffers) {
      if (row.size == 0) continue;
      most = std::max(most, row.size - row.length);
      alignments.insert(row.alignment);
      rows.push_back(json::object{{"driver", one.label},
                                  {"order", &one - all.data()},
                                  {"length", row.length},
                                  {"extra", row.size - row.length},
                                  {"shown", whole(row.size)},
                                  {"alignment", whole(row.alignment)}});
    }
  chart.title = most == 0 ? "Every buffer takes exactly its length"
                          : fmt::format("No buffer takes more than {} beyond its length", counted(most, "byte"));
  chart.note = fmt::format("Storage buffers of 1 byte to 800 MB. Alignment: {}.", in_bytes(alignments));
  chart.text =
      fmt::format("Line graph of extra storage by buffer length for {}. {}.", drivers_phrase(all), chart.title);
  chart.data = {{"rows", std::move(rows)}};
  return chart;
}

std::vector<Chart> image_graphs(std::span<const DriverColumn> atlas, const ImageSweep& sweep) {
  const std::vector<GraphLine> all = image_lines(atlas);
  if (all.empty()) return {};
  return {storage_graph(all, sweep), alignment_graph(all)};
}

std::vector<Chart> image_grids(std::span<const DriverColumn> atlas, const ImageSweep& sweep) {
  std::vector<Chart> charts;
  for (const GraphLine& one : image_lines(atlas)) {
    charts.push_back(overhead_grid(one, sweep));
    if (image_alignments(*one.column).size() > 1) charts.push_back(alignment_grid(one, sweep));
  }
  return charts;
}

std::vector<Chart> buffer_graphs(std::span<const DriverColumn> atlas, const ImageSweep&) {
  const std::vector<GraphLine> all = buffer_lines(atlas);
  return all.empty() ? std::vector<Chart>{} : std::vector<Chart>{buffer_graph(all)};
}

/// The charts of this section, in order; each group is one line of the page. To add a chart, add its specification, a
/// function that makes its rows, and a line here. A function returns no charts without data.
using MakeCharts = std::vector<Chart> (*)(std::span<const DriverColumn>, const ImageSweep&);
constexpr MakeCharts kCharts[] = {image_graphs, image_grids, buffer_graphs};

std::string heaps_phrase(const DriverColumn& column) {
  std::vector<std::string> texts;
  for (const results::MemoryHeap& heap : column.heaps)
    texts.push_back(fmt::format("{:.1f} GiB{}", static_cast<double>(heap.size) / (1 << 30),
                                heap.flags.empty() ? "" : fmt::format(" ({})", fmt::join(heap.flags, ", "))));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string limit(const DriverColumn& column, std::string_view name) {
  const std::optional<std::uint64_t> value = column.limit(name);
  return value ? whole(*value) : "not stated";
}

Table drivers_table(std::span<const DriverColumn> atlas, const ImageSweep& sweep) {
  using enum TableColumn::Kind;
  Table table{"drivers",
              "Every driver that the loader found, and what it reports",
              {{"Driver column", kName},
               {"Device", kText},
               {"Driver", kText},
               {"Heaps", kText},
               {"Most allocations", kNumber},
               {"Smallest image, bytes", kNumber},
               {"Image alignments", kShort}},
              {}};
  for (const DriverColumn& column : atlas) {
    const std::optional<std::uint64_t> least = judge::smallest_image_storage(column, sweep);
    const std::set<std::uint64_t> alignments = image_alignments(column);
    table.rows.push_back(
        {column.name, column.driver.device_name,
         fmt::format("{} {}", column.driver.name.empty() ? column.driver.short_name : column.driver.name,
                     column.driver.version),
         heaps_phrase(column), limit(column, "maxMemoryAllocationCount"), least ? whole(*least) : "none",
         alignments.empty() ? "none" : in_bytes(alignments)});
  }
  return table;
}

/// The claims of one article, each with its verdict on every driver that it is about.
Table claims_table(std::span<const DriverColumn> atlas, const results::Article& article) {
  using enum TableColumn::Kind;
  Table table{"claims-" + article.name,
              fmt::format("The article's claims ({}, {}), checked on every driver that they are about",
                          article.source.author, article.source.year),
              {{"Verdict", kVerdict},
               {"Claim", kText},
               {"About", kText},
               {"Article, bytes", kShort},
               {"Here, bytes", kText},
               {"Driver column", kName}},
              {}};
  std::vector<std::vector<TableCell>> unmeasured;
  for (const results::Claim& claim : article.claims) {
    const auto* about_drivers = std::get_if<results::DriverClaim>(&claim.kind);
    if (about_drivers == nullptr) continue;
    const auto& [platform_name, check] = *about_drivers;
    const results::Platform* platform = platform_name ? &article.platforms.at(*platform_name) : nullptr;
    const std::string about = platform == nullptr ? "every driver" : platform->what;
    const std::vector<const DriverColumn*> columns =
        judge::columns_like(atlas, platform == nullptr ? "*" : platform->columns);
    for (const DriverColumn* column : columns) {
      const judge::CheckOutcome checked = judge::check_claim(check, *column, article.sweep);
      const TableCell verdict = !checked.holds   ? TableCell("not measured", Emphasis::kOpen)
                                : *checked.holds ? TableCell("holds", Emphasis::kGood)
                                                 : TableCell("does not hold", Emphasis::kBad);
      table.rows.push_back({verdict, claim.text, about, checked.stated,
                            checked.holds ? checked.found : "the driver did not answer", column->name});
    }
    if (columns.empty())
      unmeasured.push_back({TableCell("not measured", Emphasis::kOpen), claim.text, about,
                            judge::check_claim(check, DriverColumn{}, article.sweep).stated,
                            "no such driver on this machine", ""});
  }
  std::move(unmeasured.begin(), unmeasured.end(), std::back_inserter(table.rows));
  return table;
}

bool is_about_drivers(const results::Article& article) {
  return std::any_of(article.claims.begin(), article.claims.end(), [](const results::Claim& claim) {
    return std::holds_alternative<results::DriverClaim>(claim.kind);
  });
}

/// The images that the graphs show: those of the first article about drivers.
ImageSweep sweep_of(std::span<const results::Article> articles) {
  const auto found = std::find_if(articles.begin(), articles.end(), is_about_drivers);
  return found == articles.end() ? ImageSweep{} : found->sweep;
}

/// Adds the driver's failures and refusals.
void add_failures(const DriverColumn& column, Section& section) {
  if (column.failure)
    section.elements.emplace_back(Paragraph{
        fmt::format("{} did not answer everything ({}): {}", column.name, column.failure->kind, column.failure->detail),
        Emphasis::kWeak});
  if (!column.refused.empty()) {
    std::vector<std::string> texts;
    for (const results::Refusal& refusal : column.refused)
      texts.push_back(fmt::format("{} ({})", refusal.what, refusal.result));
    section.elements.emplace_back(Paragraph{
        fmt::format("{} refused {}: {}.", column.name, counted(texts.size(), "size"), fmt::join(texts, ", "))});
  }
}

}  // namespace

Section vulkan_section(std::span<const DriverColumn> atlas, std::span<const results::Article> articles) {
  Section section{"vulkan", "What Vulkan drivers require of memory", {}, {}};
  if (atlas.empty()) {
    section.elements.emplace_back(Paragraph{
        "No Vulkan driver has been probed on this machine. python3 make.py probe asks every driver that the loader "
        "finds."});
    return section;
  }
  for (const DriverColumn& column : atlas) add_failures(column, section);
  if (image_lines(atlas).empty())
    section.elements.emplace_back(Paragraph{"No driver answered for any image, so there is no graph of images."});
  if (buffer_lines(atlas).empty())
    section.elements.emplace_back(Paragraph{"No driver answered for any buffer, so there is no graph of buffers."});
  const ImageSweep sweep = sweep_of(articles);
  for (const MakeCharts make : kCharts)
    if (std::vector<Chart> charts = make(atlas, sweep); !charts.empty())
      section.elements.emplace_back(Charts{std::move(charts)});
  section.elements.emplace_back(drivers_table(atlas, sweep));
  for (const results::Article& article : articles)
    if (is_about_drivers(article)) section.elements.emplace_back(claims_table(atlas, article));
  return section;
}

}  // namespace lab::report
