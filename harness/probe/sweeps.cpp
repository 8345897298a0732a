#include "harness/probe/sweeps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/base/nearest.h"
#include "harness/probe/input_fields.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

// The file, before its values are checked.
struct SweepFile {
  int schema = 0;
  std::vector<json::object> images, buffers;
};

void fields(auto& f, SweepFile& file) {
  f("schema", file.schema);
  if (file.schema != kSweepSchema) return;  // it may have other fields
  f.added("images", file.images);
  f.added("buffers", file.buffers);
}

using Names = std::vector<std::string>;

struct ImagesFile {
  std::vector<std::string> formats, tilings;
  std::string type = "2d";
  std::vector<Names> usages, flags{{}};
  json::array mip_levels{1};
  std::vector<std::uint32_t> array_layers{1}, samples{1}, widths, heights;
  std::vector<std::vector<std::uint32_t>> sizes;
};

void fields(auto& f, ImagesFile& i) {
  f("formats", i.formats);
  f.added("type", i.type);
  f("tilings", i.tilings);
  f("usages", i.usages);
  f.added("flags", i.flags);
  f.added("mip_levels", i.mip_levels);
  f.added("array_layers", i.array_layers);
  f.added("samples", i.samples);
  f.added("widths", i.widths);
  f.added("heights", i.heights);
  f.added("sizes", i.sizes);
}

struct BuffersFile {
  std::vector<Names> usages, flags{{}};
  std::vector<std::uint64_t> lengths;
};

void fields(auto& f, BuffersFile& b) {
  f("usages", b.usages);
  f.added("flags", b.flags);
  f("lengths", b.lengths);
}

// Collects the first error of a block, so that its axes read as a list.
class BlockReader {
 public:
  explicit BlockReader(std::string where) : where_(std::move(where)) {}

  const std::optional<Error>& error() const { return error_; }

  void refuse(std::string_view field, std::string_view why) {
    if (!error_) error_ = input_error(fmt::format("{}.{}: {}", where_, field, why));
  }
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  template <typename T>
  bool expect_some(std::string_view field, const std::vector<T>& list) {
    if (list.empty()) refuse(field, "expected a list, found []");
    return !list.empty();
  }

  template <typename T>
  void expect_above_zero(std::string_view field, const std::vector<T>& numbers) {
    if (expect_some(field, numbers) && std::ranges::count(numbers, T{0}) > 0)
      refuse(field, "expected numbers above 0, found 0");
  }

  std::int32_t value(const vulkan::EnumNames& type, std::string_view field, const std::string& name) {
    const Expected<std::int64_t> found = value_of(type, name, fmt::format("{}.{}", where_, field));
    if (!found) fail(found.error());
    return found ? static_cast<std::int32_t>(*found) : 0;
  }

  std::vector<std::int32_t> values(const vulkan::EnumNames& type, std::string_view field,
                                   const std::vector<std::string>& names) {
    expect_some(field, names);
    std::vector<std::int32_t> found;
    for (const std::string& name : names) found.push_back(value(type, field, name));
    return found;
  }

  // Each element of the list is a set of flags.
  std::vector<std::uint32_t> sets(const vulkan::EnumNames& type, std::string_view field,
                                  const std::vector<Names>& lists, bool may_be_empty) {
    expect_some(field, lists);
    std::vector<std::uint32_t> found;
    for (const Names& names : lists) {
      if (names.empty() && !may_be_empty) refuse(field, "expected a list of usages in each element, found []");
      const Expected<std::uint32_t> bits = bits_of(type, names, fmt::format("{}.{}", where_, field));
      if (!bits) fail(bits.error());
      found.push_back(bits ? *bits : 0);
    }
    return found;
  }

 private:
  std::string where_;
  std::optional<Error> error_;
};

