/// Reads files that people wrote: articles and descriptions of families.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"

namespace lab::results {

/// What is in `folder` under names with the extension, sorted; nothing if there is no such folder.
inline std::vector<std::filesystem::path> sorted_files(const std::filesystem::path& folder,
                                                       std::string_view extension) {
  std::vector<std::filesystem::path> found;
  std::error_code missing;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder, missing))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

inline Error about_file(const std::filesystem::path& file, const Error& error) {
  return {fmt::format("reading '{}': {}", file.string(), error.what), "see harness/docs/formats.md",
          ExitStatus::kUsage};
}

/// The file as a T; an error names the file.
template <typename T>
Expected<T> load_described(const std::filesystem::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  const Expected<json::value> value = parse_json(*text, "the file");
  if (!value) return about_file(file, value.error());
  Expected<T> read = from_json<T>(*value);
  if (!read) return about_file(file, read.error());
  return read;
}

}  // namespace lab::results
