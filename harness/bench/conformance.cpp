#include "harness/bench/conformance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "harness/base/nearest.h"
#include "harness/base/spawn.h"

namespace lab::bench {

namespace json = boost::json;

namespace {

/// After so many that did not end, no more are begun: they would take minutes to say the same.
constexpr int kMostHangs = 2;

/// Without pidfd_open (Linux before 5.3), how soon the end of a check is noticed that left its pipes to another process.
constexpr int kPollMilliseconds = 50;

/// Seconds that a check has for ending after its own alarm.
constexpr double kGrace = 2;

constexpr std::size_t kMostOutput = 1 << 16;

struct Finding {
  std::string name;
  std::string failure;  ///< "" where the check holds
};

/// Prints what was found; the exit status. A variant that checks nothing has failed.
int tell(const Variant& variant, const std::vector<Finding>& findings) {
  json::array checks;
  bool failed = findings.empty();
  for (const Finding& finding : findings) {
    const bool holds = finding.failure.empty();
    checks.push_back(
        {{"name", finding.name}, {"failure", holds ? json::value(nullptr) : json::value(finding.failure)}});
    failed = failed || !holds;
  }
  const json::object told{
      {"protocol", kProtocol}, {"variant", variant.family + "/" + variant.name}, {"checks", std::move(checks)}};
  fmt::print("{}\n", json::serialize(told));
  return failed ? 1 : 0;
}

/// What tell() printed of one check, none where it is not that.
std::optional<std::string> failure_told(const std::string& output) {
  boost::system::error_code problem;
  const json::value told = json::parse(output, problem);
  const json::value* const failure = problem ? nullptr : told.find_pointer("/checks/0/failure", problem);
  if (failure == nullptr) return std::nullopt;
  return failure->is_string() ? std::string(failure->get_string()) : std::string();
}

struct End {
  int status = 0;  ///< waitpid's
  bool late = false;
  std::string output;
};

/// Reads what it says until it has ended, whatever it leaves behind; standard error goes to ours. One that its own alarm
/// after `seconds` does not end, as it is stopped, is killed.
End wait_for(const Spawned& child, double seconds) {
  std::string output, error;
  const File process = end_of(child.id);
  std::array<pollfd, 3> files{
      {{child.output.get(), POLLIN, 0}, {child.error.get(), POLLIN, 0}, {process.get(), POLLIN, 0}}};
  for (const int file : {child.output.get(), child.error.get()}) ::fcntl(file, F_SETFL, O_NONBLOCK);
  const auto start = std::chrono::steady_clock::now();
  const auto is_late = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds + kGrace;
  };
  std::optional<int> status;
  bool late = false;
  for (bool more = true; !status || more;) {
    late = late || (!status && is_late());
    if (!status && (late || has_ended(child.id))) {
      status = end_group(child.id);
      files[2].fd = -1;
    }
    // Once all have ended, what they wrote is in the pipes.
    more = ::poll(files.data(), files.size(), status ? 0 : kPollMilliseconds) > 0;
    if (files[0].revents != 0 && !drain(child.output, output)) files[0].fd = -1;
    if (files[1].revents != 0 && !drain(child.error, error)) files[1].fd = -1;
    std::fwrite(error.data(), 1, error.size(), stderr);
    error.clear();
    keep_tail(output, kMostOutput);
  }
  return {*status, late, std::move(output)};
}

/// The first line of what was printed, as JSON can have it.
std::string beginning_of(const std::string& output) {
  constexpr std::size_t kMost = 60;
  std::string line = output.substr(0, std::min(output.find('\n'), kMost));
  for (char& c : line)
    if (c < 0x20 || c > 0x7e) c = '?';
  return line;
}

bool timed_out(const End& end) {
  return end.late || (WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGALRM);
}

/// Why a check has failed, which ended so; "" where it has not.
std::string failure_of(const End& end, double seconds) {
  if (timed_out(end)) return fmt::format("it did not end within {:.3g} s", seconds);
  if (WIFSIGNALED(end.status))
    return fmt::format("it crashed with signal {} ({})", WTERMSIG(end.status), ::strsignal(WTERMSIG(end.status)));
  const int status = WEXITSTATUS(end.status);
  const std::optional<std::string> told = failure_told(end.output);
  if (!told && !end.output.empty())
    return fmt::format("expected one JSON object on standard output, found '{}': print to standard error",
                       beginning_of(end.output));
  // A sanitizer may find something at the very end, after the check has.
  if (!told || (told->empty() && status != 0)) return fmt::format("it ended with exit status {}", status);
  return *told;
}

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

/// The process ends after `seconds`, whatever it has blocked or ignored.
void limit(double seconds) {
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::signal(SIGALRM, SIG_DFL);
  ::sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  const double whole = std::floor(seconds);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

int run_checks(const Variant& variant, const std::string& program, double seconds) {
  std::vector<Finding> findings;
  int hangs = 0;
  for (const Check& check : variant.conformance) {
    if (hangs == kMostHangs) {
      findings.push_back({check.name, fmt::format("not begun, since {} before it did not end", hangs)});
      continue;
    }
    SpawnSpec spec;
    spec.command = {program, "--conformance", check.name, "--seconds", fmt::format("{}", seconds)};
    spec.environment = environment();
    spec.core_dump = false;
    const boost::system::result<Spawned> child = spawn(spec);
    if (!child) {
      findings.push_back({check.name, fmt::format("'{}' could not be started: {}", program, child.error().message())});
      continue;
    }
    const End end = wait_for(*child, seconds);
    findings.push_back({check.name, failure_of(end, seconds)});
    hangs += timed_out(end);
  }
  return tell(variant, findings);
}

int run_check(const Variant& variant, std::string_view name, double seconds) {
  std::vector<std::string> names;
  for (const Check& check : variant.conformance) {
    names.push_back(check.name);
    if (check.name != name) continue;
    if (seconds > 0) limit(seconds);
    return tell(variant, {{check.name, check.what_is_wrong()}});
  }
  const std::string near = nearest_name(name, names);
  const std::string hint =
      near.empty() ? fmt::format("one of '{}'", fmt::join(names, "', '")) : fmt::format("did you mean '{}'?", near);
  fmt::print(stderr, "variant: error: {} has no check '{}'\nhint: {}\n", variant.name, name, hint);
  return 2;
}

}  // namespace lab::bench
