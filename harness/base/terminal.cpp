#include "harness/base/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "harness/base/fit.h"

namespace lab {

void open_standard_files() {
  int file = ::open("/dev/null", O_RDWR);
  while (file >= 0 && file <= STDERR_FILENO) file = ::open("/dev/null", O_RDWR);
  if (file >= 0) ::close(file);
}

bool is_live_terminal(int file) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  return ::isatty(file) != 0 && (no_color == nullptr || *no_color == '\0') && !dumb;
}

int terminal_width(int file) {
  winsize size{};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::size_t output_width(int file) {
  if (::isatty(file) == 0) return 0;
  const char* const columns = std::getenv("COLUMNS");
  const int width = columns == nullptr ? 0 : std::atoi(columns);
  return static_cast<std::size_t>(width > 0 ? width : terminal_width(file));
}

bool reader_gone(int file) {
  pollfd one{file, POLLOUT, 0};
  return ::poll(&one, 1, 0) == 1 && (one.revents & POLLERR) != 0;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return "under a second";
  const auto in_units = [](long first, std::string_view unit, long rest, std::string_view smaller_unit) {
    const std::string text = fmt::format("{} {}", first, unit);
    return rest == 0 ? text : fmt::format("{} {} {}", text, rest, smaller_unit);
  };
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return in_units(whole / 60, "min", whole % 60, "s");
  return in_units(whole / 3600, "h", whole % 3600 / 60, "min");
}

StatusLine::StatusLine(int file) : file_(file), live_(is_live_terminal(file)) {}

StatusLine::~StatusLine() {
  clear();
}

void StatusLine::show(std::string_view text) {
  if (!live_) return;
  // The last column stays empty: a full line would wrap on some terminals.
  write(fmt::format("\r{}\x1b[K", text.substr(0, static_cast<std::size_t>(std::max(1, terminal_width(file_) - 1)))));
  shown_ = true;
}

void StatusLine::clear() {
  if (shown_) write("\r\x1b[K");
  shown_ = false;
}

void StatusLine::print(std::string_view line) {
  clear();
  const auto width = static_cast<std::size_t>(std::max(1, terminal_width(file_)));
  write(fmt::format("{}\n", live_ ? wrapped_after(line, width, 2) : std::string(line)));
}

void StatusLine::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t put = ::write(file_, text.data(), text.size());
    if (put < 0 && errno != EINTR) return;  // the reader has gone
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace lab
