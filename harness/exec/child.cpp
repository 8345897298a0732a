#include "harness/exec/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

extern char** environ;

namespace lab::exec {

namespace {

using Clock = std::chrono::steady_clock;

/// Without pidfd_open (Linux before 5.3) the end of a child whose pipes stay open is noticed within this time.
constexpr int kPollMilliseconds = 50;

class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int get() const { return number_; }

 private:
  int number_ = -1;
};

struct Pipe {
  File read;
  File write;
};

/// Both ends close on exec, so that no child holds another's.
bool open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {File(ends[0]), File(ends[1])};
  return true;
}

std::vector<std::string> child_environment(const std::vector<std::string>& changes) {
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

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

/// Everything the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Prepared {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::vector<char*> command_pointers;
  std::vector<char*> environment_pointers;
  std::optional<cpu_set_t> cpus;
  int null_file = -1;
  int output = -1;
  int error = -1;
  int report = -1;
  pid_t parent = 0;
};

[[noreturn]] void become(Prepared& prepared) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above.
  if (::getppid() != prepared.parent) ::_exit(127);
  // What we ignore or block, a child would inherit.
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(prepared.null_file, STDIN_FILENO);
  ::dup2(prepared.output, STDOUT_FILENO);
  ::dup2(prepared.error, STDERR_FILENO);
  // Files that we got from whoever started us and that nobody marked; older kernels hand them on.
  static_cast<void>(::syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC));
  if (!prepared.cpus || ::sched_setaffinity(0, sizeof(cpu_set_t), &*prepared.cpus) == 0)
    ::execvpe(prepared.command_pointers[0], prepared.command_pointers.data(), prepared.environment_pointers.data());
  const int code = errno;
  static_cast<void>(::write(prepared.report, &code, sizeof code) == 0);
  ::_exit(127);
}

enum class Drained { kOpen, kClosed, kFull };

/// Reads what is there now. `limit` bytes may be kept; `tail` keeps the last ones instead of refusing more.
Drained drain(int file, std::string& text, std::size_t limit, bool tail) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = ::read(file, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN ? Drained::kOpen : Drained::kClosed;
  if (got == 0) return Drained::kClosed;
  text.append(buffer.data(), static_cast<std::size_t>(got));
  if (text.size() <= limit) return Drained::kOpen;
  if (!tail) return Drained::kFull;
  text.erase(0, text.size() - limit);
  return Drained::kOpen;
}

