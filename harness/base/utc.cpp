#include "harness/base/utc.h"

#include <chrono>

namespace lab {

std::string utc(std::time_t seconds_since_epoch) {
  std::tm parts{};
  gmtime_r(&seconds_since_epoch, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

std::optional<std::time_t> seconds_of(const std::string& utc_text) {
  std::tm parts{};
  const char* const end = ::strptime(utc_text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const std::time_t seconds = ::timegm(&parts);
  return utc(seconds) == utc_text ? std::optional(seconds) : std::nullopt;
}

std::string utc_now() {
  return utc(std::time(nullptr));
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lab
