#include "harness/vulkan/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace lab::vulkan {

namespace {

std::string word(const EnumNames& type, std::string_view name) {
  if (name.starts_with(type.prefix)) name.remove_prefix(type.prefix.size());
  if (name.ends_with("_BIT")) name.remove_suffix(4);
  std::string text(name);
  for (char& c : text) c = c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

const EnumName* find(const EnumNames& type, std::int64_t value) {
  const auto found = std::ranges::find(type.names, value, &EnumName::value);
  return found == type.names.end() ? nullptr : &*found;
}

}  // namespace

std::string enum_name(const EnumNames& type, std::int64_t value) {
  const EnumName* found = find(type, value);
  return found ? std::string(found->name) : fmt::format("{}{}", type.prefix, value);
}

std::string enum_word(const EnumNames& type, std::int64_t value) {
  const EnumName* found = find(type, value);
  return found ? word(type, found->name) : fmt::format("{}", value);
}

std::vector<std::string> flag_words(const EnumNames& type, std::uint32_t flags) {
  std::vector<std::string> words;
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1)
    if (flags & bit) words.push_back(enum_word(type, bit));
  return words;
}

std::optional<std::int64_t> enum_value(const EnumNames& type, std::string_view name_or_word) {
  for (const EnumName& entry : type.names)
    if (entry.name == name_or_word || word(type, entry.name) == name_or_word) return entry.value;
  return std::nullopt;
}

}  // namespace lab::vulkan
