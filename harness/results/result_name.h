/// The names of results.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lab::results {

/// A packed result's name ends so: Zstandard (base/zstd.h).
inline constexpr std::string_view kPackedEnd = ".zst";

/// Whether a file with this name may be a result.
inline bool is_result_name(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".json.zst");
}

/// A session plans for a result of at most so many bytes. A packed file with more than twice as many is refused.
inline constexpr std::size_t kMostResultBytes = std::size_t{64} << 20;

inline bool is_packed_name(std::string_view name) {
  return name.ends_with(".json.zst");
}

/// A result's name or path without ".json" or ".json.zst"; any other name as it is.
inline std::string_view result_base(std::string_view name) {
  if (is_packed_name(name)) name.remove_suffix(kPackedEnd.size());
  if (name.ends_with(".json")) name.remove_suffix(5);
  return name;
}

/// The name of the same result packed, or if it is packed, unpacked.
inline std::string other_name(std::string_view name) {
  return std::string(result_base(name)) + (is_packed_name(name) ? ".json" : ".json.zst");
}

}  // namespace lab::results
