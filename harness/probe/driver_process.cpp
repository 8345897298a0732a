#include "harness/probe/driver_process.h"

#include <fmt/format.h>
#include <string.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "harness/base/printable.h"

namespace lab::probe {

namespace {

constexpr std::size_t kTail = 4096;
constexpr int kNotLinked = 127;  // the dynamic linker's exit status; it has reported what it did not find

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? name : std::to_string(signal);
}

}  // namespace

ChildSpec driver_process(std::vector<std::string> command, const EnvironmentVariables& environment,
                         std::chrono::milliseconds silence) {
  ChildSpec child;
  child.command = std::move(command);
  for (const auto& [name, value] : environment) child.environment.push_back(fmt::format("{}={}", name, value));
  child.inherits_environment = false;
  child.timeout_seconds = std::numeric_limits<double>::infinity();
  child.silence_seconds = std::chrono::duration<double>(silence).count();
  child.tail_limit = kTail;
  child.core_dump = false;
  return child;
}

std::optional<Error> start_error(const ChildSpec& child, const ChildOutcome& outcome) {
  const bool not_linked = outcome.end == ChildEnd::kExited && outcome.code == kNotLinked;
  if (!not_linked && outcome.end != ChildEnd::kNotStarted) return std::nullopt;
  const bool missing = not_linked || outcome.code == ENOENT;
  return Error{not_linked ? fmt::format("starting '{}': {}", child.command.front(), printable(outcome.error_tail))
                          : describe_end(child, outcome),
               missing ? "python3 make.py build" : ""};
}

results::ProbeFailure early_end(const ChildSpec& child, const ChildOutcome& outcome, const std::string& doing) {
  const std::string where = doing.empty() ? "its first steps" : doing;
  const std::string tail = printable(outcome.error_tail);
  if (outcome.end == ChildEnd::kSignalled)
    return {"crash", fmt::format("SIG{} in {}", signal_name(outcome.code), where), tail};
  if (outcome.end == ChildEnd::kSilent)
    return {"timeout", fmt::format("no answer for {:g} s in {}", child.silence_seconds, where), tail};
  return {"exit", fmt::format("{} in {}", describe_end(child, outcome), where), tail};
}

}  // namespace lab::probe
