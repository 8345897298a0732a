#include "harness/report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace lab::report {

namespace {

std::string thousands_apart(std::string_view text) {
  const std::size_t whole_part = std::min(text.find('.'), text.size());
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool inside = at > 0 && at < whole_part && text[at - 1] != '-';
    if (inside && (whole_part - at) % 3 == 0) out += ',';
    out += text[at];
  }
  return out;
}

}  // namespace

std::string number(double value) {
  const double size = std::abs(value);
  const int decimals = size == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return thousands_apart(fmt::format("{:.{}f}", value, decimals));
}

std::string whole(std::uint64_t value) {
  return thousands_apart(std::to_string(value));
}

std::string ratio(double value) {
  return number(value);
}

std::string range(const std::string& low, const std::string& high) {
  return fmt::format("{} to {}", low, high);
}

std::string bytes(std::uint64_t value) {
  static constexpr std::array kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (value != 0 && value % 1024 == 0 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", whole(value), kUnits[unit]);
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", whole(count), count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace lab::report
