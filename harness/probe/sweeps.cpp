#include "harness/probe/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/base/nearest.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr int kSweepsSchema = 1;
// More would be a mistake: a column's tables are meant to be read and plotted.
constexpr std::size_t kMostRows = 1'000'000;

// The file, before its values are checked.
struct SweepsFile {
  int schema = 0;
  json::object images, buffers;
};

LAB_JSON_STRUCT(SweepsFile, schema, images, buffers)

struct ImagesFile {
  std::string format, type, tiling;
  std::vector<std::string> usage;
  std::vector<std::uint32_t> widths, heights;
  ImageSweep sweep;
};

template <typename F>
void fields(F& f, ImagesFile& i) {
  f("format", i.format);
  f("type", i.type);
  f("tiling", i.tiling);
  f("usage", i.usage);
  f("mip_levels", i.sweep.mip_levels);
  f("array_layers", i.sweep.array_layers);
  f("samples", i.sweep.samples);
  f.added("widths", i.widths);
  f.added("heights", i.heights);
  f.added("sizes", i.sweep.sizes);
}

struct BuffersFile {
  std::vector<std::string> usage;
  BufferSweep sweep;
};

template <typename F>
void fields(F& f, BuffersFile& b) {
  f("usage", b.usage);
  f("lengths", b.sweep.lengths);
}

Error bad(std::string what, const std::string& nearest = "") {
  return Error{std::move(what), nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest), ExitStatus::kUsage};
}

// Refuses unknown fields: a misspelt optional field would silently keep its default.
template <typename T>
Expected<T> read_fields(const json::value& value, std::string_view where) {
  std::vector<std::string> known;
  const json::value all = to_json(T{});
  for (const auto& field : all.get_object()) known.emplace_back(field.key());
  if (value.is_object())
    for (const auto& field : value.get_object())
      if (std::ranges::find(known, std::string(field.key())) == known.end())
        return bad(fmt::format("{}: unknown field '{}'", where.empty() ? "sweeps" : where, std::string(field.key())),
                   nearest_name(field.key(), known));
  return from_json<T>(value, where);
}

// Accepts a list of 1 to kMostRows numbers above 0.
template <typename T>
Expected<void> check_list(const std::vector<T>& numbers, std::string_view where) {
  if (numbers.empty() || numbers.size() > kMostRows)
    return bad(fmt::format("{}: expected 1 to {} numbers, found {}", where, kMostRows, numbers.size()));
  if (std::ranges::count(numbers, T{0}) > 0) return bad(fmt::format("{}: expected numbers above 0, found 0", where));
  return {};
}

Expected<std::int64_t> value_of(const VulkanEnum& type, std::string_view text, std::string_view where) {
  if (const auto found = enum_value(type, text)) return *found;
  std::vector<std::string> names;
  for (const EnumName& entry : type.names) {
    names.push_back(enum_word(type, entry.value));
    names.emplace_back(entry.name);
  }
  return bad(fmt::format("{}: expected one of {}..., found \"{}\"", where, type.names.front().name, text),
             nearest_name(text, names));
}

Expected<std::uint32_t> usage_bits(const VulkanEnum& type, const std::vector<std::string>& usages,
                                   std::string_view where) {
  if (usages.empty()) return bad(fmt::format("{}: expected a list of usages, found []", where));
  std::uint32_t bits = 0;
  for (const std::string& usage : usages) {
    const Expected<std::int64_t> bit = value_of(type, usage, where);
    if (!bit) return bit.error();
    bits |= static_cast<std::uint32_t>(*bit);
  }
  return bits;
}

Expected<ImageSweep> image_sweep(const json::object& object) {
  Expected<ImagesFile> file = read_fields<ImagesFile>(object, "images");
  if (!file) return file.error();
  ImageSweep& sweep = file->sweep;
  for (const auto& [type, name, where, value] :
       {std::tuple{&kVkFormat, &file->format, "images.format", &sweep.format},
        std::tuple{&kVkImageType, &file->type, "images.type", &sweep.type},
        std::tuple{&kVkImageTiling, &file->tiling, "images.tiling", &sweep.tiling}}) {
    const auto found = value_of(*type, *name, where);
    if (!found) return found.error();
    *value = static_cast<std::int32_t>(*found);
  }
  const auto usage = usage_bits(kVkImageUsageFlagBits, file->usage, "images.usage");
  if (!usage) return usage.error();
  sweep.usage = *usage;
  for (const auto& [where, number, most] : {std::tuple{"images.mip_levels", sweep.mip_levels, 32u},
                                            std::tuple{"images.array_layers", sweep.array_layers, 65536u},
                                            std::tuple{"images.samples", sweep.samples, 64u}})
    if (number < 1 || number > most)
      return bad(fmt::format("{}: expected a whole number from 1 to {}, found {}", where, most, number));
  if (!std::has_single_bit(sweep.samples))
    return bad(fmt::format("images.samples: expected a power of two, found {}", sweep.samples));
  for (const auto& [width, height] : sweep.sizes)
    if (width == 0 || height == 0)
      return bad(fmt::format("images.sizes: expected numbers above 0, found [{}, {}]", width, height));
  if (!sweep.sizes.empty() && !(file->widths.empty() && file->heights.empty()))
    return bad("images: expected widths and heights or sizes, found both");
  if (sweep.sizes.empty()) {
    for (const auto& [where, list] : {std::pair{"images.widths", &file->widths}, {"images.heights", &file->heights}})
      if (const auto checked = check_list(*list, where); !checked) return checked.error();
    if (const std::size_t count = file->widths.size() * file->heights.size(); count > kMostRows)
      return bad(fmt::format("images: expected at most {} sizes, found {}", kMostRows, count));
    for (const std::uint32_t width : file->widths)
      for (const std::uint32_t height : file->heights) sweep.sizes.emplace_back(width, height);
  }
  return std::move(sweep);
}

Expected<BufferSweep> buffer_sweep(const json::object& object) {
  Expected<BuffersFile> file = read_fields<BuffersFile>(object, "buffers");
  if (!file) return file.error();
  const auto usage = usage_bits(kVkBufferUsageFlagBits, file->usage, "buffers.usage");
  if (!usage) return usage.error();
  if (const auto checked = check_list(file->sweep.lengths, "buffers.lengths"); !checked) return checked.error();
  file->sweep.usage = *usage;
  return std::move(file->sweep);
}

}  // namespace

Expected<Sweeps> parse_sweeps(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "sweeps");
  if (!value) return value.error();
  Expected<SweepsFile> file = read_fields<SweepsFile>(*value, "");
  if (!file) return file.error();
  if (file->schema != kSweepsSchema)
    return bad(fmt::format("schema {}, this build reads {}", file->schema, kSweepsSchema));
  Expected<ImageSweep> images = image_sweep(file->images);
  if (!images) return images.error();
  Expected<BufferSweep> buffers = buffer_sweep(file->buffers);
  if (!buffers) return buffers.error();
  for (const char* sizes : {"widths", "heights", "sizes"}) file->images.erase(sizes);
  file->buffers.erase("lengths");
  return Sweeps{std::move(*images), std::move(*buffers), {{"images", file->images}, {"buffers", file->buffers}}};
}

}  // namespace lab::probe
