/// "Did you mean": finds the nearest name in a list.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lab {

/// Number of edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name nearest to `wanted`, or "" if none is near enough (more than a third of it differs).
std::string nearest_name(std::string_view wanted, std::span<const std::string> names);

}  // namespace lab
