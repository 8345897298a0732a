#include "harness/base/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "harness/base/files.h"
#include "harness/base/own_loader.h"

namespace lab {

namespace {

struct Pipe {
  File read;
  File write;
};

/// Both ends close on exec, so that no child keeps another's pipe open.
bool open_pipe(Pipe& pipe) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  pipe = {File(ends[0]), File(ends[1])};
  return true;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

/// An open file with this content, or of nothing; none (-1) with errno. Unlike a pipe it needs no writer beside the
/// child, and a child that ends without reading it harms nobody.
File input_file(const std::string& content) {
  if (content.empty()) return File(::open("/dev/null", O_RDWR | O_CLOEXEC));
  File file(::memfd_create("input", MFD_CLOEXEC));
  if (file.get() < 0) return file;
  int code = write_all(file.get(), content);
  if (code == 0 && ::lseek(file.get(), 0, SEEK_SET) < 0) code = errno;
  if (code == 0) return file;
  file.close();
  errno = code;
  return File();
}

/// Everything the child needs, prepared before the fork: after it, only async-signal-safe calls are allowed.
struct ChildSetup {
  SpawnSpec spec;
  std::vector<char*> command;
  std::vector<char*> environment;
  std::optional<cpu_set_t> cpus;
  int input = -1;
  int output = -1;
  int error = -1;
  int report = -1;
  pid_t parent = 0;
};

[[noreturn]] void execute(const ChildSetup& setup) {
  // A child inherits ignored and blocked signals.
  ::signal(SIGPIPE, SIG_DFL);
  if (!setup.spec.attached) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before the line above.
    if (::getppid() != setup.parent) ::_exit(127);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  if (!setup.spec.core_dump) ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(setup.input, STDIN_FILENO);
  ::dup2(setup.output, STDOUT_FILENO);
  if (!setup.spec.attached) ::dup2(setup.error, STDERR_FILENO);
  // Files that we inherited without close-on-exec; older kernels pass them on.
  static_cast<void>(::syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC));
  for (const int file : setup.spec.kept_files) ::fcntl(file, F_SETFD, 0);
  if (!setup.cpus || ::sched_setaffinity(0, sizeof(cpu_set_t), &*setup.cpus) == 0)
    ::execvpe(setup.command[0], setup.command.data(), setup.environment.data());
  const int code = errno;
  static_cast<void>(::write(setup.report, &code, sizeof code) == 0);
  ::_exit(127);
}

std::string_view library_path_of(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "LD_LIBRARY_PATH=";
  for (const std::string_view variable : environment)
    if (variable.starts_with(kName)) return variable.substr(kName.size());
  return "";
}

boost::system::error_code system_error(int code) {
  return {code, boost::system::system_category()};
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

void File::close() {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

boost::system::result<Spawned> spawn(const SpawnSpec& spec) {
  Pipe output;
  Pipe error;
  Pipe report;
  const File input = input_file(spec.input);
  if (input.get() < 0 || !open_pipe(output) || !open_pipe(error) || !open_pipe(report)) return system_error(errno);

  ChildSetup setup{
      spec, {}, {}, std::nullopt, input.get(), output.write.get(), error.write.get(), report.write.get(), ::getpid()};
  setup.spec.command = by_bundled_loader(std::move(setup.spec.command), library_path_of(spec.environment));
  setup.command = pointers(setup.spec.command);
  setup.environment = pointers(setup.spec.environment);
  if (spec.cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(*spec.cpu), &one);
    setup.cpus = one;
  }

  const pid_t child = ::fork();
  if (child < 0) return system_error(errno);
  if (child == 0) execute(setup);
  if (!spec.attached) ::setpgid(child, child);  // also in the parent: either may run first
  output.write.close();
  error.write.close();
  report.write.close();
  int code = 0;
  ssize_t got = 0;
  while ((got = ::read(report.read.get(), &code, sizeof code)) < 0 && errno == EINTR) {
  }
  if (got == sizeof code) {
    wait_for(child);
    return system_error(code);
  }
  return Spawned{child, std::move(output.read), std::move(error.read)};
}

bool drain(const File& file, std::string& text) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

void keep_tail(std::string& text, std::size_t limit) {
  if (text.size() > limit) text.erase(0, text.size() - limit);
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

File end_of(pid_t child) {
  return File(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
}

int end_group(pid_t child) {
  // The child is not reaped yet, so no other group can have its number.
  ::kill(-child, SIGKILL);
  return wait_for(child);
}

}  // namespace lab
