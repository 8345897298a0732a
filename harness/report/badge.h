/// A badge: two words on coloured ground, as pages and READMEs show it. It fits its text by widths that it knows,
/// because an image measures no font.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/judge/farm.h"
#include "harness/results/farm_alarms.h"

namespace lab::report {

struct Badge {
  std::string label, message;  ///< any bytes
  std::string_view
      colour;  ///< a name of page/palette.json, dark enough under white text: "good", "weak", "bad", "open"
};

/// As an SVG file. A text that is longer than kMostBadgeText characters is cut.
std::string to_svg(const Badge& badge);
inline constexpr std::size_t kMostBadgeText = 60;

/// "farm: 1 regression, 2 silent", or "farm: fine". `alarms`: as a check would leave them. Of a single machine the
/// label is "nights".
Badge farm_badge(const judge::Farm& farm, std::span<const results::FarmAlarm> alarms);

}  // namespace lab::report
