#include "harness/cli/talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace lab::cli {

namespace {

/// make.py prints its progress every ten seconds where nobody watches; whatever a build says in between is in its log.
constexpr double kSecondsBetweenLines = 5;

}  // namespace

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

void BuildTalk::begin(std::string who) {
  who_ = std::move(who);
  last_ = monotonic_seconds();
  line_.show(who_);
}

void BuildTalk::tell(std::string_view said) {
  said.remove_prefix(std::min(said.find_first_not_of(' '), said.size()));
  const std::string text = fmt::format("{}: {}", who_, said);
  if (line_.live()) return line_.show(text);
  const double now = monotonic_seconds();
  if (now - last_ < kSecondsBetweenLines) return;
  last_ = now;
  line_.print(text);
}

}  // namespace lab::cli
