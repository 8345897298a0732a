#include "harness/results/sweep_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "harness/results/csv_table.h"

namespace lab::results {

namespace {

constexpr std::string_view kImagesHeader =
    "format,type,tiling,usage,flags,mip_levels,array_layers,samples,width,height,depth,"
    "size,alignment,memory_type_bits,dedicated,refused";
constexpr std::string_view kBuffersHeader = "usage,flags,length,size,alignment,memory_type_bits,dedicated,refused";

// --- writing ---

void add(std::string& text, std::uint64_t number) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

void add_needs(std::string& text, const Needs& needs, const std::vector<std::string>& refusals) {
  for (const std::uint64_t number : {needs.size, needs.alignment, std::uint64_t{needs.memory_type_bits}}) {
    add(text, number);
    text += ',';
  }
  text += names_of(needs.dedicated)[static_cast<std::size_t>(needs.dedicated)];
  text += ',';
  text += refusals[needs.refusal];
  text += '\n';
}

void add_needs(boost::json::object& object, const Needs& needs, const std::vector<std::string>& refusals) {
  object["size"] = needs.size;
  object["alignment"] = needs.alignment;
  object["memory_type_bits"] = needs.memory_type_bits;
  object["dedicated"] = names_of(needs.dedicated)[static_cast<std::size_t>(needs.dedicated)];
  object["refused"] = refusals[needs.refusal];
}

// --- reading ---

Dedicated read_dedicated(CsvLine& line) {
  const std::string_view text = line.field();
  const auto names = names_of(Dedicated{});
  const auto at = std::ranges::find(names, text, [](const char* name) { return std::string_view(name); });
  if (at == names.end()) line.refuse("'preferred', 'required' or nothing");
  return at == names.end() ? Dedicated::kNo : static_cast<Dedicated>(at - names.begin());
}

/// The index of each reason in SweepAnswers::refusals.
class Refusals {
 public:
  explicit Refusals(std::vector<std::string>& list) : list_(list) {}

  std::uint16_t index_of(std::string_view reason) {
    if (reason.empty()) return 0;
    const auto found = std::ranges::find(list_, reason);
    if (found != list_.end()) return static_cast<std::uint16_t>(found - list_.begin());
    list_.emplace_back(reason);
    return static_cast<std::uint16_t>(list_.size() - 1);
  }

