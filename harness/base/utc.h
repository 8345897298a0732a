/// Time of day, as results record it, and monotonic time.
#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace lab {

/// "2026-08-02T23:15:00Z" (RFC 3339).
std::string utc(std::time_t seconds_since_epoch);
/// The seconds since the epoch of such a text; none for another, or for a day that no month has.
std::optional<std::time_t> seconds_of(const std::string& utc_text);
/// The current time.
std::string utc_now();

/// Seconds of a monotonic clock.
double monotonic_seconds();

}  // namespace lab
