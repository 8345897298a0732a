/// Text output: numbers, counts, and wrapped lines and tables that fit a width. Widths are in columns; colour escape
/// sequences have width 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// A decimal number with commas: "1,234.5", "67,108,864".
std::string thousands(std::string_view number);
std::string whole(std::uint64_t value);

/// A value to so many significant digits, and never with an exponent: "150", "0.00012". Zeros at the end of a fraction
/// are left out; before the point all digits are kept.
std::string significant(double value, int digits);

/// CPU seconds per second: "8 % of a CPU" up to one CPU, "1.64 CPUs" above.
std::string cpus_text(double share);

/// "blocks", "accesses".
std::string plural(std::string_view one);

/// "1 block", "1,200 blocks". `many` if it is not plural(one).
std::string counted(std::size_t count, std::string_view one, std::string_view many = "");

/// "a, b, c, 2 more": the first `most` names, and how many others there are.
std::string first_names(std::vector<std::string> names, std::size_t most = 3);

/// Capitalizes the first letter.
std::string capitalized(std::string text);

/// Columns of `text`: one per UTF-8 character, none for escape sequences.
std::size_t text_width(std::string_view text);

/// `text` in lines of at most `width` columns (0: no limit). Breaks at spaces, then after a '/'; a longer word is cut.
/// Keeps the line ends of `text` and every character.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The same as one string: lines after the first are indented by `indent` spaces, and every line fits `width`.
std::string wrapped_after(std::string_view text, std::size_t width, std::size_t indent);

struct Column {
  std::string heading;
  bool right = false;  ///< numbers
  bool wraps = false;  ///< names and prose: wrapped if the table is too wide
};

/// Aligned columns, two spaces apart, with a line of headings unless all are "". A row of one cell spans the table. If
/// the table is wider than `width` (0: no limit), cells of columns that wrap continue on further lines, the widest
/// column first.
std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::size_t width);

}  // namespace lab
