/// Reads a value that has one of several kinds: the field "kind" names it, and the fields of that kind stand beside it.
/// One table names the kinds; a kind that it lacks is an error that lists them.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_fields.h"

namespace lab {

/// How to read one kind into a T, often a std::variant.
template <typename T>
struct JsonKind {
  std::string_view name;
  void (*read)(FieldReader&, T&);
};

/// JsonKind::read for an alternative of a std::variant.
template <typename Alternative, typename Variant>
void read_alternative(FieldReader& f, Variant& out) {
  fields(f, out.template emplace<Alternative>());
}

/// Returns the kind; "" after an error.
template <typename T>
std::string_view read_kind(FieldReader& f, std::span<const JsonKind<T>> kinds, T& out) {
  std::string name;
  f("kind", name);
  if (f.failed()) return "";
  std::vector<std::string_view> known;
  for (const JsonKind<T>& kind : kinds) {
    if (kind.name == name) {
      kind.read(f, out);
      return kind.name;
    }
    known.push_back(kind.name);
  }
  f.refuse("kind", fmt::format("expected one of '{}', found '{}'", fmt::join(known, "', '"), name));
  return "";
}

}  // namespace lab
