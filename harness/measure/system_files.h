/// Reads small files of /proc, /sys and /etc leniently: missing ones are empty.
#pragma once

#include <boost/lexical_cast/try_lexical_convert.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::measure {

std::string read_trimmed(const std::filesystem::path& path);

template <typename Number>
std::optional<Number> read_number(const std::string& text) {
  Number number{};
  if (!boost::conversion::try_lexical_convert(text, number)) return std::nullopt;
  return number;
}

/// Entries of a folder whose names begin with `prefix`, sorted.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder, std::string_view prefix);

/// The lines of a file, or its words.
std::vector<std::string> read_lines(const std::filesystem::path& path);
std::vector<std::string> words_of(const std::string& text);

}  // namespace lab::measure
