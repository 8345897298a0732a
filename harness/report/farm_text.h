/// A farm as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "harness/judge/farm.h"

namespace lab::report {

/// What machines share, what one machine did by itself, and which machines need a hand; the latest first.
std::string to_text(const judge::Farm& farm, std::size_t width);
/// One object on one line, with every change.
std::string to_json(const judge::Farm& farm);

}  // namespace lab::report
