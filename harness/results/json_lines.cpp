#include "harness/results/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/base/files.h"

namespace lab::results {

namespace {

namespace fs = std::filesystem;

Expected<std::string> text_of(const fs::path& file) {
  std::error_code missing;
  if (!fs::exists(file, missing)) return std::string();
  return read_file(file);
}

}  // namespace

Expected<void> for_each_json_line(const fs::path& file,
                                  const std::function<Expected<void>(const json::value&, const std::string&)>& read) {
  const Expected<std::string> all = text_of(file);
  if (!all) return all.error();
  std::string_view text = *all;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.empty()) continue;
    const std::string where = fmt::format("'{}', line {}", file.string(), number);
    const Expected<json::value> value = parse_printable_json(line, where);
    if (!value) return value.error();
    if (const Expected<void> done = read(*value, where); !done) return done.error();
  }
  return {};
}

Expected<void> add_lines(const fs::path& file, std::string_view lines) {
  Expected<std::string> text = text_of(file);
  if (!text) return text.error();
  if (!text->empty() && text->back() != '\n') *text += '\n';
  *text += lines;
  return write_file(file, *text);
}

}  // namespace lab::results
