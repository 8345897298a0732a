#include "harness/base/json_fields.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <string>
#include <utility>

#include "harness/base/printable.h"

namespace lab {

namespace {

Error refused(std::string_view name, std::string_view what) {
  return {fmt::format("{}: {}", name, what), "", ExitStatus::kUsage};
}

/// Builds a value whose doubles are the nearest ones to their text: Boost 1.81's own are off by one unit in the last
/// place at times, so that a result read and written again would be another one.
class ExactNumbers {
 public:
  using Problem = boost::system::error_code;
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  ExactNumbers() { stack_.reset(); }
  json::value release() { return stack_.release(); }

  bool on_document_begin(Problem&) { return true; }
  bool on_document_end(Problem&) { return true; }
  bool on_object_begin(Problem&) { return true; }
  bool on_object_end(std::size_t count, Problem&) { return stack_.push_object(count), true; }
  bool on_array_begin(Problem&) { return true; }
  bool on_array_end(std::size_t count, Problem&) { return stack_.push_array(count), true; }
  bool on_key_part(json::string_view text, std::size_t, Problem&) { return stack_.push_chars(text), true; }
  bool on_key(json::string_view text, std::size_t, Problem&) { return stack_.push_key(text), true; }
  bool on_string_part(json::string_view text, std::size_t, Problem&) { return stack_.push_chars(text), true; }
  bool on_string(json::string_view text, std::size_t, Problem&) { return stack_.push_string(text), true; }
  bool on_int64(std::int64_t value, json::string_view, Problem&) { return push_whole(value); }
  bool on_uint64(std::uint64_t value, json::string_view, Problem&) { return push_whole(value); }
  bool on_bool(bool value, Problem&) { return stack_.push_bool(value), true; }
  bool on_null(Problem&) { return stack_.push_null(), true; }
  bool on_comment_part(json::string_view, Problem&) { return true; }
  bool on_comment(json::string_view, Problem&) { return true; }

  bool on_number_part(json::string_view text, Problem&) {
    begun_.append(text.data(), text.size());
    return true;
  }

  bool on_double(double nearly, json::string_view text, Problem&) {
    begun_.append(text.data(), text.size());
    double value = nearly;  // also of what is too large or too small for a double
    double exact = 0;
    const auto read = std::from_chars(begun_.data(), begun_.data() + begun_.size(), exact);
    if (read.ec == std::errc() && read.ptr == begun_.data() + begun_.size()) value = exact;
    begun_.clear();
    stack_.push_double(value);
    return true;
  }

 private:
  bool push_whole(auto value) {
    begun_.clear();
    if constexpr (std::is_signed_v<decltype(value)>)
      stack_.push_int64(value);
    else
      stack_.push_uint64(value);
    return true;
  }

  json::value_stack stack_;
  std::string begun_;  ///< of a number
};

}  // namespace

Expected<json::value> parse_json(std::string_view text, std::string_view name) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return refused(name, "empty");
  json::basic_parser<ExactNumbers> parser{json::parse_options()};
  boost::system::error_code problem;
  const std::size_t used = parser.write_some(true, text.data(), text.size(), problem);
  if (!problem && parser.done() && text.find_first_not_of(" \t\r\n", used) == std::string_view::npos)
    return parser.handler().release();
  if (!problem && !parser.done())
    return refused(name, fmt::format("truncated: the JSON does not end within {} bytes", text.size()));
  const std::string_view found = text.substr(std::min(used, text.size()), 12);
  return refused(name, fmt::format("not JSON: byte {}: {} before '{}'", used,
                                   problem ? problem.message() : "extra data", found.substr(0, found.find('\n'))));
}

namespace {

/// Whether a string in this JSON may be unprintable. Elsewhere the parser refuses control characters and wrong UTF-8.
bool may_be_unprintable(std::string_view text) {
  // An escape; a delete character; how control characters from U+0080 on begin, and those that turn text round.
  for (const std::string_view part : {"\\u", "\\b", "\\f", "\\r", "\x7f", "\xc2", "\xd8\x9c", "\xe2\x80", "\xe2\x81"})
    if (text.find(part) != std::string_view::npos) return true;
  return false;
}

}  // namespace

void make_printable(json::value& value) {
  const auto shown = [](std::string_view text) { return printable(std::string(text)); };
  if (json::string* const text = value.if_string()) *text = shown(*text);
  if (json::array* const list = value.if_array())
    for (json::value& each : *list) make_printable(each);
  if (json::object* const object = value.if_object()) {
    json::object made;
    for (auto& [name, each] : *object) {
      make_printable(each);
      made[shown(name)] = std::move(each);
    }
    *object = std::move(made);
  }
}

Expected<json::value> parse_printable_json(std::string_view text, std::string_view name) {
  Expected<json::value> value = parse_json(text, name);
  if (value && may_be_unprintable(text)) make_printable(*value);
  return value;
}

}  // namespace lab