 private:
  std::vector<std::string>& list_;
};

Needs read_needs(CsvLine& line, Refusals& refusals) {
  Needs needs;
  needs.size = line.number<std::uint64_t>();
  needs.alignment = line.number<std::uint64_t>();
  needs.memory_type_bits = line.number<std::uint32_t>();
  needs.dedicated = read_dedicated(line);
  needs.refusal = refusals.index_of(line.field());
  return needs;
}

/// The table for a row of this kind: the last one, or a new one.
template <typename Table, typename Kind>
Table& table_of(std::vector<Table>& tables, Kind&& kind) {
  if (tables.empty() || tables.back().kind != kind) tables.emplace_back().kind = std::forward<Kind>(kind);
  return tables.back();
}

template <typename Table>
std::size_t rows_of(const std::vector<Table>& tables) {
  std::size_t count = 0;
  for (const Table& table : tables) count += table.rows.size();
  return count;
}

}  // namespace

std::size_t SweepAnswers::image_rows() const {
  return rows_of(images);
}

std::size_t SweepAnswers::buffer_rows() const {
  return rows_of(buffers);
}

std::string describe(const ImageKind& kind, std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  std::string text = fmt::format("{}x{}", width, height);
  if (depth != 1) text += fmt::format("x{}", depth);
  text += fmt::format(" {}, {}, {}", kind.format, kind.tiling, kind.usage);
  if (kind.type != "2d") text += ", " + kind.type;
  if (!kind.flags.empty()) text += ", " + kind.flags;
  if (kind.mip_levels != 1)
    text += kind.mip_levels == 0 ? ", all mip levels" : fmt::format(", {} mip levels", kind.mip_levels);
  if (kind.array_layers != 1) text += fmt::format(", {} layers", kind.array_layers);
  if (kind.samples != 1) text += fmt::format(", {} samples", kind.samples);
  return text;
}

std::string describe(const BufferKind& kind, std::uint64_t length) {
  return fmt::format("{} bytes, {}{}{}", length, kind.usage, kind.flags.empty() ? "" : ", ", kind.flags);
}

std::string images_csv(const SweepAnswers& answers) {
  std::string text = fmt::format("{}\n", kImagesHeader);
  constexpr std::size_t kLine = 100;
  text.reserve(text.size() + kLine * answers.image_rows());
  for (const ImageTable& table : answers.images) {
    const ImageKind& k = table.kind;
    const std::string kind = fmt::format("{},{},{},{},{},{},{},{},", k.format, k.type, k.tiling, k.usage, k.flags,
                                         k.mip_levels, k.array_layers, k.samples);
    for (const ImageAnswer& row : table.rows) {
      text += kind;
      for (const std::uint32_t number : {row.width, row.height, row.depth}) {
        add(text, number);
        text += ',';
      }
      add_needs(text, row.needs, answers.refusals);
    }
  }
  return text;
}

std::string buffers_csv(const SweepAnswers& answers) {
  std::string text = fmt::format("{}\n", kBuffersHeader);
  for (const BufferTable& table : answers.buffers)
    for (const BufferAnswer& row : table.rows) {
      text += fmt::format("{},{},{},", table.kind.usage, table.kind.flags, row.length);
      add_needs(text, row.needs, answers.refusals);
    }
  return text;
}

boost::json::object to_json(const SweepAnswers& answers) {
  boost::json::array images, buffers;
  for (const ImageTable& table : answers.images)
    for (const ImageAnswer& row : table.rows) {
      const ImageKind& k = table.kind;
      boost::json::object object{{"format", k.format},
                                 {"type", k.type},
                                 {"tiling", k.tiling},
                                 {"usage", k.usage},
                                 {"flags", k.flags},
                                 {"mip_levels", k.mip_levels},
                                 {"array_layers", k.array_layers},
                                 {"samples", k.samples},
                                 {"width", row.width},
                                 {"height", row.height},
                                 {"depth", row.depth}};
      add_needs(object, row.needs, answers.refusals);
      images.push_back(std::move(object));
    }
  for (const BufferTable& table : answers.buffers)
    for (const BufferAnswer& row : table.rows) {
      boost::json::object object{{"usage", table.kind.usage}, {"flags", table.kind.flags}, {"length", row.length}};
      add_needs(object, row.needs, answers.refusals);
      buffers.push_back(std::move(object));
    }
  return {{"name", answers.name}, {"images", std::move(images)}, {"buffers", std::move(buffers)}};
}

Expected<SweepAnswers> parse_sweep_answers(std::string name, std::string_view images, std::string_view images_name,
                                           std::string_view buffers, std::string_view buffers_name) {
  SweepAnswers answers;
  answers.name = std::move(name);
  Refusals refusals(answers.refusals);
  const auto image_row = [&](CsvLine& line) {
    ImageKind kind;
    for (std::string* word : {&kind.format, &kind.type, &kind.tiling, &kind.usage, &kind.flags}) *word = line.field();
    for (std::uint32_t* number : {&kind.mip_levels, &kind.array_layers, &kind.samples})
      *number = line.number<std::uint32_t>();
    ImageAnswer row;
    for (std::uint32_t* number : {&row.width, &row.height, &row.depth}) *number = line.number<std::uint32_t>();
    row.needs = read_needs(line, refusals);
    table_of(answers.images, std::move(kind)).rows.push_back(row);
  };
  const auto buffer_row = [&](CsvLine& line) {
    BufferKind kind;
    kind.usage = line.field();
    kind.flags = line.field();
    BufferAnswer row;
    row.length = line.number<std::uint64_t>();
    row.needs = read_needs(line, refusals);
    table_of(answers.buffers, std::move(kind)).rows.push_back(row);
  };
  if (const auto read = read_csv(images, images_name, kImagesHeader, image_row); !read) return read.error();
  if (const auto read = read_csv(buffers, buffers_name, kBuffersHeader, buffer_row); !read) return read.error();
  return answers;
}

}  // namespace lab::results
