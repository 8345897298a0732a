/// Vulkan's enumerators as text and back. Their tables are generated from the pinned header (vulkan_names.cmake).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::probe {

struct EnumName {
  std::string_view name;
  std::int64_t value;
};

struct Enum {
  std::string_view prefix;  ///< what all its names begin with: "VK_IMAGE_TILING_"
  std::span<const EnumName> names;
};

/// "VK_ERROR_DEVICE_LOST"; a value that the header does not know as its number.
std::string enum_name(const Enum& type, std::int64_t value);

/// The name without what all of its kind share: "discrete gpu", "device local", "optimal".
std::string enum_word(const Enum& type, std::int64_t value);

/// One word for every set bit, from the lowest.
std::vector<std::string> flag_words(const Enum& type, std::uint32_t flags);

/// The value of a name or of a word.
std::optional<std::int64_t> enum_value(const Enum& type, std::string_view name_or_word);

}  // namespace lab::probe
