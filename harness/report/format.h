/// Numbers formatted for reading.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/fit.h"
#include "harness/judge/summary.h"
#include "harness/stats/interval.h"

namespace lab::report {

/// A time or a ratio: three significant digits, but never fewer than the integer part has: "0.254", "4.27", "13.9",
/// "8,639".
std::string number(double value);

/// A time in the unit that people read: "23.1 ns", "4.03 ms", "1.20 s".
std::string duration(double ns);
/// "23.1 ns (22.9 to 24.4)", in the unit of the median; only the median without an interval.
std::string duration_with_interval(const stats::Estimate& ns);

/// The unit of an axis: every label of an axis has the same.
struct AxisUnit {
  double size = 1;  ///< in units of the data
  std::string name;
};
/// For times in ns and for bytes: the unit of the (geometric) middle of the range. Bytes have decimal units, because
/// the ticks of an axis are decimal.
AxisUnit time_axis(double low, double high);
AxisUnit byte_axis(double low, double high);

/// "ns per pair" as a unit of times: " per pair". None for any other unit.
std::optional<std::string> after_ns(const std::string& unit);

/// A value as a formula gives it: whole numbers with all digits, others with four significant ones, never with an
/// exponent: "524,288", "0.0009766".
std::string plain(double value);

/// "1.41 to 1.52"
std::string range(const std::string& low, const std::string& high);
/// The interval as such a range; "none" without an interval.
std::string interval_of(const std::optional<stats::Estimate>& estimate);
/// "1.46 (1.41 to 1.52)"; only the median without an interval.
std::string with_interval(const stats::Estimate& estimate);

/// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& texts);

/// Lowers the first letter, but not that of "RMS error".
std::string uncapitalized(std::string text);

/// In the largest binary unit that gives a whole number: "64 KiB", "8216 B".
std::string bytes(std::uint64_t value);

/// "0.81 % (40 %)": the difference between links, and its share of the noise. "1 % assumed" where the processes do not
/// show that links differ.
std::string layout_text(const judge::LayoutShare& layout);

/// What layout_text means, as the end of a table's caption.
inline constexpr const char* kLayoutMeaning =
    "what layouts of one build differ by (standard deviation), and its share of the variance between processes; "
    "assumed where the processes do not show that layouts differ";

}  // namespace lab::report
