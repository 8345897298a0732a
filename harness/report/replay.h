/// A tree of blocks that changes step by step: still frames as a chart, and on the page a canvas that replays it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/document.h"

namespace lab::report {

/// An event of an exhibit, as far as a replay needs it.
struct ReplayEvent {
  std::string name;  ///< "range", "split", "merge", "allocate", "free"
  std::map<std::string, std::int64_t> args;
};

/// Of events that begin with a "range" (formats.md, "Exhibits"); none of other events, or if one contradicts the blocks
/// that those before it left: a split of a block that is not free, say. The caller adds title and note.
std::optional<Chart> replay_chart(std::string_view name, const std::string& benchmark,
                                  const std::vector<ReplayEvent>& events);

}  // namespace lab::report
