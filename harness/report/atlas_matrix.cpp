// The answers of a whole atlas as one matrix: queries by driver columns. Columns with equal answers share one, and
// columns that agree on some kinds of images share those answers.
//
// Matrix::data: {"blocks": [{"format", "rows": [query], "extents": [largest dimension in texels, null: a buffer],
// "refusals": [reason], "tables": [[size, alignment, size, alignment, ...]]}], "columns": [{"label", "members":
// [{"name", "driver", "chip", "index"}], "tables": [index into the block's tables, or null]}]}. A block has the images
// or buffers of one kind. A size is -1 - i for refusal i, and null where the driver was not asked. "index" is that of
// the atlas.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <optional>

#include "harness/base/fit.h"
#include "harness/judge/atlas_differences.h"
#include "harness/report/atlas_names.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::DriverColumn;

constexpr const char* kSweep = "wide";

struct Cell {
  std::uint64_t size = 0, alignment = 0;
  std::string refusal;  ///< why there is no size; "": answered
  bool operator==(const Cell&) const = default;
};

/// The queries of one kind, and every column's answers to them.
struct Block {
  std::string format;
  std::vector<std::string> rows;
  std::vector<std::optional<std::uint64_t>> extents;
  std::map<std::string, std::size_t> row_of;
  std::vector<std::vector<std::optional<Cell>>> answers;  ///< by column, then row

  void add(std::size_t column, const std::string& query, std::optional<std::uint64_t> extent, Cell cell) {
    const auto [at, is_new] = row_of.emplace(query, rows.size());
    if (is_new) {
      rows.push_back(query);
      extents.push_back(extent);
    }
    std::vector<std::optional<Cell>>& own = answers[column];
    if (own.size() <= at->second) own.resize(at->second + 1);
    if (!own[at->second]) own[at->second] = std::move(cell);
  }
};

/// Blocks by kind, in the order in which the columns have them.
class Blocks {
 public:
  explicit Blocks(std::size_t columns) : columns_(columns) {}

  Block& of(const std::string& kind, const std::string& format) {
    const auto [at, is_new] = by_kind_.emplace(kind, all_.size());
    if (is_new) {
      all_.push_back({format, {}, {}, {}, {}});
      all_.back().answers.resize(columns_);
    }
    return all_[at->second];
  }
  std::vector<Block> take() {
    for (Block& block : all_)
      for (auto& own : block.answers) own.resize(block.rows.size());
    return std::move(all_);
  }

 private:
  std::size_t columns_;
  std::vector<Block> all_;
  std::map<std::string, std::size_t> by_kind_;
};

Cell cell(const results::Needs& needs, const results::SweepAnswers& sweep) {
  return {needs.size, needs.alignment, needs.refusal == 0 ? "" : sweep.refusals[needs.refusal]};
}

Cell cell(std::uint64_t size, std::uint64_t alignment, const std::string& what, const DriverColumn& column) {
  const auto refused = std::find_if(column.refused.begin(), column.refused.end(),
                                    [&](const results::Refusal& refusal) { return refusal.what == what; });
  return {size, alignment, refused == column.refused.end() ? (size == 0 ? "refused" : "") : refused->result};
}

std::vector<Block> blocks_of(std::span<const DriverColumn> atlas) {
  Blocks blocks(atlas.size());
  const results::ImageKind article_image{"R8G8B8A8_UNORM", "2d", "optimal", "sampled", ""};
  const results::BufferKind article_buffer{"storage buffer", ""};
  for (std::size_t i = 0; i < atlas.size(); ++i) {
    const DriverColumn& column = atlas[i];
    Block& images = blocks.of("article images", article_image.format);
    for (const results::ImageRow& row : column.images)
      images.add(i,
                 results::describe(article_image, static_cast<std::uint32_t>(row.width),
                                   static_cast<std::uint32_t>(row.height)),
                 std::max(row.width, row.height),
                 cell(row.size, row.alignment, fmt::format("image {}x{}", row.width, row.height), column));
    Block& buffers = blocks.of("article buffers", "buffers");
    for (const results::BufferRow& row : column.buffers)
      buffers.add(i, results::describe(article_buffer, row.length), std::nullopt,
                  cell(row.size, row.alignment, fmt::format("buffer {}", row.length), column));
  }
  for (std::size_t i = 0; i < atlas.size(); ++i) {
    const results::SweepAnswers* sweep = judge::sweep_of(atlas[i], kSweep);
    if (sweep == nullptr) continue;
    for (const results::ImageTable& table : sweep->images)
      for (const results::ImageAnswer& row : table.rows)
        blocks.of("image " + results::describe(table.kind, 1, 1), table.kind.format)
            .add(i, results::describe(table.kind, row.width, row.height, row.depth),
                 std::max({row.width, row.height, row.depth}), cell(row.needs, *sweep));
    for (const results::BufferTable& table : sweep->buffers)
      for (const results::BufferAnswer& row : table.rows)
        blocks.of("buffer " + results::describe(table.kind, 1), "buffers")
            .add(i, results::describe(table.kind, row.length), std::nullopt, cell(row.needs, *sweep));
  }
  return blocks.take();
}

