#include "harness/probe/program.h"

#include <fmt/format.h>

#include <bit>
#include <boost/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/json_struct.h"
#include "harness/probe/input_fields.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr int kProgramSchema = 1;

// The file, before its values are checked.
struct ProgramFile {
  int schema = 0;
  AdviceOptions options;
  std::vector<json::object> images, buffers;
};

void fields(auto& f, ProgramFile& file) {
  f("schema", file.schema);
  f.added("heap_parts", file.options.heap_parts);
  f.added("largest_resource", file.options.largest_resource);
  f.added("heap_bytes", file.options.heap_bytes);
  f.added("images", file.images);
  f.added("buffers", file.buffers);
}

using Names = std::vector<std::string>;

struct ImageFile {
  ProgramUse use;
  std::string format, type = "2d", tiling = "optimal";
  Names usage, flags;
  Extent size;
  std::uint32_t mip_levels = 1, array_layers = 1, samples = 1;
};

void fields(auto& f, ImageFile& i) {
  f("name", i.use.name);
  f("format", i.format);
  f.added("type", i.type);
  f.added("tiling", i.tiling);
  f("usage", i.usage);
  f.added("flags", i.flags);
  f("width", i.size.width);
  f("height", i.size.height);
  f.added("depth", i.size.depth);
  f.added("mip_levels", i.mip_levels);
  f.added("array_layers", i.array_layers);
  f.added("samples", i.samples);
  f.added("count", i.use.count);
  f.added("memory", i.use.memory);
}

struct BufferFile {
  ProgramUse use;
  Names usage, flags;
  std::uint64_t length = 0;
};

void fields(auto& f, BufferFile& b) {
  f("name", b.use.name);
  f("usage", b.usage);
  f.added("flags", b.flags);
  f("length", b.length);
  f.added("count", b.use.count);
  f.added("memory", b.use.memory);
}

Expected<void> expect_within(std::string_view where, std::string_view field, std::uint64_t number, std::uint64_t most) {
  if (number >= 1 && number <= most) return {};
  return input_error(fmt::format("{}.{}: expected a whole number from 1 to {}, found {}", where, field, most, number));
}

Expected<std::uint32_t> usage_bits(const vulkan::EnumNames& type, const Names& usage, std::string_view where) {
  if (usage.empty()) return input_error(fmt::format("{}.usage: expected a list of usages, found []", where));
  return bits_of(type, usage, fmt::format("{}.usage", where));
}

// What the entries of both kinds have. Gives the memory flags their short names, as a driver column has them.
Expected<void> check(ProgramUse& use, std::string_view where) {
  if (use.name.empty()) return input_error(fmt::format("{}.name: expected a name, found \"\"", where));
  if (const auto counted = expect_within(where, "count", use.count, kMostResources); !counted) return counted.error();
  const auto bits = bits_of(vulkan::kVkMemoryPropertyFlagBits, use.memory, fmt::format("{}.memory", where));
  if (!bits) return bits.error();
  use.memory = flag_words(vulkan::kVkMemoryPropertyFlagBits, *bits);
  return {};
}

// Before the fields are read as numbers: "full" becomes kFullChain.
Expected<json::object> with_full_chain(json::object object, std::string_view where) {
  json::value* const levels = object.if_contains("mip_levels");
  if (levels == nullptr) return object;
  const std::optional<std::uint32_t> number = mip_levels_of(*levels);
  if (!number)
    return input_error(fmt::format("{}.mip_levels: expected a whole number from 1 to {} or \"full\", found {}", where,
                                   kMostMipLevels, serialize(*levels)));
  *levels = *number;
  return object;
}

Expected<ProgramImage> image_of(const json::object& object, const std::string& where) {
  const Expected<json::object> with_levels = with_full_chain(object, where);
  if (!with_levels) return with_levels.error();
  Expected<ImageFile> file = read_known_fields<ImageFile>(*with_levels, where);
  if (!file) return file.error();
  if (const auto checked = check(file->use, where); !checked) return checked.error();
  constexpr std::uint64_t kMostTexels = 1u << 30;  // in one dimension
  for (const auto& [field, number, most] :
       {std::tuple{"width", file->size.width, kMostTexels}, std::tuple{"height", file->size.height, kMostTexels},
        std::tuple{"depth", file->size.depth, kMostTexels}, std::tuple{"array_layers", file->array_layers, kMostTexels},
        std::tuple{"samples", file->samples, std::uint64_t{64}}})
    if (const auto within = expect_within(where, field, number, most); !within) return within.error();
  if (!std::has_single_bit(file->samples))
    return input_error(fmt::format("{}.samples: expected a power of two, found {}", where, file->samples));
  ProgramImage image{std::move(file->use), {}, file->size};
  image.kind.mip_levels = file->mip_levels;
  image.kind.array_layers = file->array_layers;
  image.kind.samples = file->samples;
  for (const auto& [type, name, field, value] :
       {std::tuple{&vulkan::kVkFormat, &file->format, "format", &image.kind.format},
        std::tuple{&vulkan::kVkImageType, &file->type, "type", &image.kind.type},
        std::tuple{&vulkan::kVkImageTiling, &file->tiling, "tiling", &image.kind.tiling}}) {
    const auto found = value_of(*type, *name, fmt::format("{}.{}", where, field));
    if (!found) return found.error();
    *value = static_cast<std::int32_t>(*found);
  }
  const auto usage = usage_bits(vulkan::kVkImageUsageFlagBits, file->usage, where);
  if (!usage) return usage.error();
  image.kind.usage = *usage;
  const auto flags = bits_of(vulkan::kVkImageCreateFlagBits, file->flags, fmt::format("{}.flags", where));
  if (!flags) return flags.error();
  image.kind.flags = *flags;
  return image;
}

