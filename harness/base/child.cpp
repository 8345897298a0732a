#include "harness/base/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "harness/base/spawn.h"

extern char** environ;

namespace lab {

namespace {

using Clock = std::chrono::steady_clock;

/// Without pidfd_open (Linux before 5.3), this is the longest delay until the end of a child with open pipes is
/// noticed.
constexpr int kPollMilliseconds = 50;

std::vector<std::string> child_environment(const ChildSpec& spec) {
  const std::vector<std::string>& changes = spec.environment;
  if (!spec.inherits_environment) return changes;
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const bool changed = std::any_of(changes.begin(), changes.end(),
                                     [&](const std::string& change) { return name_of(change) == name_of(*entry); });
    if (!changed) entries.emplace_back(*entry);
  }
  for (const std::string& change : changes)
    if (change.find('=') != std::string::npos) entries.push_back(change);
  return entries;
}

class RunningChild {
 public:
  RunningChild(const ChildSpec& spec, Spawned child, int stop_file)
      : spec_(spec),
        child_(child.id),
        output_(std::move(child.output)),
        error_(std::move(child.error)),
        stop_file_(stop_file),
        pid_file_(end_of(child_)) {
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(error_.get(), F_SETFL, O_NONBLOCK);
  }

  ChildOutcome wait(Clock::time_point start) {
    last_line_ = start;
    std::optional<ChildEnd> cut;
    while (!cut && !has_ended(child_)) cut = step(start);
    outcome_.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (cut && spec_.attached) ::kill(child_, SIGKILL);  // it leads no group that end_group could kill
    const int status = end_group(child_);
    if (!cut) cut = drain_rest();
    if (cut) {
      outcome_.end = *cut;
    } else if (WIFSIGNALED(status)) {
      outcome_.end = ChildEnd::kSignalled;
      outcome_.code = WTERMSIG(status);
    } else {
      outcome_.code = WEXITSTATUS(status);
    }
    return std::move(outcome_);
  }

 private:
  /// Waits for the next event; returns a ChildEnd if the child must be stopped.
  std::optional<ChildEnd> step(Clock::time_point start) {
    const auto seconds_since = [now = Clock::now()](Clock::time_point then) {
      return std::chrono::duration<double>(now - then).count();
    };
    const double until_timeout = spec_.timeout_seconds - seconds_since(start);
    const double until_silent = spec_.silence_seconds - seconds_since(last_line_);
    if (until_timeout <= 0) return ChildEnd::kTimedOut;
    if (until_silent <= 0) return ChildEnd::kSilent;
    std::array<pollfd, 4> files{
        {{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}, {pid_file_.get(), POLLIN, 0}, {stop_file_, POLLIN, 0}}};
    int wait = static_cast<int>(std::ceil(std::min({until_timeout, until_silent, 3600.0}) * 1000));
    if (pid_file_.get() < 0) wait = std::min(wait, kPollMilliseconds);
    if (::poll(files.data(), files.size(), wait) <= 0) return std::nullopt;
    if (files[3].revents != 0) {
      if (!spec_.attached) return ChildEnd::kStopped;
      request_end();
    }
    if (files[0].revents != 0 && !drain_output()) output_.close();
    if (files[1].revents != 0 && !drain_error()) error_.close();
    return check_size();
  }

  bool drain_output() {
    const std::size_t before = outcome_.output.size();
    const bool more = drain(output_, outcome_.output);
    const std::size_t last = std::string_view(outcome_.output).substr(before).rfind('\n');
    if (last == std::string_view::npos) return more;
    last_line_ = Clock::now();
    if (!spec_.on_line) return more;
    std::string_view lines = std::string_view(outcome_.output).substr(0, before + last + 1);
    for (; !lines.empty(); lines.remove_prefix(lines.find('\n') + 1)) spec_.on_line(lines.substr(0, lines.find('\n')));
    outcome_.output.erase(0, before + last + 1);
    return more;
  }

  /// The terminal has sent SIGINT to the child as well, and a second signal of one kind ends the child at once. So this
  /// sends a kind that it cannot have received yet.
  void request_end() {
    struct sigaction hang_up {};
    ::sigaction(SIGHUP, nullptr, &hang_up);
    ::kill(child_, hang_up.sa_handler == SIG_IGN ? SIGTERM : SIGHUP);
    stop_file_ = -1;
  }

  bool drain_error() {
    const std::size_t before = outcome_.error_tail.size();
    const bool more = drain(error_, outcome_.error_tail);
    if (spec_.on_error && outcome_.error_tail.size() > before)
      spec_.on_error(std::string_view(outcome_.error_tail).substr(before));
    keep_tail(outcome_.error_tail, spec_.tail_limit);
    return more;
  }

  std::optional<ChildEnd> check_size() const {
    if (outcome_.output.size() > spec_.output_limit) return ChildEnd::kTooMuchOutput;
    return std::nullopt;
  }

  /// Reads what is left in the pipes after the end. A process that left the group may keep them open; it is not waited
  /// for, because reads do not block.
  std::optional<ChildEnd> drain_rest() {
    std::optional<ChildEnd> cut;
    const auto ready = [](const File& file) {
      pollfd one{file.get(), POLLIN, 0};
      return file.get() >= 0 && ::poll(&one, 1, 0) > 0;
    };
    while (!cut && ready(output_) && drain_output()) cut = check_size();
    while (ready(error_) && drain_error()) {
    }
    return cut;
  }

  const ChildSpec& spec_;
  pid_t child_;
  File output_;
  File error_;
  int stop_file_;
  File pid_file_;
  Clock::time_point last_line_;
  ChildOutcome outcome_;
};

ChildOutcome not_started(int code) {
  ChildOutcome outcome;
  outcome.end = ChildEnd::kNotStarted;
  outcome.code = code;
  return outcome;
}

}  // namespace

ChildOutcome run_child(const ChildSpec& spec, int stop_file) {
  const Clock::time_point start = Clock::now();
  boost::system::result<Spawned> child = spawn({.command = spec.command,
                                                .environment = child_environment(spec),
                                                .cpu = spec.cpu,
                                                .core_dump = spec.core_dump,
                                                .attached = spec.attached,
                                                .kept_files = spec.kept_files,
                                                .input = spec.input});
  if (!child) return not_started(child.error().value());
  return RunningChild(spec, std::move(*child), stop_file).wait(start);
}

std::string describe_end(const ChildSpec& spec, const ChildOutcome& outcome) {
  switch (outcome.end) {
    case ChildEnd::kExited:
      return fmt::format("exit status {}", outcome.code);
    case ChildEnd::kSignalled:
      return fmt::format("signal {} ({})", outcome.code, ::strsignal(outcome.code));
    case ChildEnd::kTimedOut:
      return fmt::format("no end within {:.3g} s", spec.timeout_seconds);
    case ChildEnd::kSilent:
      return fmt::format("no line of output for {:.3g} s", spec.silence_seconds);
    case ChildEnd::kStopped:
      return "stopped";
    case ChildEnd::kTooMuchOutput:
      return fmt::format("more than {} bytes of output", spec.output_limit);
    case ChildEnd::kNotStarted:
      break;
  }
  return fmt::format("'{}' could not be started: {}", spec.command.at(0), std::strerror(outcome.code));
}

}  // namespace lab
