/// Numbers formatted for reading.
#pragma once

#include <cstdint>
#include <string>

namespace lab::report {

/// Three significant digits, but never fewer than the integer part has; thousands separated: "4.27", "13.9", "112",
/// "8,639".
std::string number(double value);

/// "67,108,864"
std::string whole(std::uint64_t value);

/// A ratio: "1.46", "0.254", "12.3".
std::string ratio(double value);

/// "1.41 to 1.52"
std::string range(const std::string& low, const std::string& high);

/// In the largest binary unit that gives a whole number: "64 KiB", "8216 B".
std::string bytes(std::uint64_t value);

/// "1 block", "2 blocks"
std::string counted(std::uint64_t count, const std::string& one, const std::string& many = "");

/// Capitalizes the first letter.
std::string sentence(std::string text);

}  // namespace lab::report
