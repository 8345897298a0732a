#include "harness/probe/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lab::probe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTail = 4096;
constexpr int kNotStarted = 127;

// A pipe whose ends close when it goes out of scope; -1 for an end that is closed.
struct Pipe {
  std::array<int, 2> ends{-1, -1};

  bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() {
    close(0);
    close(1);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> found;
  for (std::string& text : texts) found.push_back(text.data());
  found.push_back(nullptr);
  return found;
}

// Between fork and exec only what is safe after a fork of a process with threads.
[[noreturn]] void become(const Pipe& out, const Pipe& err, pid_t parent, char** arguments, char** environment) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);
  // A driver's crash is recorded as a fact; nobody wants its memory on disk.
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out.ends[1], STDOUT_FILENO);
  ::dup2(err.ends[1], STDERR_FILENO);
  ::execve(arguments[0], arguments, environment);
  const char* reason = ::strerrordesc_np(errno);
  if (::write(STDERR_FILENO, reason, std::strlen(reason)) < 0) ::_exit(kNotStarted);
  ::_exit(kNotStarted);
}

// Appends what can be read now; false at the end of the stream.
bool drain(int file, std::string& into) {
  char buffer[1 << 14];
  const ssize_t got = ::read(file, buffer, sizeof buffer);
  if (got > 0) into.append(buffer, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

void hand_out_lines(std::string& text, const std::function<void(std::string_view)>& on_line) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    on_line(std::string_view(text).substr(begin, end - begin));
  text.erase(0, begin);
}

void keep_tail(std::string& text) {
  if (text.size() > kTail) text.erase(0, text.size() - kTail);
}

// Reads both streams until both end; false when there was no line for too long.
bool follow(Pipe& out, Pipe& err, std::chrono::milliseconds silence,
            const std::function<void(std::string_view)>& on_line, std::string& tail) {
  std::string pending;
  Clock::time_point deadline = Clock::now() + silence;
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    // poll passes over a negative file.
    std::array<pollfd, 2> files{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    if (::poll(files.data(), files.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    if (files[0].revents != 0) {
      if (!drain(out.ends[0], pending)) out.close(0);
      if (pending.find('\n') != std::string::npos) deadline = Clock::now() + silence;
      hand_out_lines(pending, on_line);
    }
    if (files[1].revents != 0) {
      if (!drain(err.ends[0], tail)) err.close(0);
      keep_tail(tail);
    }
  }
  return true;
}

}  // namespace

Expected<ChildEnd> run_child(const ChildSpec& spec, const std::function<void(std::string_view line)>& on_line) {
  std::vector<std::string> arguments = spec.arguments;
  std::vector<std::string> environment;
  for (const auto& [name, value] : spec.environment) environment.push_back(fmt::format("{}={}", name, value));
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const auto failure = [&](std::string_view doing) {
    return Error{fmt::format("starting '{}': {}: {}", spec.arguments[0], doing, std::strerror(errno)), ""};
  };
  Pipe out, err;
  if (!out.open() || !err.open()) return failure("pipe");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return failure("fork");
  if (child == 0) become(out, err, parent, const_cast<char**>(argv.data()), const_cast<char**>(envp.data()));
  ::setpgid(child, child);  // here too: whichever of the two comes first
  out.close(1);
  err.close(1);

  ChildEnd end;
  const bool silent = !follow(out, err, spec.silence, on_line, end.stderr_tail);
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (silent) {
    end.kind = ChildEnd::Kind::kSilent;
  } else if (WIFSIGNALED(status)) {
    end.kind = ChildEnd::Kind::kSignalled;
    end.code = WTERMSIG(status);
  } else {
    end.code = WEXITSTATUS(status);
    if (end.code == kNotStarted)
      return Error{fmt::format("starting '{}': {}", spec.arguments[0], end.stderr_tail), "python3 make.py build"};
  }
  return end;
}

}  // namespace lab::probe
