/// Converts Vulkan's enumerators to text and back. The tables are generated from the pinned header
/// (generate.cmake).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::vulkan {

struct EnumName {
  std::string_view name;
  std::int64_t value;
};

struct EnumNames {
  std::string_view prefix;  ///< common prefix of all its names: "VK_IMAGE_TILING_"
  std::span<const EnumName> names;
};

/// "VK_ERROR_DEVICE_LOST"; the number if the header does not define the value.
std::string enum_name(const EnumNames& type, std::int64_t value);

/// The name without the common prefix and suffix: "discrete gpu", "device local", "optimal".
std::string enum_word(const EnumNames& type, std::int64_t value);

/// One word per set bit, from the lowest.
std::vector<std::string> flag_words(const EnumNames& type, std::uint32_t flags);

/// The value of a name or of its short form.
std::optional<std::int64_t> enum_value(const EnumNames& type, std::string_view name_or_word);

}  // namespace lab::vulkan
