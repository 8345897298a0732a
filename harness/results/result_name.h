/// The names of results.
#pragma once

#include <string_view>

namespace lab::results {

/// Whether a file with this name may be a result.
inline bool is_result_name(std::string_view name) {
  return name.ends_with(".json") || name.ends_with(".json.zst");
}

}  // namespace lab::results
