/// The addresses of what is no view. All are relative to the front page, so that they work behind a proxy.
#pragma once

#include <string_view>

namespace lab::serve {

inline constexpr std::string_view kEventsPath = "events", kAckPath = "ack", kBadgePath = "badge.svg",
                                  kStatusPath = "api/status", kApiFolder = "api/", kNightFolder = "night/",
                                  kNightPath = "night";

}  // namespace lab::serve
