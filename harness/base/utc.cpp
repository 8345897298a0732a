#include "harness/base/utc.h"

namespace lab {

std::string utc(std::time_t seconds_since_epoch) {
  std::tm parts{};
  gmtime_r(&seconds_since_epoch, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace lab
