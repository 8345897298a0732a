/// Times: of day, as results write them, and of a clock that only goes forward.
#pragma once

#include <ctime>
#include <string>

namespace lab {

/// "2026-08-02T23:15:00Z" (RFC 3339).
std::string utc(std::time_t seconds_since_epoch);
/// Of now.
std::string utc_now();

/// Seconds of a clock that only goes forward.
double monotonic_seconds();

}  // namespace lab
