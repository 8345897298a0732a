#include "harness/probe/input_fields.h"

#include <utility>

namespace lab::probe {

Error input_error(std::string what, const std::string& nearest) {
  return Error{std::move(what), nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest), ExitStatus::kUsage};
}

Expected<std::int64_t> value_of(const vulkan::EnumNames& type, std::string_view text, std::string_view where) {
  if (const auto found = enum_value(type, text)) return *found;
  // Tables of answers have the names without this.
  const std::string with_prefix = fmt::format("{}{}", type.prefix, text);
  std::vector<std::string> names;
  for (const vulkan::EnumName& entry : type.names) {
    names.push_back(enum_word(type, entry.value));
    names.emplace_back(entry.name);
  }
  return input_error(fmt::format("{}: expected one of {}..., found \"{}\"", where, type.names.front().name, text),
                     enum_value(type, with_prefix) ? with_prefix : nearest_name(text, names));
}

Expected<std::uint32_t> bits_of(const vulkan::EnumNames& type, const std::vector<std::string>& names,
                                std::string_view where) {
  std::uint32_t bits = 0;
  for (const std::string& name : names) {
    const Expected<std::int64_t> bit = value_of(type, name, where);
    if (!bit) return bit.error();
    bits |= static_cast<std::uint32_t>(*bit);
  }
  return bits;
}

}  // namespace lab::probe
