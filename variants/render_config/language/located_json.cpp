#include "variants/render_config/language/located_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/base/printable.h"

namespace lab::render_config {

namespace {

namespace json = boost::json;

constexpr std::size_t kMostBytes = 1'000'000, kMostDepth = 32;

/// Builds nodes from Boost.JSON's events. The parser is fed byte by byte, so `line` is that of the event.
class Builder {
 public:
  static constexpr std::size_t max_object_size = kMostBytes, max_array_size = kMostBytes, max_key_size = kMostBytes,
                               max_string_size = kMostBytes;

  Builder(std::string file, const int& line) : file_(std::move(file)), line_(line) {}

  Node& root() { return root_; }
  const std::optional<Error>& problem() const { return problem_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& error) { return open(Node::Kind::kObject, error); }
  bool on_object_end(std::size_t, json::error_code&) { return close(); }
  bool on_array_begin(json::error_code& error) { return open(Node::Kind::kArray, error); }
  bool on_array_end(std::size_t, json::error_code&) { return close(); }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    text_.append(part.data(), part.size());
    const std::string name = std::exchange(text_, "");
    if (const Node* const first = open_.back()->find(name)) {
      problem_ = problem_at({file_, line_}, fmt::format("expected each name once, found '{}' again, after line {}",
                                                        printable(name), first->place.line));
      return stop(error);
    }
    open_.back()->members.push_back({name, {file_, line_}, {}});
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(json::string_view part, std::size_t, json::error_code&) {
    text_.append(part.data(), part.size());
    Node& node = add(Node::Kind::kString);
    node.text = std::exchange(text_, "");
    return true;
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t value, json::string_view, json::error_code&) { return number(static_cast<double>(value)); }
  bool on_uint64(std::uint64_t value, json::string_view, json::error_code&) {
    return number(static_cast<double>(value));
  }
  bool on_double(double value, json::string_view, json::error_code&) { return number(value); }
  bool on_bool(bool value, json::error_code&) {
    add(Node::Kind::kBoolean).boolean = value;
    return true;
  }
  bool on_null(json::error_code&) {
    add(Node::Kind::kNull);
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }  // there is none, but the parser asks
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  static bool stop(json::error_code& error) {
    error = json::error::extra_data;  // any: problem() says what is wrong
    return false;
  }

  Node& add(Node::Kind kind) {
    Node* node = &root_;
    if (!open_.empty() && open_.back()->kind == Node::Kind::kArray)
      node = &open_.back()->items.emplace_back();
    else if (!open_.empty())
      node = &open_.back()->members.back().value;
    node->kind = kind;
    node->place = {file_, line_};
    return *node;
  }

  bool open(Node::Kind kind, json::error_code& error) {
    if (open_.size() == kMostDepth) {
      problem_ = problem_at({file_, line_},
                            fmt::format("expected at most {} values inside each other, found more", kMostDepth));
      return stop(error);
    }
    // Only the innermost open array or object grows, so no pointer to an outer one becomes invalid.
    open_.push_back(&add(kind));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool number(double value) {
    add(Node::Kind::kNumber).number = value;
    return true;
  }

  std::string file_;
  const int& line_;
  Node root_;
  std::vector<Node*> open_;
  std::string text_;
  std::optional<Error> problem_;
};

/// The text with blanks in place of comments: the parser does not find them byte by byte.
std::string without_comments(std::string_view text) {
  std::string kept(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, kept.size()); ++i)
      if (kept[i] != '\n') kept[i] = ' ';
  };
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == '"') {
      for (++i; i < kept.size() && kept[i] != '"' && kept[i] != '\n'; ++i)
        if (kept[i] == '\\') ++i;
    } else if (kept.compare(i, 2, "//") == 0) {
      const std::size_t end = std::min(kept.find('\n', i), kept.size());
      blank(i, end);
    } else if (kept.compare(i, 2, "/*") == 0) {
      const std::size_t end = kept.find("*/", i + 2);
      if (end == std::string::npos) break;  // an error, where the comment begins
      blank(i, end + 2);
      i = end + 1;
    }
  }
  return kept;
}

}  // namespace

Error problem_at(const Place& place, const std::string& sentence, std::string hint) {
  // Names in a configuration may have any bytes.
  std::string what = printable(fmt::format("{}:{}: {}", place.file, place.line, sentence));
  std::ranges::replace(what, '\n', '?');
  return {std::move(what), std::move(hint), ExitStatus::kUsage};
}

const Node* Node::find(std::string_view name) const {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &found->value;
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kBoolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::kNumber:
      return fmt::format("the number {}", node.number);
    case Node::Kind::kString:
      return fmt::format("'{}'", printable(node.text));
    case Node::Kind::kArray:
      return "an array";
    case Node::Kind::kObject:
      return "an object";
  }
  return "";
}

Expected<Node> parse_located(std::string_view text, const std::string& file) {
  if (text.size() > kMostBytes)
    return problem_at({file, 1}, fmt::format("expected at most {} bytes, found {}", kMostBytes, text.size()));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return problem_at({file, 1}, "expected an object, found an empty file");
  json::parse_options options;
  options.allow_trailing_commas = true;
  options.max_depth = kMostDepth + 1;
  int line = 1;
  json::basic_parser<Builder> parser(options, file, line);
  json::error_code error;
  const auto failure = [&]() -> Error {
    if (parser.handler().problem()) return *parser.handler().problem();
    return problem_at({file, line}, fmt::format("expected JSON, found: {}", error.message()));
  };
  for (const char& byte : without_comments(text)) {
    if (parser.done() && std::string_view(" \t\r\n").find(byte) == std::string_view::npos)
      return problem_at({file, line}, "expected one value, found more after it");
    if (!parser.done()) parser.write_some(true, &byte, 1, error);
    if (error) return failure();
    if (byte == '\n') ++line;
  }
  if (!parser.done()) parser.write_some(false, text.data(), 0, error);
  if (error == json::error::incomplete)
    return problem_at({file, line}, "expected more JSON, found the end of the file");
  if (error) return failure();
  return std::move(parser.handler().root());
}

}  // namespace lab::render_config
