#include "harness/results/atlas.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdio>
#include <span>
#include <system_error>
#include <utility>

#include "harness/base/files.h"

namespace lab::results {

namespace json = boost::json;

namespace {

constexpr int kAtlasSchema = 1;
constexpr std::string_view kImagesHeader = "width,height,size,alignment,memory_type_bits";
constexpr std::string_view kBuffersHeader = "length,size,alignment";

// --- writing ---

json::array list(std::span<const std::string> texts) {
  return json::array(texts.begin(), texts.end());
}

json::object to_json(const DriverIdentity& d) {
  return {{"short_name", d.short_name},
          {"version", d.version},
          {"id", d.id},
          {"name", d.name},
          {"info", d.info},
          {"conformance", d.conformance},
          {"device_name", d.device_name},
          {"device_type", d.device_type},
          {"vendor_id", d.vendor_id},
          {"device_id", d.device_id},
          {"api_version", d.api_version},
          {"driver_version", d.driver_version},
          {"manifest", d.manifest},
          {"library", d.library},
          {"pinned", d.pinned}};
}

// Short values on one line each: a person can read the file, and a changed fact is one changed line of a diff.
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

std::string images_csv(const Column& column) {
  std::string text = fmt::format("{}\n", kImagesHeader);
  for (const ImageRow& r : column.images)
    text += fmt::format("{},{},{},{},{}\n", r.width, r.height, r.size, r.alignment, r.memory_type_bits);
  return text;
}

std::string buffers_csv(const Column& column) {
  std::string text = fmt::format("{}\n", kBuffersHeader);
  for (const BufferRow& r : column.buffers) text += fmt::format("{},{},{}\n", r.length, r.size, r.alignment);
  return text;
}

std::string article_images(const Column& column) {
  std::string text = "# Width Height Size Alignment\n";
  for (const ImageRow& r : column.images) text += fmt::format("{} {} {} {}\n", r.width, r.height, r.size, r.alignment);
  return text;
}

std::string article_buffers(const Column& column) {
  std::string text = "# Length Size Alignment\n";
  for (const BufferRow& r : column.buffers) text += fmt::format("{} {} {}\n", r.length, r.size, r.alignment);
  return text;
}

// --- reading ---

Error unreadable(std::string what) {
  return Error{std::move(what), "python3 make.py probe writes the atlas anew", ExitStatus::kUsage};
}

// Fields of one object by name. The first that is missing or of another kind is kept as the error; reading goes on with
// empty values, so that a reader is a list of fields and checks once, at its end.
class Fields {
 public:
  Fields(const json::value& value, std::string where, std::optional<Error>& error) : where_(where), error_(error) {
    if (value.is_object())
      object_ = value.get_object();
    else
      fail("an object");
  }

  std::string text(std::string_view name) {
    const json::string* found = find(name).if_string();
    return found ? std::string(*found) : fail(name, "a text", std::string());
  }
  bool flag(std::string_view name) {
    const bool* found = find(name).if_bool();
    return found ? *found : fail(name, "true or false", false);
  }
  template <typename Number>
  Number number(std::string_view name) {
    boost::system::error_code bad;
    const json::value& found = find(name);
    const Number number = found.is_number() ? found.to_number<Number>(bad) : Number{};
    return found.is_number() && !bad ? number : fail(name, "a number in range", Number{});
  }
  json::object object(std::string_view name) {
    const json::object* found = find(name).if_object();
    return found ? *found : fail(name, "an object", json::object());
  }
  std::vector<std::string> texts(std::string_view name) {
    return each<std::string>(name, [&](const json::value& v) {
      return v.is_string() ? std::string(v.get_string()) : fail(name, "a list of texts", std::string());
    });
  }
  template <typename Item>
  std::vector<Item> each(std::string_view name, auto read) {
    std::vector<Item> items;
    const json::array* found = find(name).if_array();
    if (!found) return fail(name, "a list", items);
    for (const json::value& v : *found) items.push_back(read(v));
    return items;
  }
  Fields inner(std::string_view name) { return {find(name), fmt::format("{}.{}", where_, name), error_}; }
  Fields item(const json::value& value, std::string_view name) {
    return {value, fmt::format("{}.{}", where_, name), error_};
  }
  const json::value& find(std::string_view name) const {
    static const json::value nothing;
    const json::value* found = object_.if_contains(name);
    return found ? *found : nothing;
  }

