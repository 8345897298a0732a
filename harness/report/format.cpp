#include "harness/report/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace lab::report {

namespace {

struct TimeUnit {
  double ns;
  const char* name;
};

/// The largest unit of which it is at least one; below a nanosecond, still nanoseconds.
TimeUnit unit_of(double ns) {
  static constexpr std::array kUnits{TimeUnit{1e9, "s"}, TimeUnit{1e6, "ms"}, TimeUnit{1e3, "µs"}};
  for (const TimeUnit& unit : kUnits)
    if (std::abs(ns) >= 0.9995 * unit.ns) return unit;
  return {1, "ns"};
}

/// Where a logarithmic axis has its middle. Without a positive end, the other end.
double middle(double low, double high) {
  return low > 0 ? std::sqrt(low) * std::sqrt(high) : high;
}

}  // namespace

AxisUnit time_axis(double low, double high) {
  const TimeUnit unit = unit_of(middle(low, high));
  return {unit.ns, unit.name};
}

AxisUnit byte_axis(double low, double high) {
  static constexpr std::array kUnits{"bytes", "kB", "MB", "GB"};
  double size = 1;
  std::size_t unit = 0;
  for (const double value = middle(low, high); value >= 1000 * size && unit + 1 < kUnits.size(); ++unit) size *= 1000;
  return {size, kUnits[unit]};
}

std::optional<std::string> after_ns(const std::string& unit) {
  if (unit != "ns" && !unit.starts_with("ns ")) return std::nullopt;
  return unit.substr(2);
}

std::string number(double value) {
  const double size = std::abs(value);
  const int decimals = size == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return thousands(fmt::format("{:.{}f}", value, decimals));
}

std::string duration(double ns) {
  const TimeUnit unit = unit_of(ns);
  return fmt::format("{} {}", number(ns / unit.ns), unit.name);
}

std::string duration_with_interval(const stats::Estimate& ns) {
  const TimeUnit unit = unit_of(ns.median);
  std::string text = duration(ns.median);
  if (ns.interval)
    text += fmt::format(" ({})", range(number(ns.interval->low / unit.ns), number(ns.interval->high / unit.ns)));
  return text;
}

std::string plain(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (value == std::trunc(value)) return thousands(fmt::format("{:.0f}", value));
  return thousands(significant(value, 4));
}

std::string range(const std::string& low, const std::string& high) {
  return fmt::format("{} to {}", low, high);
}

std::string interval_of(const std::optional<stats::Estimate>& estimate) {
  if (!estimate || !estimate->interval) return "none";
  return range(number(estimate->interval->low), number(estimate->interval->high));
}

std::string with_interval(const stats::Estimate& estimate) {
  return estimate.interval ? fmt::format("{} ({})", number(estimate.median), interval_of(estimate))
                           : number(estimate.median);
}

std::string enumerated(const std::vector<std::string>& texts) {
  if (texts.size() < 2) return texts.empty() ? "" : texts.front();
  return fmt::format("{} and {}", fmt::join(texts.begin(), texts.end() - 1, ", "), texts.back());
}

std::string uncapitalized(std::string text) {
  const auto is_capital = [&](std::size_t at) { return at < text.size() && text[at] >= 'A' && text[at] <= 'Z'; };
  if (is_capital(0) && !is_capital(1)) text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
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

std::string layout_text(const judge::LayoutShare& layout) {
  const std::string sigma = significant(100 * layout.sigma, 2);
  return layout.measured ? fmt::format("{} % ({:.0f} %)", sigma, 100 * layout.share)
                         : fmt::format("{} % assumed", sigma);
}

}  // namespace lab::report
