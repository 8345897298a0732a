#include "harness/report/vulkan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/judge/driver_claim.h"
#include "harness/report/atlas_census.h"
#include "harness/report/atlas_names.h"
#include "harness/report/format.h"

namespace lab::report {

namespace {

using results::Article;
using results::DriverColumn;
using results::ImageRow;
using results::ImageSweep;

/// "4 KiB or 64 KiB"
std::string image_alignments(const DriverColumn& column) {
  std::set<std::uint64_t> found;
  for (const ImageRow& row : column.images)
    if (row.size != 0) found.insert(row.alignment);
  std::vector<std::string> texts;
  for (const std::uint64_t value : found) texts.push_back(bytes(value));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, " or "));
}

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

/// The devices of this machine that were asked, or (`kept`) those of other machines whose columns are kept. Those that
/// a shim simulates, and imported tables, are not among them.
Table devices_table(std::span<const DriverColumn> atlas, const ImageSweep& sweep, bool kept) {
  Table table{kept ? "drivers-elsewhere" : "drivers",
              kept ? "Devices of other machines whose columns are kept, and what their drivers reported"
                   : "The devices of this machine that were asked, and what their drivers report",
              {{"Driver column", kName},
               {"Device", kText},
               {"Driver", kText},
               {"Asked", kText},
               {"Heaps", kText},
               {"Most allocations", kNumber},
               {"Smallest image, bytes", kNumber},
               {"Image alignments", kShort}}};
  for (const DriverColumn& column : atlas) {
    if (!origin_of(column).empty() || column.kept != kept) continue;
    const std::optional<std::uint64_t> least = judge::smallest_image_storage(column, sweep);
    table.rows.push_back(
        {column.name, column.driver.device_name,
         fmt::format("{} {}", column.driver.name.empty() ? column.driver.short_name : column.driver.name,
                     column.driver.version),
         column.probed_at.substr(0, 10), heaps_phrase(column), limit(column, "maxMemoryAllocationCount"),
         least ? whole(*least) : "none", image_alignments(column)});
  }
  return table;
}

/// The article that the graphs are of: the first about drivers. Null if there is none.
const Article* article_of(std::span<const Article> articles) {
  const auto found = std::find_if(articles.begin(), articles.end(), is_about_drivers);
  return found == articles.end() ? nullptr : &*found;
}

/// Adds the driver's failures and refusals.
void add_failures(const DriverColumn& column, Section& section) {
  if (column.failure)
    section.add(Paragraph{fmt::format("{} did not answer everything ({}): {}", labelled(column), column.failure->kind,
                                      column.failure->detail),
                          Emphasis::kWeak});
  if (!column.refused.empty()) {
    std::vector<std::string> texts;
    for (const results::Refusal& refusal : column.refused)
      texts.push_back(fmt::format("{} ({})", refusal.what, refusal.result));
    section.add(Paragraph{
        fmt::format("{} refused {}: {}.", labelled(column), counted(texts.size(), "size"), fmt::join(texts, ", "))});
  }
}

Section matrix_section(std::span<const DriverColumn> atlas) {
  Section section{"vulkan-matrix", "Every answer"};
  if (Matrix matrix = atlas_matrix(atlas); !matrix.data.at("columns").as_array().empty())
    section.add(std::move(matrix));
  return section;
}

}  // namespace

Section vulkan_section(std::span<const DriverColumn> atlas, std::span<const results::Article> articles,
                       std::span<const results::MemoryFindings> memory, bool disturbed) {
  Section section{"vulkan", "What Vulkan drivers require of memory"};
  if (atlas.empty()) {
    section.add(Paragraph{
        "No Vulkan driver of this machine has been probed. python3 make.py probe asks every driver that the loader "
        "finds."});
    return section;
  }
  if (census(atlas).own == 0)
    section.add(Paragraph{
        "No Vulkan driver of this machine has been probed: python3 make.py probe asks them. What follows is of other "
        "machines, simulated devices or imported tables."});
  section.add(Paragraph{columns_phrase(atlas) + "."});
  for (const DriverColumn& column : atlas) add_failures(column, section);
  const Article* article = article_of(articles);
  const ImageSweep sweep = article == nullptr ? ImageSweep{} : article->sweep;
  std::vector<Chart> images = image_graphs(atlas, article), buffers = buffer_graphs(atlas, article);
  if (images.empty()) section.add(Paragraph{"No driver answered for any image, so there is no graph of images."});
  if (buffers.empty()) section.add(Paragraph{"No driver answered for any buffer, so there is no graph of buffers."});
  section.add(Charts{std::move(images)});
  section.add(Charts{std::move(buffers)});
  section.add(Charts{image_grids(atlas, article)});
  for (const bool kept : {false, true}) section.add(devices_table(atlas, sweep, kept));
  for (Section part : {matrix_section(atlas), atlas_differences_section(atlas, sweep), atlas_exceptions_section(atlas)})
    add(section.sections, std::move(part));
  for (const Article& one : articles)
    if (is_about_drivers(one)) add(section.sections, driver_claims_section(one, atlas, memory, disturbed));
  add(section.sections, real_allocations_section(memory));
  return section;
}

}  // namespace lab::report
