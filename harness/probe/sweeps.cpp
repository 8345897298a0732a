#include "harness/probe/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <string>

#include "harness/base/nearest.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace json = boost::json;

namespace {

constexpr int kSweepsSchema = 1;
// More would be a mistake: a column's tables are meant to be read and plotted.
constexpr std::size_t kMostRows = 1'000'000;

Error bad(std::string what, std::string hint = "") {
  return Error{std::move(what), std::move(hint), ExitStatus::kUsage};
}

std::string shown(const json::value* value) {
  return value ? json::serialize(*value).substr(0, 60) : "nothing";
}

Expected<json::object> object_at(const json::object& o, std::string_view field) {
  const json::value* found = o.if_contains(field);
  if (!found || !found->is_object()) return bad(fmt::format("{}: expected an object, found {}", field, shown(found)));
  return found->get_object();
}

// Without this check, a misspelt field would silently keep its default.
Expected<void> only_known(const json::object& o, std::span<const std::string> known, std::string_view where) {
  for (const auto& field : o) {
    if (std::ranges::find(known, std::string(field.key())) != known.end()) continue;
    const std::string near = nearest_name(field.key(), known);
    return bad(fmt::format("{}: unknown field '{}'", where, std::string(field.key())),
               near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  return {};
}

Expected<std::uint64_t> whole(const json::value* value, std::string_view where, std::uint64_t most) {
  boost::system::error_code wrong;
  const std::uint64_t number = value && value->is_number() ? value->to_number<std::uint64_t>(wrong) : 0;
  if (wrong || number < 1 || number > most)
    return bad(fmt::format("{}: expected a whole number from 1 to {}, found {}", where, most, shown(value)));
  return number;
}

Expected<std::int64_t> named(const Enum& type, const json::value* value, std::string_view where) {
  const std::string text(value && value->is_string() ? std::string_view(value->get_string()) : std::string_view());
  if (const auto found = enum_value(type, text)) return *found;
  std::vector<std::string> names;
  for (const EnumName& entry : type.names) {
    names.push_back(enum_word(type, entry.value));
    names.emplace_back(entry.name);
  }
  const std::string near = nearest_name(text, names);
  return bad(fmt::format("{}: expected one of {}..., found {}", where, type.names.front().name, shown(value)),
             near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

Expected<std::uint32_t> usage(const Enum& type, const json::object& o, std::string_view where) {
  const json::value* found = o.if_contains("usage");
  if (!found || !found->is_array() || found->get_array().empty())
    return bad(fmt::format("{}: expected a list of usages, found {}", where, shown(found)));
  std::uint32_t bits = 0;
  for (const json::value& v : found->get_array()) {
    const Expected<std::int64_t> bit = named(type, &v, where);
    if (!bit) return bit.error();
    bits |= static_cast<std::uint32_t>(*bit);
  }
  return bits;
}

Expected<std::vector<std::uint64_t>> wholes(const json::value* found, std::string_view where, std::uint64_t most) {
  if (!found || !found->is_array() || found->get_array().empty() || found->get_array().size() > kMostRows)
    return bad(fmt::format("{}: expected a list of 1 to {} numbers, found {}", where, kMostRows, shown(found)));
  std::vector<std::uint64_t> numbers;
  for (const json::value& v : found->get_array()) {
    const Expected<std::uint64_t> number = whole(&v, where, most);
    if (!number) return number.error();
    numbers.push_back(*number);
  }
  return numbers;
}

using Sizes = decltype(ImageSweep::sizes);

Expected<Sizes> listed_sizes(const json::value& list) {
  if (!list.is_array() || list.get_array().empty() || list.get_array().size() > kMostRows)
    return bad(fmt::format("images.sizes: expected a list of 1 to {} sizes, found {}", kMostRows, shown(&list)));
  Sizes sizes;
  for (const json::value& v : list.get_array()) {
    const auto pair = wholes(&v, "images.sizes", UINT32_MAX);
    if (!pair) return pair.error();
    if (pair->size() != 2) return bad(fmt::format("images.sizes: expected [width, height], found {}", shown(&v)));
    sizes.emplace_back((*pair)[0], (*pair)[1]);
  }
  return sizes;
}

Expected<Sizes> image_sizes(const json::object& o) {
  const json::value* list = o.if_contains("sizes");
  if (list && (o.contains("widths") || o.contains("heights")))
    return bad("images: expected widths and heights or sizes, found both");
  if (list) return listed_sizes(*list);
  const auto widths = wholes(o.if_contains("widths"), "images.widths", UINT32_MAX);
  if (!widths) return widths.error();
  const auto heights = wholes(o.if_contains("heights"), "images.heights", UINT32_MAX);
  if (!heights) return heights.error();
  if (widths->size() * heights->size() > kMostRows)
    return bad(fmt::format("images: expected at most {} sizes, found {}", kMostRows, widths->size() * heights->size()));
  Sizes sizes;
  for (const std::uint64_t width : *widths)
    for (const std::uint64_t height : *heights) sizes.emplace_back(width, height);
  return sizes;
}

Expected<ImageSweep> image_sweep(const json::object& o) {
  static const std::vector<std::string> fields{"format",       "type",    "tiling", "usage",   "mip_levels",
                                               "array_layers", "samples", "widths", "heights", "sizes"};
  if (const auto known = only_known(o, fields, "images"); !known) return known.error();
  const auto format = named(kVkFormat, o.if_contains("format"), "images.format");
  if (!format) return format.error();
  const auto type = named(kVkImageType, o.if_contains("type"), "images.type");
  if (!type) return type.error();
  const auto tiling = named(kVkImageTiling, o.if_contains("tiling"), "images.tiling");
  if (!tiling) return tiling.error();
  const auto bits = usage(kVkImageUsageFlagBits, o, "images.usage");
  if (!bits) return bits.error();
  ImageSweep sweep{.format = static_cast<std::int32_t>(*format),
                   .type = static_cast<std::int32_t>(*type),
                   .tiling = static_cast<std::int32_t>(*tiling),
                   .usage = *bits,
                   .sizes = {}};
  for (const auto& [name, value, most] :
       {std::tuple{"mip_levels", &sweep.mip_levels, 32u}, std::tuple{"array_layers", &sweep.array_layers, 65536u},
        std::tuple{"samples", &sweep.samples, 64u}}) {
    const auto number = whole(o.if_contains(name), fmt::format("images.{}", name), most);
    if (!number) return number.error();
    *value = static_cast<std::uint32_t>(*number);
  }
  if ((sweep.samples & (sweep.samples - 1)) != 0)
    return bad(fmt::format("images.samples: expected a power of two, found {}", sweep.samples));
  auto sizes = image_sizes(o);
  if (!sizes) return sizes.error();
  sweep.sizes = std::move(*sizes);
  return sweep;
}

Expected<BufferSweep> buffer_sweep(const json::object& o) {
  static const std::vector<std::string> fields{"usage", "lengths"};
  if (const auto known = only_known(o, fields, "buffers"); !known) return known.error();
  const auto bits = usage(kVkBufferUsageFlagBits, o, "buffers.usage");
  if (!bits) return bits.error();
  auto lengths = wholes(o.if_contains("lengths"), "buffers.lengths", UINT64_MAX);
  if (!lengths) return lengths.error();
  return BufferSweep{*bits, std::move(*lengths)};
}

}  // namespace

Expected<Sweeps> parse_sweeps(std::string_view text) {
  boost::system::error_code wrong;
  const json::value value = json::parse(text, wrong);
  if (wrong) return bad(fmt::format("expected a JSON object: {}", wrong.message()));
  if (!value.is_object()) return bad(fmt::format("expected a JSON object, found {}", shown(&value)));
  const json::object& file = value.get_object();
  static const std::vector<std::string> fields{"schema", "images", "buffers"};
  if (const auto known = only_known(file, fields, "sweeps"); !known) return known.error();
  if (const auto schema = whole(file.if_contains("schema"), "schema", kSweepsSchema); !schema) return schema.error();
  auto images_object = object_at(file, "images");
  if (!images_object) return images_object.error();
  auto buffers_object = object_at(file, "buffers");
  if (!buffers_object) return buffers_object.error();
  auto images = image_sweep(*images_object);
  if (!images) return images.error();
  auto buffers = buffer_sweep(*buffers_object);
  if (!buffers) return buffers.error();
  for (const char* sizes : {"widths", "heights", "sizes"}) images_object->erase(sizes);
  buffers_object->erase("lengths");
  return Sweeps{std::move(*images), std::move(*buffers), {{"images", *images_object}, {"buffers", *buffers_object}}};
}

}  // namespace lab::probe
