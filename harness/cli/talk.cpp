#include "harness/cli/talk.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace lab::cli {

Error usage_error(std::string what, std::string hint) {
  return Error{std::move(what), std::move(hint), ExitStatus::kUsage};
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  if (count != 1 && many.empty()) return fmt::format("{} {}s", count, one);
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lab::cli
