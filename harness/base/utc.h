/// Times of day, as results write them.
#pragma once

#include <ctime>
#include <string>

namespace lab {

/// "2026-08-02T23:15:00Z" (RFC 3339).
std::string utc(std::time_t seconds_since_epoch);

}  // namespace lab
