#include "variants/render_config/language/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/base/nearest.h"

namespace lab::render_config {

void Problems::add(const Place& place, const std::string& sentence, std::string hint) {
  if (!first_) first_ = problem_at(place, sentence, std::move(hint));
}

void Problems::add(const Error& error) {
  if (!first_) first_ = error;
}

void Problems::add_unknown(const Place& place, const std::string& found, std::string_view expected,
                           const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(found, names);
  add(place, fmt::format("expected {} ({}), found '{}'", expected, list_of(names), printable(found)),
      nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
}

std::string list_of(std::span<const std::string> names) {
  constexpr std::size_t kShown = 24;
  if (names.empty()) return "none exists";
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, and {} more", fmt::join(names.first(kShown), ", "), names.size() - kShown);
}

std::string_view kind_name(Node::Kind kind) {
  constexpr std::array<std::string_view, 6> kNames{"null",     "a boolean", "a number",
                                                   "a string", "an array",  "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

const Node* Values::setting(const Place& place, const std::string& name, std::string_view expected) const {
  const auto found = std::ranges::find(settings_, name, &Member::name);
  if (found != settings_.end()) return &found->value;
  problems_.add_unknown(place, name, expected, names_of(settings_));
  return nullptr;
}

// The value of "$name", as if it stood at the place of that name.
Node Values::resolved(const Node& node) const {
  if (node.kind != Node::Kind::kString || !node.text.starts_with('$')) return node;
  const Node* const found = setting(node.place, node.text.substr(1), "a setting after '$'");
  if (found == nullptr) return node;
  Node value = *found;
  value.place = node.place;
  return value;
}

bool Values::expect(const Node& node, Node::Kind kind, std::string_view what) const {
  if (node.kind == kind) return true;
  problems_.add(node.place, fmt::format("expected {}, found {}", what, describe(node)));
  return false;
}

std::string Values::text(const Node& node, std::string_view what) const {
  const Node value = resolved(node);
  return expect(value, Node::Kind::kString, what) ? value.text : "";
}

bool Values::boolean(const Node& node, std::string_view what) const {
  const Node value = resolved(node);
  return expect(value, Node::Kind::kBoolean, what) && value.boolean;
}

double Values::number(const Node& node, std::string_view what, double least, double most) const {
  const Node value = resolved(node);
  const std::string expected = fmt::format("{} from {} to {}", what, least, most);
  if (!expect(value, Node::Kind::kNumber, expected)) return least;
  if (value.number >= least && value.number <= most) return value.number;  // and not NaN
  problems_.add(value.place, fmt::format("expected {}, found {}", expected, describe(value)));
  return least;
}

std::uint32_t Values::whole(const Node& node, std::string_view what, double least, double most) const {
  const double value = number(node, what, least, most);
  if (value == std::floor(value)) return static_cast<std::uint32_t>(value);
  problems_.add(node.place, fmt::format("expected {}, found the number {}", what, value));
  return static_cast<std::uint32_t>(least);
}

std::vector<float> Values::numbers(const Node& node, std::string_view what, std::size_t least, std::size_t most) const {
  constexpr double kMost = 1e9;
  const Node value = resolved(node);
  const auto one = [&](const Node& item) { return static_cast<float>(number(item, "a number", -kMost, kMost)); };
  if (value.kind == Node::Kind::kNumber && least == 1) return {static_cast<float>(number(value, what, -kMost, kMost))};
  if (value.kind != Node::Kind::kArray || value.items.size() < least || value.items.size() > most) {
    const bool array = value.kind == Node::Kind::kArray;
    const std::string found = array ? fmt::format("{} values", value.items.size()) : describe(value);
    problems_.add(value.place, fmt::format("expected {}, found {}", what, found));
    return std::vector<float>(least);
  }
  std::vector<float> all(value.items.size());
  std::ranges::transform(value.items, all.begin(), one);
  return all;
}

const std::vector<Node>& Values::items(const Node& node, std::string_view what) const {
  expect(node, Node::Kind::kArray, fmt::format("an array of {}", what));
  return node.items;
}

const std::vector<Member>& Values::members(const Node& node, std::string_view what) const {
  expect(node, Node::Kind::kObject, fmt::format("an object of {}", what));
  return node.members;
}

std::filesystem::path Values::path(const Node& node) const {
  const std::string name = text(node, "a file name");
  if (problems_.any()) return {};
  if (name.empty() || name.find('\0') != std::string::npos) {
    problems_.add(node.place, fmt::format("expected a file name, found {}", describe(node)));
    return {};
  }
  return (std::filesystem::path(node.place.file).parent_path() / name).lexically_normal();
}

std::optional<std::size_t> Values::place_of(const Place& place, const std::string& name, std::string_view what,
                                            const std::vector<std::string>& names) const {
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  problems_.add_unknown(place, name, what, names);
  return std::nullopt;
}

std::size_t Values::choice(const Node& node, std::string_view what, const std::vector<std::string>& names) const {
  const std::string found = text(node, what);
  if (problems_.any()) return 0;
  return place_of(node.place, found, what, names).value_or(0);
}

const Node* Values::needed(const Node& object, std::string_view field, std::string_view what) const {
  const Node* const node = object.find(field);
  if (node == nullptr) problems_.add(object.place, fmt::format("expected {} with \"{}\", found none", what, field));
  return node;
}

void Values::only(const Node& object, std::initializer_list<std::string_view> fields) const {
  for (const Member& member : object.members)
    if (std::ranges::find(fields, member.name) == fields.end())
      problems_.add_unknown(member.place, member.name, "a field", strings(fields));
}

bool Values::object(const Node& node, std::string_view what, std::initializer_list<std::string_view> fields) const {
  if (!expect(node, Node::Kind::kObject, fmt::format("an object that describes {}", what))) return false;
  only(node, fields);
  return !problems_.any();
}

}  // namespace lab::render_config