Expected<ProgramBuffer> buffer_of(const json::object& object, const std::string& where) {
  Expected<BufferFile> file = read_known_fields<BufferFile>(object, where);
  if (!file) return file.error();
  if (const auto checked = check(file->use, where); !checked) return checked.error();
  if (file->length == 0) return input_error(fmt::format("{}.length: expected a whole number from 1, found 0", where));
  const auto usage = usage_bits(vulkan::kVkBufferUsageFlagBits, file->usage, where);
  if (!usage) return usage.error();
  const auto flags = bits_of(vulkan::kVkBufferCreateFlagBits, file->flags, fmt::format("{}.flags", where));
  if (!flags) return flags.error();
  return ProgramBuffer{std::move(file->use), {*usage, *flags}, file->length};
}

// Reads a list, and refuses names that an earlier entry has.
template <typename Entry, typename Read>
Expected<std::vector<Entry>> read_entries(const std::vector<json::object>& objects, std::string_view field, Read read,
                                          std::set<std::string>& names) {
  std::vector<Entry> entries;
  for (const json::object& object : objects) {
    const std::string where = fmt::format("{}[{}]", field, entries.size());
    Expected<Entry> entry = read(object, where);
    if (!entry) return entry.error();
    if (!names.insert(entry->use.name).second)
      return input_error(
          fmt::format("{}.name: expected a name that no other entry has, found \"{}\"", where, entry->use.name));
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Expected<void> check(const AdviceOptions& options) {
  for (const auto& [field, number] : {std::pair{"heap_parts", options.heap_parts},
                                      {"largest_resource", options.largest_resource},
                                      {"heap_bytes", options.heap_bytes.value_or(1)}})
    if (number == 0) return input_error(fmt::format("{}: expected a whole number from 1, found 0", field));
  return {};
}

}  // namespace

Expected<Program> parse_program(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "the program");
  if (!value) return value.error();
  // First of all: a newer schema may have other fields.
  if (const json::object* object = value->if_object())
    if (const json::value* schema = object->if_contains("schema");
        schema != nullptr && schema->is_int64() && *schema != json::value(kProgramSchema))
      return input_error(fmt::format("schema {}, this build reads {}", schema->get_int64(), kProgramSchema));
  const Expected<ProgramFile> file = read_known_fields<ProgramFile>(*value, "");
  if (!file) return file.error();
  if (const auto checked = check(file->options); !checked) return checked.error();
  std::set<std::string> names;
  Expected<std::vector<ProgramImage>> images = read_entries<ProgramImage>(file->images, "images", image_of, names);
  if (!images) return images.error();
  Expected<std::vector<ProgramBuffer>> buffers =
      read_entries<ProgramBuffer>(file->buffers, "buffers", buffer_of, names);
  if (!buffers) return buffers.error();
  std::uint64_t resources = 0;
  for (const ProgramImage& image : *images) resources += image.use.count;
  for (const ProgramBuffer& buffer : *buffers) resources += buffer.use.count;
  if (resources == 0) return input_error("expected images or buffers, found none");
  if (resources > kMostResources)
    return input_error(fmt::format("expected at most {} resources in all, found {}", kMostResources, resources));
  return Program{file->options, std::move(*images), std::move(*buffers)};
}

Expected<Program> load_program(const std::string& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  Expected<Program> program = parse_program(*text);
  if (!program) return in_context(fmt::format("reading '{}'", file), program.error());
  return program;
}

std::string sweep_text(const Program& program) {
  const auto names = [](const vulkan::EnumNames& type, std::uint32_t bits) {
    return json::array{to_json(flag_words(type, bits))};  // a list of one set
  };
  json::array images, buffers;
  for (const auto& [use, kind, size] : program.images)
    images.push_back({{"formats", {enum_name(vulkan::kVkFormat, kind.format)}},
                      {"type", enum_word(vulkan::kVkImageType, kind.type)},
                      {"tilings", {enum_word(vulkan::kVkImageTiling, kind.tiling)}},
                      {"usages", names(vulkan::kVkImageUsageFlagBits, kind.usage)},
                      {"flags", names(vulkan::kVkImageCreateFlagBits, kind.flags)},
                      {"mip_levels", {kind.mip_levels == kFullChain ? json::value("full") : kind.mip_levels}},
                      {"array_layers", {kind.array_layers}},
                      {"samples", {kind.samples}},
                      {"sizes", json::array{json::array{size.width, size.height, size.depth}}}});
  for (const auto& [use, kind, length] : program.buffers)
    buffers.push_back({{"usages", names(vulkan::kVkBufferUsageFlagBits, kind.usage)},
                       {"flags", names(vulkan::kVkBufferCreateFlagBits, kind.flags)},
                       {"lengths", {length}}});
  return serialize(json::object{{"schema", kSweepSchema}, {"images", images}, {"buffers", buffers}});
}

}  // namespace lab::probe
