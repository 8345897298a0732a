/// Reads a struct from a JSON file.
#pragma once

#include <filesystem>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"

namespace lab {

/// The struct in `path`, or an error that names the file.
template <typename T>
Expected<T> read_json_file(const std::filesystem::path& path) {
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  const Expected<json::value> value = parse_json(*text, path.string());
  if (!value) return value.error();
  return from_json<T>(*value, path.string());
}

}  // namespace lab
