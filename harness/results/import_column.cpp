#include "harness/results/import_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/printable.h"

namespace lab::results {

namespace {

constexpr std::string_view kBlanks = " \t\r";
// The byte order marks with which Windows programs start files.
constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf", kUtf16Mark = "\xff\xfe", kUtf16OtherMark = "\xfe\xff";

// Splits at blanks; a line may end with the carriage return of another system.
std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) return found;
    const std::size_t end = std::min(line.find_first_of(kBlanks, start), line.size());
    found.push_back(line.substr(start, end - start));
    line.remove_prefix(end);
  }
}

// Rows of as many whole numbers as `expected` has words.
template <std::size_t width>
Expected<std::vector<std::array<std::uint64_t, width>>> read_rows(const std::filesystem::path& path,
                                                                  std::string_view expected) {
  const Expected<std::string> text = read_file(path);
  if (!text) return text.error();
  std::vector<std::array<std::uint64_t, width>> rows;
  std::string_view rest = *text;
  if (rest.starts_with(kUtf16Mark) || rest.starts_with(kUtf16OtherMark))
    return Error{fmt::format("'{}': expected ASCII or UTF-8, found UTF-16", path.string()),
                 "in PowerShell, Out-File -Encoding ascii writes ASCII", ExitStatus::kUsage};
  if (rest.starts_with(kUtf8Mark)) rest.remove_prefix(kUtf8Mark.size());
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::vector<std::string_view> found = words(line);
    if (found.empty() || found[0].starts_with('#')) continue;
    std::array<std::uint64_t, width> row{};
    bool good = found.size() == width;
    for (std::size_t i = 0; good && i < width; ++i) {
      const char* const stop = found[i].data() + found[i].size();
      const auto [next, error] = std::from_chars(found[i].data(), stop, row[i]);
      good = error == std::errc{} && next == stop;
    }
    // The last two numbers are size and alignment: 0 if the driver refused.
    good = good && std::find(row.begin(), row.end() - 2, 0u) == row.end() - 2;
    if (!good)
      return Error{fmt::format("'{}' line {}: expected whole numbers {}, found '{}'", path.string(), number, expected,
                               printable(std::string(line.substr(0, 60)))),
                   "", ExitStatus::kUsage};
    rows.push_back(row);
  }
  return rows;
}

// As a column's name: without dots at the start, which would hide its folder.
std::string identifier(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    name += upper ? static_cast<char>(c - 'A' + 'a') : kept ? c : '-';
  }
  name.erase(0, name.find_first_not_of('.'));
  return name;
}

}  // namespace

Expected<DriverColumn> import_column(const std::filesystem::path& folder) {
  const std::filesystem::path images = folder / "image-sizes.txt", buffers = folder / "buffer-sizes.txt";
  std::error_code error;
  const bool has_images = std::filesystem::exists(images, error), has_buffers = std::filesystem::exists(buffers, error);
  if (!has_images && !has_buffers)
    return Error{fmt::format("'{}': expected image-sizes.txt or buffer-sizes.txt, found neither", folder.string()),
                 "python3 make.py probe --format io7m writes them", ExitStatus::kUsage};
  DriverColumn column;
  column.imported = true;
  const std::string name = identifier(std::filesystem::weakly_canonical(folder, error).filename().string());
  column.name = name.ends_with(kImportedSuffix) ? name : name + kImportedSuffix;
  column.driver.short_name = name.substr(0, name.find('-'));
  column.driver.device_name = name;
  if (has_images) {
    const auto rows = read_rows<4>(images, "'Width Height Size Alignment' of a size above 0");
    if (!rows) return rows.error();
    for (const auto& r : *rows) column.images.push_back({r[0], r[1], r[2], r[3], 0});
  }
  if (has_buffers) {
    const auto rows = read_rows<3>(buffers, "'Length Size Alignment' of a length above 0");
    if (!rows) return rows.error();
    for (const auto& r : *rows) column.buffers.push_back({r[0], r[1], r[2]});
  }
  if (column.images.empty() && column.buffers.empty())
    return Error{fmt::format("'{}': expected rows of images or buffers, found none", folder.string()), "",
                 ExitStatus::kUsage};
  return column;
}

}  // namespace lab::results
