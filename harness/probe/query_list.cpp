#include "harness/probe/query_list.h"

#include <fmt/format.h>

#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

std::string flags(const vulkan::EnumNames& type, std::uint32_t bits) {
  return fmt::format("{}", fmt::join(flag_words(type, bits), "+"));
}

// "R8G8B8A8_UNORM": the field's usual spelling, unlike the lower-case words of other enumerators.
std::string format_name(std::int32_t format) {
  std::string name = enum_name(vulkan::kVkFormat, format);
  if (name.starts_with(vulkan::kVkFormat.prefix)) name.erase(0, vulkan::kVkFormat.prefix.size());
  return name;
}

}  // namespace

QueryList query_list(std::span<const Sweep> sweeps) {
  QueryList list;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    for (const ImageBlock& block : sweeps[i].images)
      for (const ImageKind& kind : block.kinds) {
        list.images.push_back({i, list.count, kind, block.sizes});
        list.count += block.sizes.size();
      }
    for (const BufferBlock& block : sweeps[i].buffers)
      for (const BufferKind& kind : block.kinds) {
        list.buffers.push_back({i, list.count, kind, block.lengths});
        list.count += block.lengths.size();
      }
  }
  return list;
}

std::string describe(const QueryList& list, std::size_t query) {
  for (const ImageRun& run : list.images)
    if (query >= run.first && query - run.first < run.sizes.size()) {
      const Extent& size = run.sizes[query - run.first];
      return results::describe(in_words(run.kind), size.width, size.height, size.depth);
    }
  for (const BufferRun& run : list.buffers)
    if (query >= run.first && query - run.first < run.lengths.size())
      return results::describe(in_words(run.kind), run.lengths[query - run.first]);
  return "";
}

results::ImageKind in_words(const ImageKind& kind) {
  return {.format = format_name(kind.format),
          .type = enum_word(vulkan::kVkImageType, kind.type),
          .tiling = enum_word(vulkan::kVkImageTiling, kind.tiling),
          .usage = flags(vulkan::kVkImageUsageFlagBits, kind.usage),
          .flags = flags(vulkan::kVkImageCreateFlagBits, kind.flags),
          .mip_levels = kind.mip_levels,
          .array_layers = kind.array_layers,
          .samples = kind.samples};
}

results::BufferKind in_words(const BufferKind& kind) {
  return {flags(vulkan::kVkBufferUsageFlagBits, kind.usage), flags(vulkan::kVkBufferCreateFlagBits, kind.flags)};
}

}  // namespace lab::probe
