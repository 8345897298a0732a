/// What the probe's input files (sweeps and programs) have in common: no field may be misspelt, and values have
/// Vulkan's names.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/json_fields.h"
#include "harness/base/nearest.h"
#include "harness/vulkan/names.h"

namespace lab::probe {

/// A usage error; `nearest` is the name that was perhaps meant, or "".
Error input_error(std::string what, const std::string& nearest = "");

/// Reads a struct from JSON, and refuses unknown fields: a misspelt optional field would silently keep its default.
template <typename T>
Expected<T> read_known_fields(const json::value& value, std::string_view where) {
  std::vector<std::string> known;
  const json::value all = to_json(T{});
  for (const auto& field : all.get_object()) known.emplace_back(field.key());
  if (value.is_object())
    for (const auto& field : value.get_object())
      if (std::ranges::find(known, std::string(field.key())) == known.end())
        return input_error(
            fmt::format("{}: unknown field '{}'", where.empty() ? "the document" : where, std::string(field.key())),
            nearest_name(field.key(), known));
  return from_json<T>(value, where);
}

/// The value of a name or of its short form.
Expected<std::int64_t> value_of(const vulkan::EnumNames& type, std::string_view text, std::string_view where);

/// The union of such values.
Expected<std::uint32_t> bits_of(const vulkan::EnumNames& type, const std::vector<std::string>& names,
                                std::string_view where);

}  // namespace lab::probe
