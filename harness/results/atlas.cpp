#include "harness/results/atlas.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/random.h"
#include "harness/results/csv_table.h"

namespace lab::results {

namespace {

constexpr int kAtlasSchema = 1;
constexpr std::string_view kImagesHeader = "width,height,size,alignment,memory_type_bits";
constexpr std::string_view kBuffersHeader = "length,size,alignment";

struct RowCounts {
  std::size_t images = 0, buffers = 0;
};

LAB_JSON_STRUCT(RowCounts, images, buffers)

// A sweep whose answers are in tables of their own.
struct SweepCounts {
  std::string sweep;
  std::size_t images = 0, buffers = 0;
};

LAB_JSON_STRUCT(SweepCounts, sweep, images, buffers)

// asked.json: apart from column.json, so that two runs of one driver write equal files otherwise.
struct AskedFile {
  std::string asked;
  double seconds = 0;
};

LAB_JSON_STRUCT(AskedFile, asked, seconds)

// column.json: a column without its rows (those are in the CSV files).
struct ColumnFile {
  int schema = kAtlasSchema;
  DriverColumn column;
  RowCounts rows;
  std::vector<SweepCounts> sweeps;
  std::map<std::string, std::string> shared;  ///< of the tables that lie in kSharedTables: the name there
};

template <typename F>
void fields(F& f, ColumnFile& file) {
  f("schema", file.schema);
  if (file.schema != kAtlasSchema) return;  // it may have other fields
  DriverColumn& c = file.column;
  f("name", c.name);
  f.added("device", c.device);
  f("probe", c.probe);
  f("driver", c.driver);
  f.added("imported", c.imported);
  f.added("environment", c.environment);
  f.added("driconf", c.driconf);
  f("heaps", c.heaps);
  f("memory_types", c.memory_types);
  f("limits", c.limits);
  f.added("entry_points", c.entry_points);
  f("rows", file.rows);
  f.added("tables", file.sweeps);
  f.added("shared", file.shared);
  f("buffer_memory_type_bits", c.buffer_memory_type_bits);
  f("refused", c.refused);
  f.added("contradicted", c.contradicted);
  f.added("contradictions", c.contradictions);
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

/// File names and contents.
using Tables = std::map<std::string, std::string>;

Tables tables_of(const DriverColumn& column) {
  Tables tables{{"images.csv", images_csv(column)}, {"buffers.csv", buffers_csv(column)}};
  for (const SweepAnswers& answers : column.sweeps) {
    tables.emplace(answers.name + "-images.csv", images_csv(answers));
    tables.emplace(answers.name + "-buffers.csv", buffers_csv(answers));
  }
  return tables;
}

// Writes `tables` among those of all columns, each once. Returns their names there, which say what they contain.
Expected<std::map<std::string, std::string>> share(const Tables& tables, const std::filesystem::path& folder) {
  std::map<std::string, std::string> shared;
  for (const auto& [name, content] : tables) {
    const std::filesystem::path file = folder / fmt::format("{:016x}-{}", seed_of(content), name);
    if (const Expected<std::string> there = read_file(file); !there || *there != content)
      if (const Expected<void> written = write_file(file, content); !written) return written.error();
    shared.emplace(name, file.filename());
  }
  return shared;
}

// --- reading ---

std::filesystem::path path_of(const std::string& table, const ColumnFile& file, const std::filesystem::path& folder) {
  const auto shared = file.shared.find(table);
  return shared == file.shared.end()
             ? folder / table
             : folder.parent_path() / kSharedTables / std::filesystem::path(shared->second).filename();
}

Error wrong_count(const std::filesystem::path& path, std::size_t expected, std::size_t found) {
  return unreadable_atlas(
      fmt::format("'{}': expected {} rows as column.json says, found {}", path.string(), expected, found));
}

Expected<SweepAnswers> read_sweep(const std::filesystem::path& folder, const ColumnFile& file,
                                  const SweepCounts& counts) {
  const std::filesystem::path images_file = path_of(counts.sweep + "-images.csv", file, folder);
  const std::filesystem::path buffers_file = path_of(counts.sweep + "-buffers.csv", file, folder);
  const Expected<std::string> images = read_file(images_file);
  if (!images) return images.error();
  const Expected<std::string> buffers = read_file(buffers_file);
  if (!buffers) return buffers.error();
  Expected<SweepAnswers> answers =
      parse_sweep_answers(counts.sweep, *images, images_file.string(), *buffers, buffers_file.string());
  if (!answers) return answers.error();
  if (answers->image_rows() != counts.images) return wrong_count(images_file, counts.images, answers->image_rows());
  if (answers->buffer_rows() != counts.buffers)
    return wrong_count(buffers_file, counts.buffers, answers->buffer_rows());
  return answers;
}

// Parses `text` as the file at `path` and reads T from it.
template <typename T>
Expected<T> read_struct(const std::filesystem::path& path, const std::string& text) {
  Expected<T> read = parse_struct<T>(text, fmt::format("'{}'", path.string()));
  if (!read) return unreadable_atlas(read.error().what);
  return read;
}

// Older columns have the time in column.json.
Expected<AskedFile> read_asked(const std::filesystem::path& folder, const std::string& column) {
  const std::filesystem::path path = folder / "asked.json";
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return read_struct<AskedFile>(folder / "column.json", column);
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  return read_struct<AskedFile>(path, *text);
}

// Reads one of the article's tables. `read_row` turns a CsvLine into a Row.
template <typename Row, typename ReadRow>
Expected<std::vector<Row>> read_rows(const std::filesystem::path& path, std::string_view header, std::size_t count,
                                     const ReadRow& read_row) {
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  std::vector<Row> rows;
  const auto read = read_csv(*text, path.string(), header, [&](CsvLine& line) { rows.push_back(read_row(line)); });
  if (!read) return read.error();
  if (rows.size() != count) return wrong_count(path, count, rows.size());
  return rows;
}

ImageRow read_image(CsvLine& line) {
  ImageRow row;
  for (std::uint64_t* number : {&row.width, &row.height, &row.size, &row.alignment})
    *number = line.number<std::uint64_t>();
  row.memory_type_bits = line.number<std::uint32_t>();
  return row;
}

BufferRow read_buffer(CsvLine& line) {
  BufferRow row;
  for (std::uint64_t* number : {&row.length, &row.size, &row.alignment}) *number = line.number<std::uint64_t>();
  return row;
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
  ColumnFile file{.column = column, .rows = {column.images.size(), column.buffers.size()}, .sweeps = {}, .shared = {}};
  for (const SweepAnswers& answers : column.sweeps)
    file.sweeps.push_back({answers.name, answers.image_rows(), answers.buffer_rows()});
  json::object object = lab::to_json(file).as_object();
  object.erase("shared");
  if (!rows) return object;
  object["images"] = lab::to_json(column.images);
  object["buffers"] = lab::to_json(column.buffers);
  json::array sweeps;
  for (const SweepAnswers& answers : column.sweeps) sweeps.push_back(to_json(answers));
  object["sweeps"] = std::move(sweeps);
  return object;
}

Expected<void> save_column(const DriverColumn& column, const std::filesystem::path& dir, bool article_files) {
  Tables files = tables_of(column);
  json::object object = to_json(column);
  std::error_code error;
  if (std::filesystem::is_directory(dir / kSharedTables, error)) {
    const auto shared = share(std::exchange(files, {}), dir / kSharedTables);
    if (!shared) return shared.error();
    object["shared"] = lab::to_json(*shared);
  }
  std::string description;
  print(object, "", description);
  files["column.json"] = description + "\n";
  files["asked.json"] = json::serialize(lab::to_json(AskedFile{column.probed_at, column.seconds})) + "\n";
  if (article_files) {
    files["image-sizes.txt"] = article_images(column);
    files["buffer-sizes.txt"] = article_buffers(column);
  }
  // The dot hides a killed process's folder from every listing of the atlas.
  const std::filesystem::path fresh = dir / fmt::format(".{}.{}", column.name, ::gettid());
  std::filesystem::create_directories(fresh, error);
  if (error) return Error{fmt::format("creating '{}': {}", fresh.string(), error.message()), ""};
  Expected<void> done;
  for (const auto& [name, content] : files)
    if (done) done = write_file(fresh / name, content);
  std::filesystem::copy_file(dir / column.name / kMemoryFile, fresh / kMemoryFile, error);  // if there is one
  if (done) done = put_in_place(fresh, dir / column.name);
  if (!done) std::filesystem::remove_all(fresh, error);
  return done;
}

Expected<DriverColumn> load_column(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "column.json";
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  Expected<ColumnFile> file = read_struct<ColumnFile>(path, *text);
  if (!file) return file.error();
  if (file->schema != kAtlasSchema)
    return unreadable_atlas(
        fmt::format("'{}': schema {}, this build reads {}", path.string(), file->schema, kAtlasSchema));
  Expected<std::vector<ImageRow>> images =
      read_rows<ImageRow>(path_of("images.csv", *file, folder), kImagesHeader, file->rows.images, read_image);
  if (!images) return images.error();
  Expected<std::vector<BufferRow>> buffers =
      read_rows<BufferRow>(path_of("buffers.csv", *file, folder), kBuffersHeader, file->rows.buffers, read_buffer);
  if (!buffers) return buffers.error();
  const Expected<AskedFile> asked = read_asked(folder, *text);
  if (!asked) return asked.error();
  for (const SweepCounts& counts : file->sweeps) {
    Expected<SweepAnswers> answers = read_sweep(folder, *file, counts);
    if (!answers) return answers.error();
    file->column.sweeps.push_back(std::move(*answers));
  }
  file->column.probed_at = asked->asked;
  file->column.seconds = asked->seconds;
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

Expected<std::vector<DriverColumn>> load_atlas(const std::filesystem::path& dir,
                                               const std::filesystem::path& reference) {
  Expected<std::vector<DriverColumn>> columns = load_atlas(dir);
  if (!columns) return columns;
  Expected<std::vector<DriverColumn>> kept = load_atlas(reference);
  if (!kept) return kept;
  std::set<std::string> names;
  for (const DriverColumn& column : *columns) names.insert(column.name);
  for (DriverColumn& column : *kept)
    if (!names.contains(column.name)) {
      column.kept = true;
      columns->push_back(std::move(column));
    }
  std::ranges::sort(*columns, {}, &DriverColumn::name);
  return columns;
}

std::string_view origin_of(const DriverColumn& column) {
  if (column.driver.simulated) return kSimulatedPhrase;
  return column.imported ? kImportedPhrase : "";
}

}  // namespace lab::results