 private:
  void fail(std::string_view expected) {
    if (!error_) error_ = unreadable(fmt::format("{}: expected {}", where_, expected));
  }
  template <typename Value>
  Value fail(std::string_view name, std::string_view expected, Value fallback) {
    const json::value& found = find(name);
    const std::string seen = found.is_null() ? "nothing" : json::serialize(found).substr(0, 40);
    if (!error_) error_ = unreadable(fmt::format("{}.{}: expected {}, found {}", where_, name, expected, seen));
    return fallback;
  }

  json::object object_;
  std::string where_;
  std::optional<Error>& error_;
};

DriverIdentity read_driver(Fields f) {
  DriverIdentity d;
  d.short_name = f.text("short_name");
  d.version = f.text("version");
  d.id = f.text("id");
  d.name = f.text("name");
  d.info = f.text("info");
  d.conformance = f.text("conformance");
  d.device_name = f.text("device_name");
  d.device_type = f.text("device_type");
  d.vendor_id = f.number<std::uint32_t>("vendor_id");
  d.device_id = f.number<std::uint32_t>("device_id");
  d.api_version = f.text("api_version");
  d.driver_version = f.number<std::uint32_t>("driver_version");
  d.manifest = f.text("manifest");
  d.library = f.text("library");
  d.pinned = f.flag("pinned");
  return d;
}

struct RowCounts {
  std::size_t images = 0, buffers = 0;
};

Column read_column(Fields f, RowCounts& rows) {
  Column c;
  c.name = f.text("name");
  c.asked = f.text("asked");
  c.seconds = f.number<double>("seconds");
  c.probe = f.object("probe");
  c.driver = read_driver(f.inner("driver"));
  c.heaps = f.each<Heap>("heaps", [&](const json::value& v) {
    Fields heap = f.item(v, "heaps");
    return Heap{heap.number<std::uint64_t>("size"), heap.texts("flags")};
  });
  c.memory_types = f.each<MemoryType>("memory_types", [&](const json::value& v) {
    Fields type = f.item(v, "memory_types");
    return MemoryType{type.number<std::uint32_t>("heap"), type.texts("flags")};
  });
  c.limits = f.object("limits");
  c.sweeps = f.object("sweeps");
  Fields counts = f.inner("rows");
  rows = {counts.number<std::size_t>("images"), counts.number<std::size_t>("buffers")};
  c.buffer_memory_type_bits = f.each<std::uint32_t>("buffer_memory_type_bits", [&](const json::value& v) {
    const json::object holder{{"bits", v}};
    return f.item(holder, "buffer_memory_type_bits").number<std::uint32_t>("bits");
  });
  c.refused = f.each<Refusal>("refused", [&](const json::value& v) {
    Fields refusal = f.item(v, "refused");
    return Refusal{refusal.text("what"), refusal.text("result")};
  });
  if (!f.find("failure").is_null()) {
    Fields failure = f.inner("failure");
    c.failure = ProbeFailure{failure.text("kind"), failure.text("detail"), failure.text("output_tail")};
  }
  c.validation = f.texts("validation");
  return c;
}

// A CSV file of unsigned whole numbers under exactly this header.
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
    if (end == std::string_view::npos) return bad(number, "a line that ends", line);
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

// The folder `fresh` takes the name `target`; what bore it is removed. A rename alone cannot replace a full folder.
Expected<void> put_in_place(const std::filesystem::path& fresh, const std::filesystem::path& target) {
  const auto exchanged = [&] {
    return ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0;
  };
  std::error_code error;
  std::filesystem::rename(fresh, target, error);
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    // Not every file system can exchange; there a reader may for a moment find neither.
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

std::optional<std::uint64_t> Column::limit(std::string_view limit_name) const {
  const json::value* found = limits.if_contains(limit_name);
  boost::system::error_code bad;
  if (!found || !found->is_number()) return std::nullopt;
  const auto number = found->to_number<std::uint64_t>(bad);
  return bad ? std::nullopt : std::optional(number);
}

json::object to_json(const Column& c, bool rows) {
  json::array heaps, types, refused;
  for (const Heap& heap : c.heaps) heaps.push_back(json::object{{"size", heap.size}, {"flags", list(heap.flags)}});
  for (const MemoryType& type : c.memory_types)
    types.push_back(json::object{{"heap", type.heap}, {"flags", list(type.flags)}});
  for (const Refusal& r : c.refused) refused.push_back(json::object{{"what", r.what}, {"result", r.result}});
  json::value failure;
  if (c.failure)
    failure =
        json::object{{"kind", c.failure->kind}, {"detail", c.failure->detail}, {"output_tail", c.failure->output_tail}};
  json::object object{
      {"schema", kAtlasSchema},
      {"name", c.name},
      {"asked", c.asked},
      {"seconds", c.seconds},
      {"probe", c.probe},
      {"driver", to_json(c.driver)},
      {"heaps", heaps},
      {"memory_types", types},
      {"limits", c.limits},
      {"sweeps", c.sweeps},
      {"rows", json::object{{"images", c.images.size()}, {"buffers", c.buffers.size()}}},
      {"buffer_memory_type_bits", json::array(c.buffer_memory_type_bits.begin(), c.buffer_memory_type_bits.end())},
      {"refused", refused},
      {"failure", failure},
      {"validation", list(c.validation)}};
  if (!rows) return object;
  json::array images, buffers;
  for (const ImageRow& r : c.images)
    images.push_back(json::object{{"width", r.width},
                                  {"height", r.height},
                                  {"size", r.size},
                                  {"alignment", r.alignment},
                                  {"memory_type_bits", r.memory_type_bits}});
  for (const BufferRow& r : c.buffers)
    buffers.push_back(json::object{{"length", r.length}, {"size", r.size}, {"alignment", r.alignment}});
  object["images"] = std::move(images);
  object["buffers"] = std::move(buffers);
  return object;
}

Expected<void> save_column(const Column& column, const std::filesystem::path& dir, bool article_files) {
  std::string description;
  print(to_json(column), "", description);
  std::vector<std::pair<std::string, std::string>> files{
      {"column.json", description + "\n"}, {"images.csv", images_csv(column)}, {"buffers.csv", buffers_csv(column)}};
  if (article_files) {
    files.emplace_back("image-sizes.txt", article_images(column));
    files.emplace_back("buffer-sizes.txt", article_buffers(column));
  }
  // The dot keeps a folder that a killed process left behind out of every listing of the atlas.
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

Expected<Column> load_column(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "column.json";
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  boost::system::error_code bad;
  const json::value value = json::parse(*text, bad);
  if (bad) return unreadable(fmt::format("'{}': expected JSON: {}", path.string(), bad.message()));
  std::optional<Error> error;
  Fields fields(value, fmt::format("'{}'", path.string()), error);
  const int schema = fields.number<int>("schema");
  if (!error && schema != kAtlasSchema)
    return unreadable(fmt::format("'{}': schema {}, this build reads {}", path.string(), schema, kAtlasSchema));
  RowCounts rows;
  Column column = read_column(std::move(fields), rows);
  if (error) return *error;
  Expected<std::vector<ImageRow>> images = read_images(folder / "images.csv", rows.images);
  if (!images) return images.error();
  Expected<std::vector<BufferRow>> buffers = read_buffers(folder / "buffers.csv", rows.buffers);
  if (!buffers) return buffers.error();
  column.images = std::move(*images);
  column.buffers = std::move(*buffers);
  return column;
}

Expected<std::vector<Column>> load_atlas(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(dir, error))
    if (entry.is_directory() && std::filesystem::exists(entry.path() / "column.json") &&
        !entry.path().filename().string().starts_with('.'))
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  std::vector<Column> columns;
  for (const std::filesystem::path& folder : folders) {
    Expected<Column> column = load_column(folder);
    if (!column) return column.error();
    columns.push_back(std::move(*column));
  }
  return columns;
}

}  // namespace lab::results
