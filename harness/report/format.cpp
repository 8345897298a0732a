#include "harness/report/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lab::report {

namespace {

std::string thousands_apart(std::string text) {
  const std::size_t whole_part = std::min(text.find('.'), text.size());
  for (std::size_t at = whole_part; at > 3 && text[at - 4] != '-'; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace

std::string number(double value) {
  const double size = std::abs(value);
  const int decimals = size == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return thousands_apart(fmt::format("{:.{}f}", value, decimals));
}

std::string whole(std::uint64_t value) { return thousands_apart(std::to_string(value)); }

std::string ratio(double value) { return number(value); }

std::string range(const std::string& low, const std::string& high) { return fmt::format("{} to {}", low, high); }

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

}  // namespace lab::report
