#include "harness/base/json_fields.h"

#include <algorithm>

namespace lab {

namespace {

Error refused(std::string_view name, std::string_view what) {
  return {fmt::format("{}: {}", name, what), "", ExitStatus::kUsage};
}

}  // namespace

Expected<json::value> parse_json(std::string_view text, std::string_view name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return refused(name, "empty");
  json::stream_parser parser;
  boost::system::error_code problem;
  const std::size_t used = parser.write_some(text.data(), text.size(), problem);
  if (!problem && parser.done() && text.find_first_not_of(" \t\r\n", used) == std::string_view::npos)
    return parser.release();
  if (!problem && !parser.done())
    return refused(name, fmt::format("truncated: the JSON does not end within {} bytes", text.size()));
  const std::string_view found = text.substr(std::min(used, text.size()), 12);
  return refused(name, fmt::format("not JSON: byte {}: {} before '{}'", used,
                                   problem ? problem.message() : "extra data", found.substr(0, found.find('\n'))));
}

}  // namespace lab