class Watch {
 public:
  Watch(const ChildSpec& spec, pid_t child, File output, File error, int stop_file)
      : spec_(spec),
        child_(child),
        output_(std::move(output)),
        error_(std::move(error)),
        stop_file_(stop_file),
        pid_file_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))) {
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(error_.get(), F_SETFL, O_NONBLOCK);
  }

  ChildOutcome to_the_end(Clock::time_point start) {
    std::optional<ChildEnd> cut;
    while (!cut && !ended()) cut = step(start);
    outcome_.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    // What it started goes too; the child itself is not reaped yet, so the group's number is still its own.
    ::kill(-child_, SIGKILL);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!cut) drain_rest();
    if (cut || outcome_.end == ChildEnd::kTooMuchOutput) {
      outcome_.end = cut.value_or(ChildEnd::kTooMuchOutput);
    } else if (WIFSIGNALED(status)) {
      outcome_.end = ChildEnd::kSignalled;
      outcome_.code = WTERMSIG(status);
    } else {
      outcome_.code = WEXITSTATUS(status);
    }
    return std::move(outcome_);
  }

 private:
  /// Whether the child has ended, leaving it to be reaped.
  bool ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child_;
  }

  /// Waits for something to happen; a ChildEnd where it must not go on.
  std::optional<ChildEnd> step(Clock::time_point start) {
    const double left = spec_.timeout_seconds - std::chrono::duration<double>(Clock::now() - start).count();
    if (left <= 0) return ChildEnd::kTimedOut;
    std::array<pollfd, 4> files{
        {{output_.get(), POLLIN, 0}, {error_.get(), POLLIN, 0}, {pid_file_.get(), POLLIN, 0}, {stop_file_, POLLIN, 0}}};
    int wait = static_cast<int>(std::ceil(std::min(left, 3600.0) * 1000));
    if (pid_file_.get() < 0) wait = std::min(wait, kPollMilliseconds);
    if (::poll(files.data(), files.size(), wait) <= 0) return std::nullopt;
    if (files[3].revents != 0) return ChildEnd::kStopped;
    if (files[0].revents != 0) {
      const Drained state = drain(output_.get(), outcome_.output, spec_.output_limit, false);
      if (state == Drained::kFull) return ChildEnd::kTooMuchOutput;
      if (state == Drained::kClosed) output_.close();
    }
    if (files[1].revents != 0 && drain(error_.get(), outcome_.error_tail, spec_.tail_limit, true) == Drained::kClosed)
      error_.close();
    return std::nullopt;
  }

  /// What is still in the pipes when it has ended. They may stay open in a process that left the group; that one is not
  /// waited for: reads do not block.
  void drain_rest() {
    const auto all = [](File& file, std::string& text, std::size_t limit, bool tail) {
      for (;;) {
        pollfd ready{file.get(), POLLIN, 0};
        if (file.get() < 0 || ::poll(&ready, 1, 0) <= 0) return true;
        const Drained state = drain(file.get(), text, limit, tail);
        if (state == Drained::kFull) return false;
        if (state == Drained::kClosed) return true;
      }
    };
    if (!all(output_, outcome_.output, spec_.output_limit, false)) outcome_.end = ChildEnd::kTooMuchOutput;
    all(error_, outcome_.error_tail, spec_.tail_limit, true);
  }

  const ChildSpec& spec_;
  pid_t child_;
  File output_;
  File error_;
  int stop_file_;
  File pid_file_;
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
  Pipe output;
  Pipe error;
  Pipe report;
  const File null_file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!open_pipe(output) || !open_pipe(error) || !open_pipe(report)) return not_started(errno);

  Prepared prepared{spec.command,
                    child_environment(spec.environment),
                    {},
                    {},
                    std::nullopt,
                    null_file.get(),
                    output.write.get(),
                    error.write.get(),
                    report.write.get(),
                    ::getpid()};
  prepared.command_pointers = pointers(prepared.command);
  prepared.environment_pointers = pointers(prepared.environment);
  if (spec.cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(*spec.cpu), &one);
    prepared.cpus = one;
  }

  const Clock::time_point start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) return not_started(errno);
  if (child == 0) become(prepared);
  ::setpgid(child, child);  // also here: whoever is first
  output.write.close();
  error.write.close();
  report.write.close();
  int code = 0;
  ssize_t got = 0;
  while ((got = ::read(report.read.get(), &code, sizeof code)) < 0 && errno == EINTR) {
  }
  if (got == sizeof code) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return not_started(code);
  }
  return Watch(spec, child, std::move(output.read), std::move(error.read), stop_file).to_the_end(start);
}

std::string describe_end(const ChildSpec& spec, const ChildOutcome& outcome) {
  switch (outcome.end) {
    case ChildEnd::kExited:
      return fmt::format("exit status {}", outcome.code);
    case ChildEnd::kSignalled:
      return fmt::format("signal {} ({})", outcome.code, ::strsignal(outcome.code));
    case ChildEnd::kTimedOut:
      return fmt::format("no end within {:.3g} s", spec.timeout_seconds);
    case ChildEnd::kStopped:
      return "stopped";
    case ChildEnd::kTooMuchOutput:
      return fmt::format("more than {} bytes of output", spec.output_limit);
    case ChildEnd::kNotStarted:
      break;
  }
  return fmt::format("'{}' could not be started: {}", spec.command.at(0), std::strerror(outcome.code));
}

}  // namespace lab::exec
