#include "harness/results/atlas.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <system_error>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/json_struct.h"

namespace lab::results {

namespace {

constexpr int kAtlasSchema = 1;
constexpr std::string_view kImagesHeader = "width,height,size,alignment,memory_type_bits";
constexpr std::string_view kBuffersHeader = "length,size,alignment";

struct RowCounts {
  std::size_t images = 0, buffers = 0;
};

LAB_JSON_STRUCT(RowCounts, images, buffers)

// column.json: a column without its rows (those are in the CSV files).
struct ColumnFile {
  int schema = kAtlasSchema;
  DriverColumn column;
  RowCounts rows;
};

template <typename F>
void fields(F& f, ColumnFile& file) {
  f("schema", file.schema);
  if (file.schema != kAtlasSchema) return;  // it may have other fields
  DriverColumn& c = file.column;
  f("name", c.name);
  f("asked", c.probed_at);
  f("seconds", c.seconds);
  f("probe", c.probe);
  f("driver", c.driver);
  f("heaps", c.heaps);
  f("memory_types", c.memory_types);
  f("limits", c.limits);
  f("sweeps", c.sweeps);
  f("rows", file.rows);
  f("buffer_memory_type_bits", c.buffer_memory_type_bits);
  f("refused", c.refused);
  f.added("failure", c.failure);
  f("validation", c.validation);
}

// --- writing ---

// One line per short value: the file is readable, and a changed fact is one changed line of a diff.
void print(const json::value& value, const std::string& indent, std::string& out) {
  constexpr std::size_t kOneLine = 100;
  const std::string line = json::serialize(value);
  if (!value.is_structured() || (!indent.empty() && line.size() <= kOneLine)) {
    out += line;
    return;
  }
  const json::object* object = value.if_object();
  const std::string deeper = indent + "  ";
  std::string_view separator = "\n";
  out += object ? '{' : '[';
  const auto item = [&](std::string_view head, const json::value& v) {
    out += fmt::format("{}{}{}", std::exchange(separator, ",\n"), deeper, head);
    print(v, deeper, out);
  };
  if (object) {
    for (const auto& field : *object) item(json::serialize(field.key()) + ": ", field.value());
  } else {
    for (const json::value& element : value.get_array()) item("", element);
  }
  out += '\n' + indent + (object ? '}' : ']');
}

std::string images_csv(const DriverColumn& column) {
  std::string text = fmt::format("{}\n", kImagesHeader);
  for (const ImageRow& r : column.images)
    text += fmt::format("{},{},{},{},{}\n", r.width, r.height, r.size, r.alignment, r.memory_type_bits);
  return text;
}

std::string buffers_csv(const DriverColumn& column) {
  std::string text = fmt::format("{}\n", kBuffersHeader);
  for (const BufferRow& r : column.buffers) text += fmt::format("{},{},{}\n", r.length, r.size, r.alignment);
  return text;
}

std::string article_images(const DriverColumn& column) {
  std::string text = "# Width Height Size Alignment\n";
  for (const ImageRow& r : column.images) text += fmt::format("{} {} {} {}\n", r.width, r.height, r.size, r.alignment);
  return text;
}

std::string article_buffers(const DriverColumn& column) {
  std::string text = "# Length Size Alignment\n";
  for (const BufferRow& r : column.buffers) text += fmt::format("{} {} {}\n", r.length, r.size, r.alignment);
  return text;
}

// --- reading ---

Error unreadable(std::string what) {
  return Error{std::move(what), "python3 make.py probe writes a new atlas", ExitStatus::kUsage};
}

// Reads a CSV file of unsigned integers with exactly this header.
Expected<std::vector<std::vector<std::uint64_t>>> read_table(const std::filesystem::path& path,
                                                             std::string_view header) {
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  const auto width = static_cast<std::size_t>(std::ranges::count(header, ',')) + 1;
  const auto bad = [&](std::size_t line, std::string_view expected, std::string_view found) {
    return unreadable(
        fmt::format("'{}' line {}: expected {}, found '{}'", path.string(), line, expected, found.substr(0, 60)));
  };
  std::vector<std::vector<std::uint64_t>> table;
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty() || number == 1; ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (number == 1 && line != header) return bad(1, fmt::format("'{}'", header), line);
    if (end == std::string_view::npos) return bad(number, "a complete line", line);
    rest.remove_prefix(end + 1);
    if (number == 1) continue;
    std::vector<std::uint64_t>& row = table.emplace_back();
    const char* at = line.data();
    const char* const stop = line.data() + line.size();
    for (std::size_t i = 0; i < width; ++i) {
      const auto [next, error] = std::from_chars(at, stop, row.emplace_back());
      const bool ends_well = i + 1 < width ? next != stop && *next == ',' : next == stop;
      if (error != std::errc{} || !ends_well) return bad(number, fmt::format("{} whole numbers", width), line);
      at = next + 1;
    }
  }
  return table;
}

Error wrong_count(const std::filesystem::path& path, std::size_t expected, std::size_t found) {
  return unreadable(
      fmt::format("'{}': expected {} rows as column.json says, found {}", path.string(), expected, found));
}

Expected<std::vector<ImageRow>> read_images(const std::filesystem::path& path, std::size_t count) {
  const auto table = read_table(path, kImagesHeader);
  if (!table) return table.error();
  if (table->size() != count) return wrong_count(path, count, table->size());
  std::vector<ImageRow> rows;
  for (const auto& r : *table) {
    if (r[4] > UINT32_MAX)
      return unreadable(fmt::format("'{}': expected memory type bits of 32 bits, found {}", path.string(), r[4]));
    rows.push_back({r[0], r[1], r[2], r[3], static_cast<std::uint32_t>(r[4])});
  }
  return rows;
}

Expected<std::vector<BufferRow>> read_buffers(const std::filesystem::path& path, std::size_t count) {
  const auto table = read_table(path, kBuffersHeader);
  if (!table) return table.error();
  if (table->size() != count) return wrong_count(path, count, table->size());
  std::vector<BufferRow> rows;
  for (const auto& r : *table) rows.push_back({r[0], r[1], r[2]});
  return rows;
}

// Moves the folder `fresh` to `target` and removes the old one. rename() alone cannot replace a non-empty folder.
Expected<void> put_in_place(const std::filesystem::path& fresh, const std::filesystem::path& target) {
  const auto exchanged = [&] {
    return ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
  };
  std::error_code error;
  std::filesystem::rename(fresh, target, error);
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    // Some file systems cannot exchange; there a reader may briefly find neither folder.
    if (exchanged()) {
      error.clear();
    } else if (std::filesystem::remove_all(target, error); !error) {
      std::filesystem::rename(fresh, target, error);
    }
  }
  if (error) return Error{fmt::format("replacing '{}': {}", target.string(), error.message()), ""};
  std::filesystem::remove_all(fresh, error);
  return {};
}

}  // namespace

