/// Reads the CSV tables of a driver column: a known header, then lines of unquoted fields. Every line ends with a line
/// break, so that a truncated file is noticed.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"

namespace lab::results {

/// A line's fields, from left to right. The first that is not as expected is the error.
class CsvLine {
 public:
  explicit CsvLine(std::string_view text) : rest_(text) {}

  std::string_view field() {
    if (ended_) refuse("more fields");
    const std::size_t end = rest_.find(',');
    const std::string_view found = rest_.substr(0, end);
    ended_ = end == std::string_view::npos;
    rest_.remove_prefix(ended_ ? rest_.size() : end + 1);
    return found;
  }

  /// A whole number of 32 or 64 bits.
  template <typename T>
  T number() {
    const std::string_view text = field();
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range)
      refuse(sizeof(T) == 4 ? "a number of 32 bits" : "a number of 64 bits");
    else if (error != std::errc{} || end != text.data() + text.size())
      refuse("a whole number");
    return value;
  }

  void refuse(std::string_view expected) {
    if (!expected_) expected_ = expected;
  }

  /// What was expected instead; none if the line was read to its end.
  std::optional<std::string_view> problem() {
    if (!ended_) refuse("fewer fields");
    return expected_;
  }

 private:
  std::string_view rest_;
  bool ended_ = false;
  std::optional<std::string_view> expected_;
};

/// An error about the files of an atlas.
inline Error unreadable_atlas(std::string what) {
  return Error{std::move(what), "python3 make.py probe writes a new atlas", ExitStatus::kUsage};
}

/// Calls `read_row` with the CsvLine of each line below the header. An error names `name`, the line and the expected
/// content.
template <typename ReadRow>
Expected<void> read_csv(std::string_view text, std::string_view name, std::string_view header,
                        const ReadRow& read_row) {
  const auto bad = [&](std::size_t line, std::string_view expected, std::string_view found) {
    return unreadable_atlas(
        fmt::format("'{}' line {}: expected {}, found '{}'", name, line, expected, found.substr(0, 60)));
  };
  for (std::size_t number = 1; !text.empty() || number == 1; ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view content = text.substr(0, end);
    if (number == 1 && content != header) return bad(1, fmt::format("'{}'", header), content);
    if (end == std::string_view::npos) return bad(number, "a complete line", content);
    text.remove_prefix(end + 1);
    if (number == 1) continue;
    CsvLine line(content);
    read_row(line);
    if (const auto expected = line.problem()) return bad(number, *expected, content);
  }
  return {};
}

}  // namespace lab::results