std::vector<std::uint32_t> mip_levels(const json::array& levels, BlockReader& reader) {
  std::vector<std::uint32_t> found;
  for (const json::value& level : levels) {
    if (const auto number = mip_levels_of(level))
      found.push_back(*number);
    else
      reader.refuse("mip_levels", fmt::format("expected whole numbers from 1 to {} or \"full\", found {}",
                                              kMostMipLevels, serialize(level)));
  }
  reader.expect_some("mip_levels", found);
  return found;
}

std::vector<Extent> sizes_of(const ImagesFile& file, BlockReader& reader) {
  std::vector<Extent> sizes;
  if (!file.sizes.empty() && !(file.widths.empty() && file.heights.empty()))
    reader.refuse("sizes", "expected widths and heights or sizes, found both");
  for (const std::vector<std::uint32_t>& size : file.sizes) {
    if (size.size() < 2 || size.size() > 3 || std::ranges::count(size, 0u) > 0) {
      reader.refuse("sizes", fmt::format("expected [width, height] or [width, height, depth] above 0, found [{}]",
                                         fmt::join(size, ", ")));
      break;
    }
    sizes.push_back({size[0], size[1], size.size() == 3 ? size[2] : 1});
  }
  if (!file.sizes.empty()) return sizes;
  reader.expect_above_zero("widths", file.widths);
  reader.expect_above_zero("heights", file.heights);
  if (file.widths.size() * file.heights.size() > kMostQueries) return sizes;  // too_many() reports it
  for (const std::uint32_t width : file.widths)
    for (const std::uint32_t height : file.heights) sizes.push_back({width, height, 1});
  return sizes;
}

Expected<ImageBlock> image_block(const json::object& object, const std::string& where) {
  const Expected<ImagesFile> file = read_known_fields<ImagesFile>(object, where);
  if (!file) return file.error();
  BlockReader reader(where);
  ImageBlock block;
  const auto formats = reader.values(vulkan::kVkFormat, "formats", file->formats);
  const std::int32_t type = reader.value(vulkan::kVkImageType, "type", file->type);
  const auto tilings = reader.values(vulkan::kVkImageTiling, "tilings", file->tilings);
  const auto usages = reader.sets(vulkan::kVkImageUsageFlagBits, "usages", file->usages, false);
  const auto flags = reader.sets(vulkan::kVkImageCreateFlagBits, "flags", file->flags, true);
  const auto levels = mip_levels(file->mip_levels, reader);
  reader.expect_above_zero("array_layers", file->array_layers);
  reader.expect_some("samples", file->samples);
  for (const std::uint32_t samples : file->samples)
    if (samples > 64 || !std::has_single_bit(samples))
      reader.refuse("samples", fmt::format("expected powers of two up to 64, found {}", samples));
  block.sizes = sizes_of(*file, reader);
  if (reader.error()) return *reader.error();
  for (const std::int32_t format : formats)
    for (const std::int32_t tiling : tilings)
      for (const std::uint32_t usage : usages)
        for (const std::uint32_t flag : flags)
          for (const std::uint32_t level : levels)
            for (const std::uint32_t layers : file->array_layers)
              for (const std::uint32_t samples : file->samples)
                block.kinds.push_back({format, type, tiling, usage, flag, level, layers, samples});
  return block;
}

Expected<BufferBlock> buffer_block(const json::object& object, const std::string& where) {
  const Expected<BuffersFile> file = read_known_fields<BuffersFile>(object, where);
  if (!file) return file.error();
  BlockReader reader(where);
  BufferBlock block;
  const auto usages = reader.sets(vulkan::kVkBufferUsageFlagBits, "usages", file->usages, false);
  const auto flags = reader.sets(vulkan::kVkBufferCreateFlagBits, "flags", file->flags, true);
  reader.expect_above_zero("lengths", file->lengths);
  if (reader.error()) return *reader.error();
  block.lengths = file->lengths;
  for (const std::uint32_t usage : usages)
    for (const std::uint32_t flag : flags) block.kinds.push_back({usage, flag});
  return block;
}

