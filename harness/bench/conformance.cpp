#include "harness/bench/conformance.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>
#include <optional>

#include "harness/base/child.h"
#include "harness/base/nearest.h"

namespace lab::bench {

namespace json = boost::json;

namespace {

/// After this many hangs, no more checks are started: they would only cost minutes.
constexpr int kMostHangs = 2;

/// Time to end after the check's own alarm, in seconds; a stopped process does not receive the alarm.
constexpr double kGrace = 2;

struct CheckResult {
  std::string name;
  std::string failure;  ///< "" if the check passes
  bool decides = true;  ///< see ConformanceCheck
};

/// Prints the results and returns the exit status. A variant without checks fails.
int print_results(const Variant& variant, const std::vector<CheckResult>& results) {
  json::array checks;
  bool failed = results.empty();
  for (const CheckResult& result : results) {
    const bool passes = result.failure.empty();
    json::object check{{"name", result.name}, {"failure", nullptr}};
    if (!passes) check[result.decides ? "failure" : "remark"] = result.failure;
    checks.push_back(std::move(check));
    failed = failed || (result.decides && !passes);
  }
  const json::object output{
      {"protocol", kProtocol}, {"variant", variant.family + "/" + variant.name}, {"checks", std::move(checks)}};
  fmt::print("{}\n", json::serialize(output));
  return failed ? 1 : 0;
}

/// The failure or remark that print_results() printed for one check; none if `output` is something else.
std::optional<std::string> printed_failure(const std::string& output) {
  boost::system::error_code problem;
  const json::value printed = json::parse(output, problem);
  const json::value* const failure = problem ? nullptr : printed.find_pointer("/checks/0/failure", problem);
  if (failure == nullptr) return std::nullopt;
  if (failure->is_string()) return std::string(failure->get_string());
  const json::value* const remark = printed.find_pointer("/checks/0/remark", problem);
  return remark != nullptr && remark->is_string() ? std::string(remark->get_string()) : std::string();
}

/// The start of the first line of `output`, with only printable ASCII so that it fits JSON.
std::string beginning_of(const std::string& output) {
  constexpr std::size_t kMost = 60;
  std::string line = output.substr(0, std::min(output.find('\n'), kMost));
  for (char& c : line)
    if (c < 0x20 || c > 0x7e) c = '?';
  return line;
}

bool timed_out(const ChildOutcome& outcome) {
  return outcome.end == ChildEnd::kTimedOut || (outcome.end == ChildEnd::kSignalled && outcome.code == SIGALRM);
}

/// Why a check with this outcome failed; "" if it passed.
std::string failure_of(const ChildSpec& spec, const ChildOutcome& outcome, double seconds) {
  if (outcome.end == ChildEnd::kNotStarted) return describe_end(spec, outcome);
  if (timed_out(outcome)) return fmt::format("it did not end within {:.3g} s", seconds);
  if (outcome.end == ChildEnd::kSignalled) return fmt::format("it crashed with {}", describe_end(spec, outcome));
  const std::optional<std::string> failure = printed_failure(outcome.output);
  if (!failure && !outcome.output.empty())
    return fmt::format("expected one JSON object on standard output, found '{}': print to standard error",
                       beginning_of(outcome.output));
  // A sanitizer may report an error at exit, after the check.
  if (!failure || (failure->empty() && outcome.code != 0))
    return fmt::format("it ended with exit status {}", outcome.code);
  return *failure;
}

/// Ends the process after `seconds`, whatever signals it has blocked or ignored.
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
  std::vector<CheckResult> results;
  int hangs = 0;
  for (const ConformanceCheck& check : variant.conformance) {
    if (hangs == kMostHangs) {
      results.push_back(
          {check.name, fmt::format("not started: {} checks before it did not end", hangs), check.decides});
      continue;
    }
    ChildSpec spec;
    spec.command = {program, "--conformance", check.name, "--seconds", fmt::format("{}", seconds)};
    spec.timeout_seconds = seconds + kGrace;
    spec.core_dump = false;
    spec.on_error = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
    const ChildOutcome outcome = run_child(spec);
    results.push_back({check.name, failure_of(spec, outcome, seconds), check.decides});
    hangs += timed_out(outcome);
  }
  return print_results(variant, results);
}

int run_check(const Variant& variant, std::string_view name, double seconds) {
  std::vector<std::string> names;
  for (const ConformanceCheck& check : variant.conformance) {
    names.push_back(check.name);
    if (check.name != name) continue;
    if (seconds > 0) limit(seconds);
    return print_results(variant, {{check.name, check.what_is_wrong(), check.decides}});
  }
  const std::string near = nearest_name(name, names);
  const std::string hint =
      near.empty() ? fmt::format("one of '{}'", fmt::join(names, "', '")) : fmt::format("did you mean '{}'?", near);
  fmt::print(stderr, "variant: error: {} has no check '{}'\nhint: {}\n", variant.name, name, hint);
  return 2;
}

}  // namespace lab::bench
