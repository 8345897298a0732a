/// Values of a configuration, each of the kind and in the range that is expected, and what is wrong with them: file,
/// line, what was expected and what was found. After a problem they give some value with which the caller can go on.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/printable.h"
#include "variants/render_config/language/located_json.h"

namespace lab::render_config {

/// Keeps the first problem; what is read after it does not matter.
class Problems {
 public:
  void add(const Place& place, const std::string& sentence, std::string hint = "");
  void add(const Error& error);
  /// "expected a layer (solid, shadow), found 'solit'", with the nearest name as the hint.
  void add_unknown(const Place& place, const std::string& found, std::string_view expected,
                   const std::vector<std::string>& names);
  bool any() const { return first_.has_value(); }
  const Error& first() const { return *first_; }

 private:
  std::optional<Error> first_;
};

/// "a, b, c", and how many more there are after 24.
std::string list_of(std::span<const std::string> names);

template <typename Names>
std::vector<std::string> strings(const Names& names) {
  return {names.begin(), names.end()};
}

/// The names of members, resources and the like, as they can be shown.
template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& named) {
  std::vector<std::string> names;
  for (const Named& one : named) names.push_back(printable(one.name));
  return names;
}

/// "a boolean".
std::string_view kind_name(Node::Kind kind);

class Values {
 public:
  /// `settings`: what "$name" stands for. Both may change while this lives.
  Values(const std::vector<Member>& settings, Problems& problems) : settings_(settings), problems_(problems) {}

  Problems& problems() const { return problems_; }

  /// The value of a setting; null and a problem if there is none.
  const Node* setting(const Place& place, const std::string& name, std::string_view expected) const;

  bool expect(const Node& node, Node::Kind kind, std::string_view what) const;
  std::string text(const Node& node, std::string_view what) const;
  bool boolean(const Node& node, std::string_view what) const;
  double number(const Node& node, std::string_view what, double least, double most) const;
  std::uint32_t whole(const Node& node, std::string_view what, double least, double most) const;
  /// `least` to `most` of them, in an array; one may stand alone.
  std::vector<float> numbers(const Node& node, std::string_view what, std::size_t least, std::size_t most) const;
  const std::vector<Node>& items(const Node& node, std::string_view what) const;
  const std::vector<Member>& members(const Node& node, std::string_view what) const;
  /// A file that is named in another, relative to it; empty after a problem.
  std::filesystem::path path(const Node& node) const;

  /// The place of a name in a table; nothing and a problem if it is not there.
  std::optional<std::size_t> place_of(const Place& place, const std::string& name, std::string_view what,
                                      const std::vector<std::string>& names) const;
  /// The same for a string; 0 after a problem.
  std::size_t choice(const Node& node, std::string_view what, const std::vector<std::string>& names) const;
  /// Sets `value` if the object has the field.
  template <typename Enum, std::size_t kCount>
  void choose(const Node& object, std::string_view field, const std::array<std::string_view, kCount>& names,
              Enum& value) const {
    if (const Node* const node = object.find(field)) value = static_cast<Enum>(choice(*node, field, strings(names)));
  }

  /// Null and a problem if the object lacks the field.
  const Node* needed(const Node& object, std::string_view field, std::string_view what) const;
  void only(const Node& object, std::initializer_list<std::string_view> fields) const;
  /// Whether there is an object with no other fields, and no problem until now.
  bool object(const Node& node, std::string_view what, std::initializer_list<std::string_view> fields) const;

 private:
  Node resolved(const Node& node) const;

  const std::vector<Member>& settings_;
  Problems& problems_;
};

}  // namespace lab::render_config
