/// What is wrong with a configuration: file, line, what was expected and what was found.
#pragma once

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

}  // namespace lab::render_config