/// Columns with equal answers in every block.
std::vector<std::vector<std::size_t>> groups_of(const std::vector<Block>& blocks, std::size_t columns) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < columns; ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& group) {
      return std::all_of(blocks.begin(), blocks.end(),
                         [&](const Block& block) { return block.answers[group.front()] == block.answers[i]; });
    });
    same == groups.end() ? groups.push_back({i}) : same->push_back(i);
  }
  return groups;
}

json::object block_json(const Block& block, const std::vector<std::vector<std::size_t>>& groups,
                        std::vector<json::array>& table_of) {
  std::vector<std::string> refusals;
  std::vector<const std::vector<std::optional<Cell>>*> different;
  json::array tables, rows, extents;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::optional<Cell>>& own = block.answers[groups[g].front()];
    if (std::none_of(own.begin(), own.end(), [](const auto& one) { return one.has_value(); })) {
      table_of[g].emplace_back(nullptr);
      continue;
    }
    const auto same =
        std::find_if(different.begin(), different.end(), [&](const auto* other) { return *other == own; });
    table_of[g].push_back(same - different.begin());
    if (same != different.end()) continue;
    different.push_back(&own);
    json::array table;
    for (const std::optional<Cell>& one : own) {
      if (!one) {
        table.insert(table.end(), {nullptr, nullptr});
      } else if (one->refusal.empty()) {
        table.insert(table.end(), {one->size, one->alignment});
      } else {
        const auto known = std::find(refusals.begin(), refusals.end(), one->refusal);
        table.insert(table.end(), {-1 - (known - refusals.begin()), 0});
        if (known == refusals.end()) refusals.push_back(one->refusal);
      }
    }
    tables.push_back(std::move(table));
  }
  for (const std::string& row : block.rows) rows.emplace_back(row);
  for (const std::optional<std::uint64_t>& extent : block.extents)
    extents.push_back(extent ? json::value(*extent) : json::value(nullptr));
  return {{"format", block.format},
          {"rows", std::move(rows)},
          {"extents", std::move(extents)},
          {"refusals", json::value_from(refusals)},
          {"tables", std::move(tables)}};
}

/// A field of a CSV file.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

/// One line a query: the size and the alignment of every column, or the reason of a refusal and nothing.
std::string csv_of(const std::vector<Block>& blocks, std::span<const DriverColumn> atlas) {
  std::string text = "query";
  for (const DriverColumn& column : atlas)
    text += fmt::format(",{0},{1}", quoted(labelled(column) + " size"), quoted(labelled(column) + " alignment"));
  text += '\n';
  for (const Block& block : blocks)
    for (std::size_t row = 0; row < block.rows.size(); ++row) {
      text += quoted(block.rows[row]);
      for (const auto& own : block.answers) {
        const std::optional<Cell>& one = own[row];
        text += !one                   ? ",,"
                : one->refusal.empty() ? fmt::format(",{},{}", one->size, one->alignment)
                                       : fmt::format(",{},", quoted(one->refusal));
      }
      text += '\n';
    }
  return text;
}

}  // namespace

Matrix atlas_matrix(std::span<const DriverColumn> atlas) {
  const std::vector<Block> blocks = blocks_of(atlas);
  const std::vector<std::vector<std::size_t>> groups = groups_of(blocks, atlas.size());
  std::vector<json::array> table_of(groups.size());
  json::array block_array, columns;
  std::size_t queries = 0;
  for (const Block& block : blocks) {
    block_array.push_back(block_json(block, groups, table_of));
    queries += block.rows.size();
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (std::all_of(table_of[g].begin(), table_of[g].end(), [](const json::value& one) { return one.is_null(); }))
      continue;  // they answered nothing
    std::vector<const DriverColumn*> members;
    json::array described;
    for (const std::size_t at : groups[g]) {
      const DriverColumn& column = atlas[at];
      members.push_back(&column);
      described.push_back(json::object{
          {"name", labelled(column)}, {"driver", column.driver.short_name}, {"chip", chip_of(column)}, {"index", at}});
    }
    columns.push_back(json::object{
        {"label", labelled(members)}, {"members", std::move(described)}, {"tables", std::move(table_of[g])}});
  }
  return {"atlas",
          fmt::format("{} by {}: the bytes that each image or buffer needs, and their alignment.",
                      counted(queries, "query", "queries"), counted(atlas.size(), "driver column")),
          {{"blocks", std::move(block_array)}, {"columns", std::move(columns)}},
          csv_of(blocks, atlas)};
}

}  // namespace lab::report