std::optional<std::uint64_t> DriverColumn::limit(std::string_view limit_name) const {
  const json::value* const found = limits.if_contains(limit_name);
  const auto number = found != nullptr ? from_json<std::uint64_t>(*found) : Expected<std::uint64_t>(Error{});
  return number ? std::optional(*number) : std::nullopt;
}

json::object to_json(const DriverColumn& column, bool rows) {
  const ColumnFile file{.column = column, .rows = {column.images.size(), column.buffers.size()}};
  json::object object = lab::to_json(file).as_object();
  if (!rows) return object;
  object["images"] = lab::to_json(column.images);
  object["buffers"] = lab::to_json(column.buffers);
  return object;
}

Expected<void> save_column(const DriverColumn& column, const std::filesystem::path& dir, bool article_files) {
  std::string description;
  print(to_json(column), "", description);
  std::vector<std::pair<std::string, std::string>> files{
      {"column.json", description + "\n"}, {"images.csv", images_csv(column)}, {"buffers.csv", buffers_csv(column)}};
  if (article_files) {
    files.emplace_back("image-sizes.txt", article_images(column));
    files.emplace_back("buffer-sizes.txt", article_buffers(column));
  }
  // The dot hides a killed process's folder from every listing of the atlas.
  const std::filesystem::path fresh = dir / fmt::format(".{}.{}", column.name, ::gettid());
  std::error_code error;
  std::filesystem::create_directories(fresh, error);
  if (error) return Error{fmt::format("creating '{}': {}", fresh.string(), error.message()), ""};
  Expected<void> done;
  for (const auto& [name, content] : files)
    if (done) done = write_file(fresh / name, content);
  if (done) done = put_in_place(fresh, dir / column.name);
  if (!done) std::filesystem::remove_all(fresh, error);
  return done;
}

Expected<DriverColumn> load_column(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "column.json";
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  const std::string name = fmt::format("'{}'", path.string());
  const Expected<json::value> value = parse_json(*text, name);
  if (!value) return unreadable(value.error().what);
  Expected<ColumnFile> file = from_json<ColumnFile>(*value);
  if (!file) return unreadable(fmt::format("{}: {}", name, file.error().what));
  if (file->schema != kAtlasSchema)
    return unreadable(fmt::format("{}: schema {}, this build reads {}", name, file->schema, kAtlasSchema));
  Expected<std::vector<ImageRow>> images = read_images(folder / "images.csv", file->rows.images);
  if (!images) return images.error();
  Expected<std::vector<BufferRow>> buffers = read_buffers(folder / "buffers.csv", file->rows.buffers);
  if (!buffers) return buffers.error();
  file->column.images = std::move(*images);
  file->column.buffers = std::move(*buffers);
  return std::move(file->column);
}

Expected<std::vector<DriverColumn>> load_atlas(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error))
    if (entry.is_directory() && std::filesystem::exists(entry.path() / "column.json") &&
        !entry.path().filename().string().starts_with('.'))
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<DriverColumn> columns;
  for (const std::filesystem::path& folder : folders) {
    Expected<DriverColumn> column = load_column(folder);
    if (!column) return column.error();
    columns.push_back(std::move(*column));
  }
  return columns;
}

}  // namespace lab::results
