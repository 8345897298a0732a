#include "variants/render_config/language/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace lab::render_config