template <typename Block, typename Read>
Expected<std::vector<Block>> read_blocks(const std::vector<json::object>& objects, std::string_view field, Read read) {
  std::vector<Block> blocks;
  for (const json::object& object : objects) {
    Expected<Block> block = read(object, fmt::format("{}[{}]", field, blocks.size()));
    if (!block) return block.error();
    blocks.push_back(std::move(*block));
  }
  return blocks;
}

// Whether the products of the files' lists stay below kMostQueries, found without forming them.
template <typename Counts>
bool too_many(const std::vector<json::object>& objects, const Counts& counts) {
  double all = 0;
  for (const json::object& object : objects) {
    double product = 1;
    for (const auto& [field, otherwise] : counts) {
      const json::value* list = object.if_contains(field);
      product *= list != nullptr && list->is_array() ? static_cast<double>(list->get_array().size()) : otherwise;
    }
    all += product;
  }
  return all > static_cast<double>(kMostQueries);
}

}  // namespace

std::size_t Sweep::image_count() const {
  std::size_t count = 0;
  for (const ImageBlock& block : images) count += block.kinds.size() * block.sizes.size();
  return count;
}

std::size_t Sweep::buffer_count() const {
  std::size_t count = 0;
  for (const BufferBlock& block : buffers) count += block.kinds.size() * block.lengths.size();
  return count;
}

Expected<Sweep> parse_sweep(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "sweep");
  if (!value) return value.error();
  const Expected<SweepFile> file = from_json<SweepFile>(*value);
  if (!file) return file.error();
  if (file->schema != kSweepSchema)
    return input_error(fmt::format("schema {}, this build reads {}", file->schema, kSweepSchema));
  for (const auto& field : value->get_object())
    if (field.key() != "schema" && field.key() != "images" && field.key() != "buffers")
      return input_error(fmt::format("sweep: unknown field '{}'", std::string(field.key())),
                         nearest_name(field.key(), std::vector<std::string>{"images", "buffers"}));
  using Counts = std::vector<std::pair<const char*, double>>;
  if (too_many(file->images, Counts{{"formats", 1},
                                    {"tilings", 1},
                                    {"usages", 1},
                                    {"flags", 1},
                                    {"mip_levels", 1},
                                    {"array_layers", 1},
                                    {"samples", 1},
                                    {"widths", 1},
                                    {"heights", 1},
                                    {"sizes", 1}}) ||
      too_many(file->buffers, Counts{{"usages", 1}, {"flags", 1}, {"lengths", 1}}))
    return input_error(fmt::format("expected at most {} combinations, found more", kMostQueries));
  Expected<std::vector<ImageBlock>> images = read_blocks<ImageBlock>(file->images, "images", image_block);
  if (!images) return images.error();
  Expected<std::vector<BufferBlock>> buffers = read_blocks<BufferBlock>(file->buffers, "buffers", buffer_block);
  if (!buffers) return buffers.error();
  Sweep sweep{std::move(*images), std::move(*buffers)};
  if (sweep.image_count() + sweep.buffer_count() == 0)
    return input_error("sweep: expected a block of images or buffers, found none");
  return sweep;
}

Expected<Sweep> load_sweep(const std::string& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  Expected<Sweep> sweep = parse_sweep(*text);
  if (!sweep) return in_context(fmt::format("reading '{}'", file), sweep.error());
  return sweep;
}

std::optional<std::uint32_t> mip_levels_of(const json::value& value) {
  if (value == json::value("full")) return kFullChain;
  const auto number = from_json<std::uint32_t>(value);
  return number && *number >= 1 && *number <= kMostMipLevels ? std::optional(*number) : std::nullopt;
}

std::uint32_t full_chain(const Extent& size) {
  return static_cast<std::uint32_t>(std::bit_width(std::max({size.width, size.height, size.depth})));
}

}  // namespace lab::probe
