#include "harness/base/interrupt.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace lab {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t interrupted_flag = 0;
int event_file = -1;
std::array<struct sigaction, kSignals.size()> former;

void note(int) {
  const int code = errno;
  interrupted_flag = 1;
  const std::uint64_t one = 1;
  static_cast<void>(::write(event_file, &one, sizeof one) == 0);
  errno = code;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  interrupted_flag = 0;
  event_file = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &former[i]);
    // nohup and a shell's background jobs ignore some of them on purpose.
    if (former[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &former[i], nullptr);
  ::close(event_file);
  event_file = -1;
}

bool InterruptGuard::interrupted() const {
  return interrupted_flag != 0;
}

int InterruptGuard::file() const {
  return event_file;
}

}  // namespace lab
