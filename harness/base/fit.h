/// Text for people: counts, and wrapped lines and tables that fit a width. Widths are in columns; escape sequences of
/// colour have none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

/// "1 block", "2 blocks"; `many` where that is not `one` with an s.
std::string counted(std::size_t count, std::string_view one, std::string_view many = "");

/// Columns that `text` takes: characters of UTF-8, each one wide, without escape sequences.
std::size_t text_width(std::string_view text);

/// `text` in lines of at most `width` columns (0: any), broken at spaces, then after a '/'; a longer word is cut in
/// two. Its own line ends stay. Nothing is left out.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The same as one text: lines after the first begin with `indent` spaces, and all of it fits `width`.
std::string wrapped_after(std::string_view text, std::size_t width, std::size_t indent);

struct Column {
  std::string heading;
  bool right = false;  ///< numbers
  bool wraps = false;  ///< names and prose: gives way where the table is too wide
};

/// Aligned columns, two spaces apart, with a line of headings unless all are "". A row of one cell spans the table.
/// Where that is wider than `width` (0: any), cells of columns that wrap go on in further lines, the widest column
/// first.
std::string table_text(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::size_t width);

}  // namespace lab
