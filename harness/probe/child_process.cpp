#include "harness/probe/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "harness/base/spawn.h"

namespace lab::probe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kTail = 4096;
constexpr int kNotLinked = 127;  // the dynamic linker's exit status; it has said what it did not find

void hand_out_lines(std::string& text, const std::function<void(std::string_view)>& on_line) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    on_line(std::string_view(text).substr(begin, end - begin));
  text.erase(0, begin);
}

// Reads both streams until both end; false when there was no line for too long.
bool follow(Spawned& child, std::chrono::milliseconds silence, const std::function<void(std::string_view)>& on_line,
            std::string& tail) {
  std::string pending;
  Clock::time_point deadline = Clock::now() + silence;
  while (child.output.get() >= 0 || child.error.get() >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> files{pollfd{child.output.get(), POLLIN, 0}, pollfd{child.error.get(), POLLIN, 0}};
    if (::poll(files.data(), files.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    if (files[0].revents != 0) {
      if (!drain(child.output, pending)) child.output.close();
      if (pending.find('\n') != std::string::npos) deadline = Clock::now() + silence;
      hand_out_lines(pending, on_line);
    }
    if (files[1].revents != 0) {
      if (!drain(child.error, tail)) child.error.close();
      keep_tail(tail, kTail);
    }
  }
  return true;
}

}  // namespace

Expected<ChildEnd> run_child(const ChildSpec& spec, const std::function<void(std::string_view line)>& on_line) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : spec.environment) environment.push_back(fmt::format("{}={}", name, value));
  // A driver's crash is recorded as a fact; nobody wants its memory on disk.
  boost::system::result<Spawned> child = spawn({spec.arguments, environment, std::nullopt, false});
  const auto not_started = [&](std::string_view reason) {
    return Error{fmt::format("starting '{}': {}", spec.arguments[0], reason), "python3 make.py build"};
  };
  if (!child) return not_started(std::strerror(child.error().value()));

  ChildEnd end;
  const bool silent = !follow(*child, spec.silence, on_line, end.stderr_tail);
  const int status = end_group(child->id);
  if (silent) {
    end.kind = ChildEnd::Kind::kSilent;
  } else if (WIFSIGNALED(status)) {
    end.kind = ChildEnd::Kind::kSignalled;
    end.code = WTERMSIG(status);
  } else {
    end.code = WEXITSTATUS(status);
    if (end.code == kNotLinked) return not_started(end.stderr_tail);
  }
  return end;
}

}  // namespace lab::probe
